"""Measures an embedded LLaVA on MuCR's three tasks in drawn scenes: four options, ranked (MuCR 3.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from training.accuracies import share
from training.assess_vision_language import loaded
from training.causal_examples import CausalExample, draw_causal_examples
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT, Form, Metric
from whatif.engine.language.messages import one_turn
from whatif.models import Question
from whatif.scoring.rank import best

FORMS: tuple[Form, ...] = (TEXT, MAIN_FORM)
_GROUPS = 60
_SEED = 404_404


def assess_causal(folder: Path, groups: int = _GROUPS) -> dict[str, Any]:
    """Accuracies of the LLaVA in `folder` by form (text, composite) and task.

    A question is answered correctly if the right option of the four has the highest mean log-likelihood. Each accuracy
    has n, the 95% Wilson interval over questions, and the baseline `chance`. Half of CP is `agents`: a rule that knows
    the agents' words, but has not seen the effect.
    """
    model = loaded(folder)
    examples = [example for number in range(groups) for example in draw_causal_examples("test", number, _SEED)]
    table: dict[str, Any] = {}
    for form in FORMS:
        for metric in SCORES:
            answers = model.answer([_question(one, metric, form) for one in examples])
            right = []
            for one, answer in zip(examples, answers, strict=True):
                assert answer.option_scores is not None
                right.append(best(answer.option_scores) == one.right(metric))
            baselines = {"chance": 0.25, **({"agents": 0.5} if metric == "CP" else {})}
            table.setdefault(form, {})[metric] = share(right, **baselines)
    return table


def _question(example: CausalExample, metric: Metric, form: Form) -> Question:
    name = f"{example.pair.pair_id}-{metric}-{form}"
    return Question(
        question_id=name,
        group="assessed",
        variant="assessed",
        messages=one_turn(example.question(metric, form), [] if form == TEXT else [name]),
        options=tuple(example.options(metric, form)),
        images=lambda: [] if form == TEXT else [example.canvas(metric)],
    )
