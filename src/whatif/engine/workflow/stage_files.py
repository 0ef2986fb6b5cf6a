"""Writes `stages/STAGE.smk` from the graph: a rule of Snakemake for each step of the selected benchmarks.

The rules follow from the steps alone. Whatever the values of params.yaml decide (how many parts there are, which models
are asked, what a job requests from a cluster) is a call of a function of `rules/common.smk`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.steps import OutputOf, Step
from whatif.engine.params.base import STAGES

FOLDER = Path("stages")
# Stage -> description of what its rules do, in the order of the pipeline.
DESCRIPTIONS = dict(
    zip(
        STAGES,
        (
            "sources: images, captions, released questions",
            "counterfactual questions, captions and images, in parts",
            "automatic filters: what is left, and what was rejected for which reason",
            "checks by people or by counting again: the questions that models are asked",
            "one model asked one benchmark: its predictions, or how it matches captions and images",
            "numbers and tables, beside the reported ones",
        ),
        strict=True,
    )
)
_HEADER = """\
# {stage}: {description}.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
"""
# What the rules call, and what it gives them.
_FUNCTIONS = {
    "all_of": "the files of a pattern, for all values of its wildcards but those to keep",
    "others": "what the rule reads of other benchmarks that are selected",
    "published": "tables and figures; they are in `snakemake --report`",
    "group_for": "jobs without a model may share a cluster job, those with a model do not",
    "resources_for": "what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)",
}


def stage_files(graph: Graph) -> dict[Path, str]:
    """The file of each stage, with the rules of the selected benchmarks."""
    return {FOLDER / f"{stage}.smk": _stage_file(graph, stage) for stage in STAGES}


def check_stage_files(graph: Graph) -> None:
    """Raises WhatifError when a rule in `stages/` is missing or is not that of its step.

    Rules of benchmarks that are no longer selected may be there: nothing asks for their files.
    """
    for stage in STAGES:
        file = FOLDER / f"{stage}.smk"
        text = file.read_text(encoding="utf-8") if file.is_file() else None
        for step in graph.steps(stage):
            if text is None or _rule(graph, step) not in text:
                what = "is missing" if text is None else f"has no rule {step.rule} as its step declares it"
                raise WhatifError(f"{file}: {what}; run `whatif dvc-yaml`")


def _stage_file(graph: Graph, stage: str) -> str:
    rules = "".join(f"\n\n{_rule(graph, step)}" for step in graph.steps(stage))
    called = "".join(f"#   {name}: {gives}\n" for name, gives in _FUNCTIONS.items() if f"{name}(" in rules)
    functions = f"# Functions, in whatif/engine/workflow/rules/common.smk:\n{called}" if called else ""
    return _HEADER.format(stage=stage, description=DESCRIPTIONS[stage]) + functions + rules


def log_of(step: Step) -> str:
    """The log file to which the rule's jobs write their output, with wildcards."""
    folders = ["logs", step.stage, step.benchmark, *filter(None, [step.name])]
    return "/".join([*folders, *(f"{{{name}}}" for name in step.wildcards)]) + ".log"


def job_of(graph: Graph, step: Step) -> str:
    """The arguments of `whatif` that run one job of a step's rule, with the rule's wildcards."""
    siblings = graph.benchmarks[step.benchmark].steps_of(step.stage)
    named = [f"--step {step.name or step.stage}"] if len(siblings) > 1 else []
    return " ".join([step.stage, step.benchmark, *named, *(f"--{name} {{{name}}}" for name in step.wildcards)])


def _rule(graph: Graph, step: Step) -> str:
    """The rule of a step, as snakefmt formats it."""
    inputs, outputs = list(_inputs(graph, step)), [f'"{path}"' for path in step.paths.values()]
    if step.text_files:
        outputs.append(f'published("{step.rule}")')
    command = job_of(graph, step).replace("{", "{wildcards.")
    lines = [
        f"rule {step.rule}:",
        *(["    input:", *(f"        {one}," for one in inputs)] if inputs else []),
        "    output:",
        *(f"        {one}," for one in outputs),
        "    log:",
        f'        "{log_of(step)}",',
        f"    priority: {len(STAGES) - STAGES.index(step.stage)}",  # long chains of jobs begin early
        "    group:",
        f'        group_for("{step.rule}")',
        "    resources:",
        f'        **resources_for("{step.rule}"),',
        "    shell:",
        f'        "whatif {command} > {{log}} 2>&1"',
    ]
    return "\n".join(lines) + "\n"


def _inputs(graph: Graph, step: Step) -> Iterator[str]:
    """The inputs of a step's rule: paths with wildcards, and calls where they follow from params.yaml."""
    for given in step.inputs.values():
        if not given.benchmark:
            yield _own_input(graph, step, given)
    if any(given.benchmark for given in step.inputs.values()):
        yield f'others("{step.rule}")'


def _own_input(graph: Graph, step: Step, given: OutputOf) -> str:
    maker = graph.benchmarks[step.benchmark].step_of(given)
    kept = [name for name in maker.wildcards if name in step.wildcards]
    path = f'"{maker.paths[given.role]}"'
    if len(kept) == len(maker.wildcards):
        return path
    return f'all_of({path}, keep="{" ".join(kept)}")' if kept else f"all_of({path})"
