"""The answers that are in a project now, evaluation by evaluation, with the questions that they are to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from whatif.results.comparison.compare import Booleans
from whatif.results.comparison.evaluations import PREDICTIONS, Evaluation, evaluations
from whatif.results.comparison.row_types import Rows
from whatif.results.comparison.rows import Reader, right_of
from whatif.results.comparison.runs import of_folder
from whatif.results.comparison.sides import HERE


@dataclass(frozen=True, eq=False)
class Answered:
    """The answers of one model with one strategy; evaluations of the same questions share `rows`."""

    name: str
    evaluation: Evaluation
    rows: Rows
    right: Booleans


def answered(benchmark: str, models: Iterable[str] = ()) -> Iterator[Answered]:
    """The answers to the questions of a benchmark, in the order of the keys of models; of these models if any is given.

    Raises WhatifError when the working directory has no results, and when an artifact is unreadable.
    """
    reader = Reader()
    for key, found in evaluations(of_folder(Path(), HERE), (benchmark,), models).items():
        if found.kind == PREDICTIONS:
            yield Answered(" ".join((key.model, *key.settings)), found, reader.rows(found), right_of(found))


def pairs_of_questions(rows: Rows) -> list[str]:
    """The pair of each row. Raises ValueError when it is not known what the rows ask."""
    if rows.questions is None:
        raise ValueError("these rows have no questions")
    pairs = rows.questions.texts(("pair_id",))
    return list((pairs if rows.places is None else pairs.take(pa.array(rows.places))).to_pylist())
