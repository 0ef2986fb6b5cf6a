"""The shortcut audit of a benchmark in a YAML file: how many questions can be answered without their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from whatif.scoring.shortcuts.audit import RULES, VARIANTS, audit
from whatif.scoring.statistics import wilson

SET = "ours"
FOLDS, CONFIDENCE = 5, 0.95  # of the audit that chooses among draws
_LEAST_PICTURES = 40
_RULES = (*RULES, "words", "length")
_OF_PAIRS = ("other-options",)
_ORIGINAL = "original"


def distance_from_guessing(questions: Sequence[dict[str, Any]], *, seed: int) -> float:
    """The largest distance of a shortcut from guessing, in half-widths of its interval on that side; 0 if too few.

    At most 1: guessing is inside the intervals of all shortcuts.
    """
    if len({" ".join(row["image_ids"]) for row in questions}) < _LEAST_PICTURES:
        return 0.0
    found = []
    for variant in VARIANTS:
        rows = [row for row in questions if row["variant"] == variant]
        guessing = sum(1 / len(row["choices"]) for row in rows) / len(rows)
        for row in audited(questions, variant, folds=FOLDS, seed=seed):
            accuracy = wilson(row["right"], row["n"], CONFIDENCE)
            end = accuracy.low if guessing < accuracy.estimate else accuracy.high
            width = abs(end - accuracy.estimate)
            found.append(abs(guessing - accuracy.estimate) / width if width else 0.0)
    return max(found)


def audited(questions: Sequence[dict[str, Any]], variant: str, *, folds: int, seed: int) -> list[dict[str, Any]]:
    """Rows of `shortcuts` for the questions of a variant.

    Models of the text are cross-validated by picture: a question about the same picture may have the same answer.
    """
    by_picture = [{**row, "pair_id": " ".join(row["image_ids"])} for row in questions]
    found = audit(by_picture, folds=folds, seed=seed, variants=[variant], rules=_RULES)
    if variant != _ORIGINAL:
        found += audit(questions, folds=folds, seed=seed, variants=[variant], rules=_OF_PAIRS, basis=_ORIGINAL)
    return [{"set": SET, **asdict(shortcut)} for shortcut in found]
