"""Numerical features of the text of multiple-choice questions: one example for each option."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.engine.language.options import LETTERS

Row = Mapping[str, Any]
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")


@dataclass(frozen=True)
class Features:
    """Options as examples: `values` is options x features, NaN where a feature does not apply.

    `right` marks the correct options; `question` is the row that each option belongs to (from 0).
    """

    values: npt.NDArray[np.float32]
    right: npt.NDArray[np.bool_]
    question: npt.NDArray[np.int64]


def features(rows: Sequence[Row]) -> Features:
    """One example for each option of each row of the table `questions` (all with choices)."""
    groups = {group: number for number, group in enumerate(sorted({row["group"] for row in rows}))}
    most = max(len(row["choices"]) for row in rows)
    examples = [
        (example, LETTERS[place] == row["answer"], number)
        for number, row in enumerate(rows)
        for place, example in enumerate(_examples(row, groups[row["group"]], most))
    ]
    values, right, question = zip(*examples, strict=True)
    return Features(np.array(values, dtype=np.float32), np.array(right), np.array(question))


def by_rank(choices: Sequence[str]) -> list[int]:
    """Positions of the options from smallest to largest; in order of their text unless all are numbers."""
    numbers = [as_number(choice) for choice in choices]
    if np.isnan(numbers).any():
        return sorted(range(len(choices)), key=lambda place: (choices[place], place))
    return sorted(range(len(choices)), key=lambda place: (numbers[place], place))


def as_number(text: str) -> float:
    """The number that a text represents, NaN if it is not a number."""
    return float(text) if _NUMBER.fullmatch(text.strip()) else float("nan")


def _examples(row: Row, group: int, most: int) -> Iterator[list[float]]:
    """The features of each option of a row; `most` is the largest number of options of any row."""
    choices = row["choices"]
    order = by_rank(choices)
    values = np.array([as_number(choice) for choice in choices])
    ordered = values[order]
    in_question = [float(number) for number in _NUMBER.findall(row["question"])]
    padding = [float("nan")] * (most - len(choices))
    for place, value in enumerate(values):
        rank = order.index(place)
        below = value - ordered[rank - 1] if rank > 0 else float("nan")
        above = ordered[rank + 1] - value if rank + 1 < len(choices) else float("nan")
        last = in_question[-1] if in_question else float("nan")
        yield [
            group,
            len(row["question"]),
            len(in_question),
            last,
            place,
            rank,
            value,
            value % 2,
            float(np.sum(values % 2 == value % 2)),  # options of the same parity, including itself
            below,
            above,
            value - float(np.mean(values)),
            float(ordered[-1] - ordered[0]),
            value - last,
            len(choices[place]),
            *(ordered - value),  # offsets to the sorted options
            *padding,
        ]
