"""The six question templates of C-VQA-Synthetic: their words, and their answers from the counts in an image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Counts: TypeAlias = npt.NDArray[np.int64]
Subject: TypeAlias = Literal["flowers", "dots"]

# Positions in the last axis of counts. Flowers: one count per region; polygon 1 is the one that the question names.
REGIONS = ("in1&in2", "in1&out2", "out1&in2", "out1&out2")
# Dots: one count per circle, row by row from the top, each row from the left.
ROWS, COLUMNS = 2, 3


@dataclass(frozen=True)
class Template:
    """A question, its counterfactual, and the functions that answer them (C-VQA Table 2).

    The texts contain `{first}` and `{second}` for colours of polygons and `{removed}` for a number. The answer
    functions take counts of shape (..., 4) for flowers or (..., 6) for dots, and the number removed, which broadcasts
    with the rest of the shape; the number is not used if `removes` is false.
    """

    group: str
    released_type: str  # column `type` of the released questions
    subject: Subject
    original: str
    counterfactual: str
    original_answer: Callable[[Counts], Counts]
    counterfactual_answer: Callable[[Counts, Counts | int], Counts]
    removes: bool = False

    def question(self, variant: str, colours: tuple[str, str] | None, removed: int | None) -> str:
        """The text of the `original` or `counterfactual` question with its colours and number filled in."""
        text = {"original": self.original, "counterfactual": self.counterfactual}[variant]
        first, second = colours or ("", "")
        return text.format(first=first, second=second, removed=removed)


def _inside_first(counts: Counts) -> Counts:
    return counts[..., 0] + counts[..., 1]


def _outside_first(counts: Counts) -> Counts:
    return counts[..., 2] + counts[..., 3]


def _all_dots(counts: Counts) -> Counts:
    total: Counts = counts.sum(axis=-1)
    return total


def _top_row(counts: Counts) -> Counts:
    total: Counts = counts[..., :COLUMNS].sum(axis=-1)
    return total


def _top_row_without_right_column(counts: Counts) -> Counts:
    total: Counts = counts[..., : COLUMNS - 1].sum(axis=-1)
    return total


def _fullest(counts: Counts) -> Counts:
    most: Counts = counts.max(axis=-1)
    return most


def _runner_up(counts: Counts) -> Counts:
    second: Counts = np.sort(counts, axis=-1)[..., -2]
    return second


_TEMPLATES = (
    Template(
        group="flower-recolour",
        released_type="abs_counting_1",
        subject="flowers",
        original="How many flowers are outside the {first} polygons?",
        counterfactual="How many flowers would be outside the {first} polygons if all polygons were {first}?",
        original_answer=_outside_first,
        counterfactual_answer=lambda counts, removed: counts[..., 3],
    ),
    Template(
        group="flower-removal",
        released_type="abs_counting_2",
        subject="flowers",
        original="How many flowers are inside the {first} polygons?",
        counterfactual="How many flowers would be inside {first} polygons "
        "if we removed {removed} flowers in {first} polygons?",
        original_answer=_inside_first,
        counterfactual_answer=lambda counts, removed: _inside_first(counts) - removed,
        removes=True,
    ),
    Template(
        group="flower-removal-other",
        released_type="abs_counting_3",
        subject="flowers",
        original="How many flowers are inside the {first} polygons?",
        counterfactual="How many flowers would be inside {first} polygons "
        "if all flowers in {second} polygons were removed?",
        original_answer=_inside_first,
        counterfactual_answer=lambda counts, removed: counts[..., 1],
    ),
    Template(
        group="dot-removal",
        released_type="abs_counting_4",
        subject="dots",
        original="How many dots are there in all the circles together?",
        counterfactual="How many dots would there be in all the circles together "
        "if {removed} dots were removed from the circles?",
        original_answer=_all_dots,
        counterfactual_answer=lambda counts, removed: _all_dots(counts) - removed,
        removes=True,
    ),
    Template(
        group="dot-columns",
        released_type="abs_counting_5",
        subject="dots",
        original="How many dots are there in the top three circles together?",
        counterfactual="How many dots would there be in the top three circles together "
        "if the two rightmost circles and dots in them were removed from the circles?",
        original_answer=_top_row,
        counterfactual_answer=lambda counts, removed: _top_row_without_right_column(counts),
    ),
    Template(
        group="dot-maximum",
        released_type="abs_counting_6",
        subject="dots",
        original="How many dots do a circle contain at most?",
        counterfactual="How many dots would a circle contain at most "
        "if one of the circles with most dots were removed?",
        original_answer=_fullest,
        counterfactual_answer=lambda counts, removed: _runner_up(counts),
    ),
)

TEMPLATES: dict[str, Template] = {template.group: template for template in _TEMPLATES}
GROUPS: tuple[str, ...] = tuple(TEMPLATES)
