"""Checks a released puzzle by its text alone: options, wording, and what its answers must satisfy (C-VQA 3.3).

The scene behind a released image is unknown, so an answer cannot be recounted. Only what follows from the text is
checked; what does not follow is noted, and no reason to reject a pair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.cvqa_synthetic.checks import option_defects
from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES
from whatif.benchmarks.cvqa_synthetic_released.wording import Reading, readings
from whatif.engine.language.options import LETTERS

VARIANTS = ("original", "counterfactual")
CHECKS = ("options", "wording", "answers")
NOT_CHECKED, UNCHANGED = "not checked", "unchanged"  # how the notes begin
Question = Mapping[str, Any]

# The templates in which a number is removed: the counterfactual answer follows from the text and the original answer.
# In the others, only some of the flowers or dots remain, so the counterfactual answer cannot be larger.
EXACT = tuple(group for group, template in TEMPLATES.items() if template.removes)


@dataclass(frozen=True)
class Finding:
    """The result of one check: contradictions, each a reason to reject the pair, or else a note."""

    check: str
    contradictions: tuple[str, ...] = ()
    note: str = ""


def findings(pair: Sequence[Question]) -> list[Finding]:
    """The results of all CHECKS of a pair, in their order.

    - `options`: four different whole numbers, and the letter of one of them, in both questions;
    - `wording`: both questions fit their template and name the same polygons. A question that fits no template is
      noted; one that fits another template is a contradiction;
    - `answers`: the counterfactual answer is the original one minus N where N is removed, 0 where the polygons that
      lose their flowers are those that are asked about, and otherwise not larger than the original one. Equal answers
      are noted.
    """
    by_variant = {str(question["variant"]): question for question in pair}
    if sorted(by_variant) != sorted(VARIANTS) or len(pair) != len(VARIANTS):
        told = f"must be one original and one counterfactual, are {', '.join(sorted(str(q['variant']) for q in pair))}"
        return [Finding(check, (told,)) for check in CHECKS]
    options = tuple(f"{variant}: {defect}" for variant in VARIANTS for defect in option_defects(by_variant[variant]))
    wording, reading = _wording(by_variant)
    return [
        Finding("options", options),
        wording,
        Finding("answers", note=f"{NOT_CHECKED}: {'the options' if options else 'the wording'} cannot be relied on")
        if options or reading is None
        else _answers(by_variant, reading),
    ]


def answer_of(question: Question) -> int:
    """The number at the letter of the answer. Raises ValueError when there is none."""
    return int(question["choices"][LETTERS.index(question["answer"])])


def _wording(pair: Mapping[str, Question]) -> tuple[Finding, Reading | None]:
    """The result of the check of the wording, and how the counterfactual question reads if nothing is wrong."""
    group = str(pair["original"]["group"])
    contradictions, unread = [], []
    read: dict[str, Reading] = {}
    for variant in VARIANTS:
        question = pair[variant]["question"]
        found = readings(question, variant)
        if group in found:
            read[variant] = found[group]
        elif found:
            contradictions.append(f"{variant}: `{question}` is of {' or '.join(found)}, not of {group}")
        else:
            unread.append(f"{variant}: `{question}` fits no template")
    if len(read) == len(VARIANTS):
        first, named = read["original"].first, read["counterfactual"].first
        if first == named:
            return Finding("wording"), read["counterfactual"]
        contradictions.append(f"the original asks about {first} polygons, the counterfactual about {named} ones")
    note = f"{NOT_CHECKED}: {'; '.join(unread)}" if unread and not contradictions else ""
    return Finding("wording", tuple(contradictions), note), None


def _answers(pair: Mapping[str, Question], reading: Reading) -> Finding:
    """Whether the counterfactual answer is what the words and the original answer say."""
    original, counterfactual = (answer_of(pair[variant]) for variant in VARIANTS)
    rule, holds = _rule(reading)
    if not holds(original, counterfactual):
        told = f"the answers are {original} and {counterfactual}; the counterfactual one must be {rule}"
        return Finding("answers", (told,))
    note = f"{UNCHANGED}: both answers are {original}" if original == counterfactual else ""
    return Finding("answers", note=note)


def _rule(reading: Reading) -> tuple[str, Callable[[int, int], bool]]:
    """What the counterfactual answer must be, in words, and as a function of both answers."""
    removed = reading.removed
    if removed is not None:
        return f"the original one minus {removed}", lambda original, after: after == original - removed
    if reading.second is not None and reading.second == reading.first:
        return f"0, since all flowers in {reading.first} polygons are removed", lambda original, after: after == 0
    return "at most the original one", lambda original, after: after <= original
