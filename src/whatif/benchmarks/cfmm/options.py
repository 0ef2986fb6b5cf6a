"""The right and the wrong options of a question, and what stands in for a wrong one that nobody wrote (CFMM B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.cfmm.settings import SecondOption
from whatif.engine.language.options import LETTERS
from whatif.engine.language.wording import same

Row = Mapping[str, Any]


def right_option(row: Row) -> str:
    """The text of the right option of a row of `questions`."""
    return str(row["choices"][LETTERS.index(row["answer"])])


def wrong_options(row: Row) -> list[str]:
    """The texts of the other options, in order."""
    right = LETTERS.index(row["answer"])
    return [str(text) for place, text in enumerate(row["choices"]) if place != right]


def second_option(
    rules: Sequence[SecondOption],
    answer: str,
    *,
    basic_answer: str,
    basic_option: str,
    first_counterfactual: str | None = None,
    by_model: str | None = None,
) -> tuple[str, SecondOption] | None:
    """The wrong option by the first of the rules that gives a text other than the answer, and this rule.

    `basic_option` is the wrong option of the basic question, `first_counterfactual` the answer to the annotator's
    counterfactual question, `by_model` what a chat model wrote when it was asked for one; None is no text. Texts that
    say the same, such as `Three` and `3`, are the same (`whatif.engine.language.wording`). Returns None when no rule
    gives another text.
    """
    texts: dict[SecondOption, str | None] = {
        "basic-answer": basic_answer,
        "first-counterfactual": first_counterfactual,
        "basic-option": basic_option,
        "model": by_model,
    }
    for rule in rules:
        text = texts[rule]
        if text is not None and text.strip() and not same(text, answer):
            return text.strip(), rule
    return None
