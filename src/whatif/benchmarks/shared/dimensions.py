"""The dimensions that divide evaluations: models that answer, match or judge, and the prompting strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from whatif import models
from whatif.engine.graph.dimensions import Dimension, Shown, no_code
from whatif.engine.language import prompts
from whatif.engine.params.checkpoints import HuggingFaceBlip
from whatif.engine.params.judge import Judging
from whatif.engine.params.models import Replay, answerers, dual_encoders, matchers, programmers
from whatif.engine.params.probes import OF_OPTIONS, WITHOUT_IMAGE, Probing
from whatif.engine.params.programs import ProgramModel
from whatif.engine.params.whole import Params

STRATEGY_FILES = ("whatif.engine.language:strategies/{}.yaml",)
JUDGE_FILES = ("whatif.engine.language:judges/{}.yaml",)


def adapter_code(params: Params, key: str) -> list[str]:
    """The modules that implement a model and the models that it asks, looked up by the names of their adapters."""
    entry = params.models[key]
    return [models.ADAPTERS[name] for name in (entry.adapter, *getattr(entry, "adapters", ()))]


def prompt_form_file(params: Params, key: str) -> list[str]:
    """The file of the prompt form that a model's entry names, if it names one."""
    named = getattr(params.models[key], "prompt_form", None)
    return [] if named is None else [prompts.FILE.format(named)]


# Models that choose among the options of a question.
CHOOSER = Dimension(
    "model",
    lambda params, benchmark: answerers(params.models, benchmark),
    "Only this model of params.yaml; all of them by default.",
    is_model=True,
    ignores=(*models.WITHOUT_EFFECT, *models.WITHOUT_EFFECT_IN_PARTS),
    code=adapter_code,
    files=prompt_form_file,
)
# Models that answer open questions. The form of multiple-choice questions has no effect on them.
ANSWERER = Dimension(
    "model",
    lambda params, benchmark: answerers(params.models, benchmark, open_questions=True),
    CHOOSER.help,
    is_model=True,
    ignores=(*CHOOSER.ignores, "multiple_choice", "top_logprobs", "prompt_log_probabilities"),
    code=adapter_code,
    files=prompt_form_file,
)
# The same models where their answers are read again, by a judge.
ANSWERED = replace(ANSWERER, is_asked=False, ignores=(), code=no_code, files=no_code)
HAS_CHOSEN = replace(CHOOSER, is_asked=False, ignores=(), code=no_code, files=no_code)
# Those of them that answer by programs, where these are looked at.
PROGRAMMER = replace(
    ANSWERED,
    values=lambda params, benchmark: programmers(params.models, benchmark),
    help="Only this model of params.yaml that answers by programs.",
)
# What determines how a program runs once more, with tools that know what a drawn image shows.
SHOWN_PROGRAMMER = Shown(PROGRAMMER, ("adapter", "sandbox", "limits", "tools.kind"))
MATCHER = Dimension(
    "matcher",
    lambda params, benchmark: matchers(params.models, benchmark),
    "Only this model of params.yaml that matches captions and images.",
    is_model=True,
    ignores=("name", "benchmarks"),
    code=adapter_code,
)
ENCODER = Dimension(
    "encoder",
    lambda params, benchmark: dual_encoders(params.models, benchmark),
    "Only this model of params.yaml that embeds captions and images, and searches among them.",
    is_model=True,
    ignores=("name", "benchmarks"),
    code=adapter_code,
)
_OF_ANSWERERS = (
    "name",
    "limit",
    "price_per_million_prompt_tokens",
    "price_per_million_response_tokens",
    "decoding.samples",
    "samples_in_file",
    "prompt",
    "prompts",
)
_OF_JUDGES = ("name", "price_per_million_prompt_tokens", "price_per_million_response_tokens")
SHOWN_CHOOSERS = Shown(CHOOSER, _OF_ANSWERERS, is_summarized=True)
SHOWN_ANSWERERS = Shown(ANSWERER, _OF_ANSWERERS, is_summarized=True)
SHOWN_MATCHERS = Shown(MATCHER, ("name",), is_summarized=True)


def _of_judge(field: str) -> Callable[[Params, str], Sequence[str]]:
    """A field of the judge of a benchmark, as the only value; no value where there is no judge."""

    def value(params: Params, benchmark: str) -> list[str]:
        stage = getattr(params.sections[benchmark], "evaluate", None)
        judge = stage.judge if isinstance(stage, Judging) else None
        return [] if judge is None else [getattr(judge, field)]

    return value


# The judge and its prompt.
JUDGE = Dimension(
    "judge",
    _of_judge("model"),
    "Only this judge of the responses in which the rules find no single answer.",
    is_model=True,
    ignores=(*ANSWERER.ignores, "limit"),
    code=adapter_code,
)
PROMPT = Dimension("prompt", _of_judge("prompt"), "Only this prompt of the judge.", package_files=JUDGE_FILES)
SHOWN_JUDGE = Shown(JUDGE, _OF_JUDGES)


def _probes(params: Params, benchmark: str) -> Sequence[str]:
    stage = getattr(params.sections[benchmark], "evaluate", None)
    return (stage.probes or ()) if isinstance(stage, Probing) else ()


def _is_probed(params: Params, benchmark: str, wildcards: Mapping[str, str]) -> bool:
    """Whether a model can be asked the questions of a probe: a file has no answers to them, and some need an image."""
    entry = params.models.get(wildcards.get("model", ""))
    needs_image = isinstance(entry, HuggingFaceBlip | ProgramModel)
    return not isinstance(entry, Replay) and not (needs_image and wildcards["probe"] == WITHOUT_IMAGE)


# The probes of a benchmark whose questions have options, and those of one whose questions are open.
PROBE = Dimension(
    "probe", _probes, "Only this probe, which changes the questions; all of params.yaml by default.", exists=_is_probed
)
OPEN_PROBE = replace(
    PROBE, values=lambda params, benchmark: [one for one in _probes(params, benchmark) if one not in OF_OPTIONS]
)


def writer(name: str, keys: Callable[[Params, str], Sequence[str]], does: str) -> Dimension:
    """The chat models, usually one or none, that write something for a benchmark; `does` says what, in the help."""
    return Dimension(
        name, keys, f"Only this model that {does}.", is_model=True, ignores=CHOOSER.ignores, code=adapter_code
    )


def strategy(names: Callable[[Params, str], Sequence[str]]) -> Dimension:
    """The prompting strategies for open questions. A file of predictions is read for one of them."""

    def is_asked(params: Params, benchmark: str, wildcards: Mapping[str, str]) -> bool:
        entry = params.models.get(wildcards.get("model", ""))
        return not isinstance(entry, Replay) or (
            wildcards["strategy"] == entry.strategy_among(names(params, benchmark))
        )

    return Dimension(
        "strategy",
        names,
        "Only this prompting strategy; all of params.yaml by default.",
        package_files=STRATEGY_FILES,
        exists=is_asked,
    )
