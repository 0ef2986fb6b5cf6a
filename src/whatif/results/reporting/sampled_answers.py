"""The answers of every sample of models that are asked each question several times, in arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.errors import WhatifError
from whatif.results.reporting.answers import Flags, Numbers, Places, System, codes_of, refused
from whatif.scoring.extraction.answer import is_correct, normalise
from whatif.scoring.extraction.extracted import Extracted
from whatif.scoring.statistics.clusters import Floats, Integers
from whatif.scoring.statistics.majority_at_k import agreement, majority_at_k

COLUMNS = ("question_id", "model", "strategy", "samples")  # that are read from `predictions`
FIELDS = ("answer", "status")  # that are read of each sample
NO_ANSWER, ERROR = -1, -2  # codes of samples that were not answered, and of failed ones
_PIECE = 1 << 18  # predictions that are read together
Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class SampledAnswers:
    """All samples of one system, of the questions that it was asked.

    question: the index of each question. codes: questions x samples, equal where two answers to the same question are
    the same as votes of `whatif.scoring.majority`; `NO_ANSWER` or `ERROR` where there is none. right: whether each
    sample is right.
    """

    question: Places
    codes: Numbers
    right: Flags

    @property
    def samples(self) -> int:
        """The number of samples of each question."""
        return int(self.codes.shape[1])

    @cached_property
    def right_samples(self) -> Integers:
        """The number of right samples of each question."""
        return np.asarray(self.right.sum(axis=1, dtype=np.int64))

    @cached_property
    def agreement(self) -> Floats:
        """The probability that two samples of each question give the same answer."""
        return agreement(self._sizes[0])

    def majority_at(self, k: int) -> Floats:
        """The probability that the majority of k samples of each question is right."""
        sizes, is_right = self._sizes
        kinds = np.column_stack(
            [
                -np.sort(-np.where(is_right, sizes, 0), axis=1),
                -np.sort(-np.where(is_right, 0, sizes), axis=1),
                (self.codes == NO_ANSWER).sum(axis=1),
                (self.codes == ERROR).sum(axis=1),
            ]
        ).astype(np.uint16)
        _, first, of = np.unique(_as_one(kinds), return_index=True, return_inverse=True)
        n = self.samples
        found = [
            majority_at_k(
                tuple(size for size in row[:n] if size), tuple(size for size in row[n:-2] if size), *row[-2:], k
            )
            for row in kinds[first].tolist()
        ]
        return np.array(found)[of]

    @cached_property
    def _sizes(self) -> tuple[Integers, Flags]:
        """How many samples gave each answer (questions x samples, 0 for no further answer), and whether it is right."""
        order = np.argsort(self.codes, axis=1, kind="stable")
        codes = np.take_along_axis(self.codes, order, axis=1)
        right = np.take_along_axis(self.right, order, axis=1)
        begins = np.ones(codes.shape, dtype=np.bool_)
        begins[:, 1:] = codes[:, 1:] != codes[:, :-1]
        sizes = np.zeros(codes.shape, dtype=np.int64)
        sizes[begins] = np.bincount(np.cumsum(begins) - 1)
        return np.where(codes < 0, 0, sizes), np.asarray(right, dtype=np.bool_)


def sampled_answers(predictions: Iterable[pa.Table], questions: Sequence[Row]) -> dict[System, SampledAnswers]:
    """The samples of every system that has some, from tables with the columns COLUMNS; of `samples`, the FIELDS.

    The answer of a sample is the one that was extracted when it was made; `is_correct` decides as for any answer.

    Raises WhatifError when a prediction is of an unknown question, and when the questions of a system do not all have
    the same number of samples.
    """
    ids = pa.array([str(row["question_id"]) for row in questions], pa.string())
    kinds = [(row["answer_kind"], row["answer"]) for row in questions]
    known = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    asked = _Asked(ids, np.array([known[kind] for kind in kinds], dtype=np.int64), list(known))
    found: dict[System, list[tuple[Places, Numbers, Flags]]] = {}
    without: dict[System, pa.Table] = {}
    for piece in _joined(predictions):
        for system, rows in _by_system(piece):
            arrays = asked.arrays(rows, found[system][0][1].shape[1] if system in found else None)
            if arrays is None:
                without.setdefault(system, rows)
            else:
                found.setdefault(system, []).append(arrays)
    for system in without.keys() & found.keys():
        raise _uneven(without[system], 0, 0, found[system][0][1].shape[1])
    return {
        system: SampledAnswers(*(np.concatenate(parts) for parts in zip(*pieces, strict=True)))
        for system, pieces in found.items()
    }


@dataclass(frozen=True, eq=False)
class _Asked:
    """The questions: their ids, and for each the index of its kind and right answer in `kinds`."""

    ids: pa.Array
    kind: Places
    kinds: Sequence[tuple[Any, str]]

    @cached_property
    def _read(self) -> Callable[[str, int], tuple[int, bool]]:
        """The code of an answer to a question of some kind, and whether it is right."""
        codes: dict[tuple[str, str], int] = {}

        def read(answer: str, of: int) -> tuple[int, bool]:
            kind, right = self.kinds[of]
            code = codes.setdefault((kind, normalise(answer, kind)), len(codes))
            return code, is_correct(Extracted(answer, "ok", None), right, kind)

        return read

    def arrays(self, rows: pa.Table, samples: int | None) -> tuple[Places, Numbers, Flags] | None:
        """The arrays of `SampledAnswers` of some predictions of one system; None if none has samples.

        `samples` is the number of samples of earlier predictions, if there were some.
        """
        lists = rows["samples"].combine_chunks()
        sizes = np.asarray(pc.fill_null(pc.list_value_length(lists), 0), dtype=np.int64)
        wanted = samples or int(sizes.max(initial=0))
        if not wanted:
            return None
        if (sizes != wanted).any():
            place = int(np.argmax(sizes != wanted))
            raise _uneven(rows, place, int(sizes[place]), wanted)
        question = codes_of(rows["question_id"], self.ids)
        if (question < 0).any():
            raise refused(rows, int(np.argmin(question)), "is not in the questions")
        values = lists.flatten()
        answers = pc.struct_field(values, "answer").dictionary_encode()
        texts = answers.dictionary.to_pylist()
        status = pc.struct_field(values, "status")
        given = np.asarray(pc.and_(pc.equal(status, "ok"), answers.is_valid()))
        codes = np.where(np.asarray(pc.equal(status, "error")), ERROR, NO_ANSWER).astype(np.int32)
        right = np.zeros(len(codes), dtype=np.bool_)
        number = np.asarray(pc.fill_null(answers.indices, 0), dtype=np.int64)[given] * len(self.kinds)
        both, of = np.unique(number + np.repeat(self.kind[question], wanted)[given], return_inverse=True)
        read = [self._read(texts[one // len(self.kinds)], one % len(self.kinds)) for one in both.tolist()]
        codes[given] = np.array([code for code, _ in read], dtype=np.int32)[of]
        right[given] = np.array([is_right for _, is_right in read], dtype=np.bool_)[of]
        return question, codes.reshape(-1, wanted), right.reshape(-1, wanted)


def _uneven(rows: pa.Table, place: int, samples: int, wanted: int) -> WhatifError:
    return refused(rows, place, f"has {samples or 'no'} samples, and others have {wanted}; ask the model again")


def _joined(pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of tables in larger ones: whatever their size, looking up their questions has the same cost."""
    waiting: list[pa.Table] = []
    for piece in pieces:
        waiting.append(piece)
        if sum(one.num_rows for one in waiting) >= _PIECE:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def _by_system(piece: pa.Table) -> Iterator[tuple[System, pa.Table]]:
    """The predictions of each model and strategy in a table."""
    systems = piece.select(["model", "strategy"]).group_by(["model", "strategy"]).aggregate([])
    for row in systems.to_pylist():
        of = pc.and_(pc.equal(piece["model"], row["model"]), pc.equal(piece["strategy"], row["strategy"]))
        yield (row["model"], row["strategy"]), piece.filter(of)


def _as_one(rows: Any) -> Any:
    """Each row of a matrix as one value that can be compared."""
    whole = np.ascontiguousarray(rows)
    return whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).reshape(-1)
