"""The shortcut audit of a benchmark in a YAML file: how many questions can be answered without their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from whatif.shortcuts.audit import RULES, audit

SET = "ours"
_RULES = (*RULES, "words", "length")
_OF_PAIRS = ("other-options",)
_ORIGINAL = "original"


def audited(questions: Sequence[dict[str, Any]], variant: str, *, folds: int, seed: int) -> list[dict[str, Any]]:
    """Rows of `shortcuts` for the questions of a variant.

    Models of the text are cross-validated by picture: a question about the same picture may have the same answer.
    Raises WhatifError when there are fewer pictures than folds.
    """
    by_picture = [{**row, "pair_id": " ".join(row["image_ids"])} for row in questions]
    found = audit(by_picture, folds=folds, seed=seed, variants=[variant], rules=_RULES)
    if variant != _ORIGINAL:
        found += audit(questions, folds=folds, seed=seed, variants=[variant], rules=_OF_PAIRS, basis=_ORIGINAL)
    return [{"set": SET, **asdict(shortcut)} for shortcut in found]
