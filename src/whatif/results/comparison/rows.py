"""The rows of an evaluation that are compared, and which of them were answered correctly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.errors import WhatifError
from whatif.results.comparison.columns import Column, Columns, columns_of, plain, read
from whatif.results.comparison.evaluations import JUDGED, PREDICTIONS, Evaluation
from whatif.results.comparison.pair_rows import right_matches, right_ranks, rows_of_matches, rows_of_ranks
from whatif.results.comparison.row_types import Codes, Rows, Texts, codes, labelled, taken

_SEPARATOR, _INNER, _OPEN = "\x1d", "\x1f", "\x1e"  # a list without choices differs from an empty one


class LacksInputError(WhatifError):
    """A run lacks what an evaluation needs in order to be compared.

    lack: which run lacks what, the same for all evaluations with the same cause; artifact: the evaluation's first;
    what: of it cannot be compared.
    """

    def __init__(self, lack: str, artifact: str, what: str) -> None:
        super().__init__(f"{lack} of {artifact}, so its {what} are not compared")
        self.lack, self.artifact, self.what = lack, artifact, what


class Reader:
    """Reads the rows and the outcomes of evaluations; rows that several evaluations share are read once."""

    def __init__(self) -> None:
        self._columns = Columns()
        self._rows: dict[Any, Rows] = {}
        self._sets: dict[Any, QuestionSet] = {}

    def rows(self, evaluation: Evaluation) -> Rows:
        """The rows of an evaluation. Raises WhatifError when an artifact is unreadable or its questions are absent."""
        if evaluation.kind == "matches":
            return rows_of_matches(evaluation)
        if evaluation.kind == "ranks":
            return rows_of_ranks(evaluation)
        for table, content, of_what in (
            ("questions", evaluation.input_content("questions"), "answers"),
            (PREDICTIONS, evaluation.answered, "judged answers"),
        ):
            if not content:
                raise LacksInputError(f"{evaluation.run.name}: has no {table}", evaluation.artifacts[0], of_what)
        keys = self._columns.column(evaluation.answered, "question_id")
        groups = groups_of(evaluation)
        known = (evaluation.input_content("questions"), tuple(groups))
        if known not in self._sets:
            self._sets[known] = QuestionSet(self._columns, evaluation.inputs("questions"), tuple(groups.values()))
        if (keys, known) not in self._rows:
            self._rows[keys, known] = self._sets[known].rows_of(keys)
        return self._rows[keys, known]


def right_of(evaluation: Evaluation) -> npt.NDArray[np.bool_]:
    """Whether each row of an evaluation was answered correctly, in the order of its rows.

    What a judge read counts as the judge says; it reads only what the rules cannot. Raises WhatifError when an artifact
    is unreadable.
    """
    if evaluation.kind == "matches":
        return right_matches(evaluation)
    if evaluation.kind == "ranks":
        return right_ranks(evaluation)
    right = np.concatenate([_correct(path) for path in evaluation.answered])
    if evaluation.kind == JUDGED:
        ids = pa.concat_tables([read(path, ["question_id"]) for path in evaluation.answered])["question_id"]
        for path in evaluation.paths:
            judged = read(path, ["question_id", "correct"])
            right |= plain(pc.is_in(ids, judged["question_id"].filter(judged["correct"]).combine_chunks()))
    return right


def groups_of(evaluation: Evaluation) -> dict[str, Path]:
    """The inputs that name the group of each question, whose questions are not independent: hash of the rows -> file.

    Raises WhatifError when an input is unreadable.
    """
    named = {"question_id", "group_id"}
    return {content: path for content, path in evaluation.other_inputs.items() if named <= columns_of(path)}


def _correct(path: Path) -> npt.NDArray[np.bool_]:
    try:
        return plain(read(path, ["correct"])["correct"]).astype(np.bool_)
    except ValueError as error:
        raise WhatifError(f"{path}: does not say of each answer whether it is right ({error})") from None


class QuestionSet:
    """The questions of one artifact or of its parts; columns are decoded when they are needed."""

    def __init__(self, columns: Columns, paths: Sequence[Path], groups: Sequence[Path] = ()) -> None:
        self._columns, self._paths, self._groups = columns, paths, groups

    def column(self, name: str) -> Column:
        return self._columns.column(self._paths, name)

    @cached_property
    def ids(self) -> pa.Array:
        return _array(self.column("question_id"))

    def texts(self, names: Sequence[str]) -> pa.Array:
        """Some columns as one text for each question, which is the same exactly if all of them are."""
        return pc.binary_join_element_wise(*(_text(_array(self.column(name))) for name in names), _SEPARATOR)

    def same(self, other: Texts, names: Sequence[str]) -> bool:
        """Whether these columns of the same questions have the same bytes, so that nothing need be decoded."""
        columns = ("question_id", *names)
        return self is other or (
            isinstance(other, QuestionSet) and all(self.column(name) == other.column(name) for name in columns)
        )

    @cached_property
    def _clusters(self) -> Codes:
        """The group of each question, or its first image, or its pair if it has no image."""
        about = _first(_array(self.column("image_ids")), _array(self.column("pair_id")))
        for path in self._groups:
            table = read(path, ["question_id", "group_id"]).combine_chunks()
            places = pc.index_in(self.ids, value_set=table["question_id"])
            about = pc.coalesce(table["group_id"].combine_chunks().take(places), about)
        return codes(about)

    def rows_of(self, keys: Column) -> Rows:
        """The rows of the questions with these ids. Raises WhatifError when one of them is not there."""
        places = None
        if keys.digests != self.column("question_id").digests:
            asked = _array(keys)
            if not asked.equals(self.ids):
                found = pc.index_in(asked, value_set=self.ids)
                if found.null_count:
                    lost = asked.filter(found.is_null())[0].as_py()
                    raise WhatifError(f"{keys.paths[0]}: has answers to {lost}, which is not among its questions")
                places = plain(found).astype(np.int64)
        return Rows(
            keys=_array(keys),
            variant=labelled(_array(self.column("variant")), places),
            group=labelled(_array(self.column("group")), places),
            clusters=taken(self._clusters, places),
            questions=self,
            places=places,
        )


def _array(column: Column) -> pa.Array:
    values = column.values()
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()


def _text(values: pa.Array) -> pa.Array:
    texts = pc.binary_join(values, _INNER) if pa.types.is_list(values.type) else values
    return pc.fill_null(texts, _OPEN) if texts.null_count else texts


def _first(lists: pa.Array, otherwise: pa.Array) -> pa.Array:
    """The first text of each list, or the text of `otherwise` for an empty list."""
    offsets = plain(lists.offsets)
    if np.all(offsets[1:] > offsets[:-1]):
        return lists.values.take(lists.offsets.slice(0, len(lists)))
    first = pc.binary_join(pc.list_slice(lists, 0, 1), "")
    return pc.if_else(pc.greater(pc.list_value_length(lists), 0), first, otherwise)
