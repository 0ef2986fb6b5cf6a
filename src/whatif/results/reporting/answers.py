"""The answers of all systems to all questions, in arrays; a system is a model with a prompting strategy."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.engine.params.model_entries import RankingRule
from whatif.scoring.ranking_rules import RULES, STORED, choices_by

STATUSES = ("ok", "ambiguous", "none", "error")
# The columns that are read from `predictions`. Where all were asked with one strategy, `strategy` is not needed.
COLUMNS = ("question_id", "model", "strategy", "choice_scores", "answer", "status", "correct")

System: TypeAlias = tuple[str, str]  # keys of a model and a strategy; the strategy is empty where there is only one
Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Iterable[Row] | Iterable[pa.Table]  # row by row, or as tables
Flags: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.int8]
Places: TypeAlias = npt.NDArray[np.int64]
Numbers: TypeAlias = npt.NDArray[np.int32]

_OK, _ERROR = STATUSES.index("ok"), STATUSES.index("error")
_RUN = 1 << 12  # number of predictions in a table that is processed separately
# Predictions processed together: few enough for memory, enough to read the same response once.
_PIECE, _PIECE_BYTES = 1 << 19, 1 << 26


class Questions(Protocol):
    """Questions in arrays: their ids, and the index of the correct letter of each slot (`Answers.slots`)."""

    @property
    def ids(self) -> pa.Array: ...
    @property
    def correct(self) -> Codes: ...


Asked = TypeVar("Asked", bound=Questions)


class Answers(Generic[Asked]):
    """All predictions, in arrays of systems x slots; a slot is a question, in the order of their ids.

    - `asked`: whether there is a prediction;
    - `right`: whether it is right; a question without an answer is wrong;
    - `status`: its index in STATUSES;
    - `letter`: the index of the answered letter in LETTERS, -1 for none;
    - `chosen`: by rule, the index of the letter that ranking chooses, -1 where nothing was ranked or the rule needs a
      score that is not known; empty if no scores were read.

    Each prediction has 4 bytes, and 4 more if scores are read. Raises WhatifError when a prediction is of an unknown
    system or question, and when a question is answered twice.
    """

    columns: Sequence[str] = COLUMNS

    def __init__(self, predictions: Rows, questions: Asked, systems: Iterable[System]) -> None:
        self.questions = questions
        self.systems = list(systems)
        shape = (len(self.systems), *questions.correct.shape)
        self.asked, self.right = (np.zeros(shape, dtype=np.bool_) for _ in range(2))
        self.status, self.letter = (np.full(shape, -1, dtype=np.int8) for _ in range(2))
        self.chosen: dict[RankingRule, Codes] = {}
        self._names = pa.array([_joined_name(system) for system in self.systems], pa.string())
        rows = 0
        for piece in _pieces(predictions, self.columns):
            if piece.num_rows:
                self._add(piece, rows := rows + piece.num_rows)

    @property
    def slots(self) -> Places:
        """The slot of each question, as an index of the flat array `questions.correct`."""
        return np.arange(len(self.questions.ids))

    @property
    def models(self) -> list[str]:
        """The key of each system's model."""
        return [model for model, _ in self.systems]

    @property
    def answered(self) -> Flags:
        """Whether the status of each prediction is `ok`."""
        return np.asarray(self.status == _OK)

    def rank_by(self, rule: RankingRule) -> list[System]:
        """Decides again, by `rule`, which options were chosen by ranking.

        A question whose scores lack what the rule needs becomes an error. Returns the systems that lack it for all of
        their questions: their choices remain those of the mean.
        """
        without = []
        for place, system in enumerate(self.systems if self.chosen and rule != STORED else ()):
            ranked, by_rule = self.chosen[STORED][place] >= 0, self.chosen[rule][place]
            if ranked.any() and not (by_rule[ranked] >= 0).any():
                without.append(system)
            elif ranked.any():
                right = by_rule == self.questions.correct
                self._decide(place, ranked, by_rule, right)
        return without

    def _decide(self, place: int, ranked: Flags, letter: Codes, right: Flags) -> None:
        """Replaces the choices of a system where it ranked options."""
        self.letter[place][ranked] = letter[ranked]
        self.right[place][ranked] = right[ranked]
        self.status[place][ranked & (letter < 0)] = _ERROR

    def check_asked(self, wanted: Callable[[int], Flags]) -> None:
        """Raises WhatifError when the questions with a prediction are not those that a system was asked.

        `wanted` returns, for the index of a system, whether it was asked each question.
        """
        for place, system in enumerate(self.systems):
            expected = wanted(place)
            if (expected != self.asked[place]).any():
                raise WhatifError(
                    f"predictions of {_named(system)}: there are {int(self.asked[place].sum()):,} for "
                    f"{int(expected.sum()):,} questions; ask it again"
                )

    def _add(self, piece: pa.Table, rows: int) -> None:
        """Adds a piece of the predictions; `rows` is the number of predictions including this piece."""
        whose = piece["model"]
        if "strategy" in piece.column_names:
            names = (piece[name].cast(pa.string()) for name in ("model", "strategy"))
            whose = pc.binary_join_element_wise(*names, "\n")
        system = codes_of(whose, self._names)
        question = self._questions_in_order(piece["question_id"])
        in_order = question is not None and bool((system == system[0]).all())
        if question is None:
            question = codes_of(piece["question_id"], self.questions.ids)
        for places, what in ((system, "is of a system that was not evaluated"), (question, "is not in the questions")):
            if (places < 0).any():
                raise refused(piece, int(np.argmin(places)), what)
        place = system * self.questions.correct.size + self.slots[question]
        before = self.asked.reshape(-1)[place]
        self.asked.reshape(-1)[place] = True
        # Within a run of questions in order, one system's answers have no duplicates.
        if before.any() if in_order else np.count_nonzero(self.asked) < rows:
            before[np.setdiff1d(np.arange(len(place)), np.unique(place, return_index=True)[1])] = True
            raise refused(piece, int(np.argmax(before)), "is answered twice")
        status = codes_of(piece["status"], STATUSES)
        self.status.reshape(-1)[place] = status
        self.right.reshape(-1)[place] = (status == _OK) & piece["correct"].to_numpy().astype(np.bool_)
        self.letter.reshape(-1)[place] = np.where(status == _OK, codes_of(piece["answer"], LETTERS), -1)
        scores = piece["choice_scores"]
        for rule in RULES if not pa.types.is_boolean(scores.type) and scores.null_count < len(scores) else ():
            by_rule = self.chosen.setdefault(rule, np.full(self.status.shape, -1, dtype=np.int8))
            by_rule.reshape(-1)[place] = np.where(status == _OK, choices_by(scores, rule), -1)
        self._add_words(piece, question, place)

    def _add_words(self, piece: pa.Table, question: Places, place: Places) -> None:
        """Adds what else is known of the responses of a piece, by the indices of their questions and slots."""

    def _questions_in_order(self, ids: pa.ChunkedArray) -> Places | None:
        """The indices of questions if they are consecutive in the table of all questions, otherwise None.

        A model's file has a run of all questions in their order. Comparing two runs is much faster than looking up each
        id.
        """
        known = self.questions.ids
        if pa.types.is_dictionary(ids.type) or not len(ids):
            return None
        # Questions are sorted by id; if they are not, the search finds a different one.
        first = bisect_left(range(len(known)), ids[0].as_py(), key=lambda row: known[row].as_py())
        here = known.slice(first, len(ids))
        if not pa.chunked_array([here]).equals(ids):
            return None
        return np.arange(first, first + len(ids))


def refused(piece: pa.Table, row: int, why: str) -> WhatifError:
    """The error about a prediction, given by its row in a piece."""
    columns = [name for name in ("model", "strategy", "question_id") if name in piece.column_names]
    model, *strategy, question = (piece[name][row].as_py() for name in columns)
    return WhatifError(f"predictions of {_named((model, *strategy, '')[:2])}: question {question!r} {why}")


def codes_of(column: pa.ChunkedArray, values: Sequence[str] | pa.Array) -> Places:
    """The index of each text of a column in `values`; -1 for any other text and for none."""
    known = values if isinstance(values, pa.Array) else pa.array(list(values), pa.string())
    if not pa.types.is_dictionary(column.type):
        return np.asarray(pc.fill_null(pc.index_in(column, known), -1), dtype=np.int64)
    found = [np.zeros(0, dtype=np.int64)]
    for chunk in column.chunks:
        of_words = pc.fill_null(pc.index_in(chunk.dictionary, known), -1).to_numpy(zero_copy_only=False)
        indices = pc.fill_null(chunk.indices, len(of_words)).to_numpy(zero_copy_only=False)
        found.append(np.append(of_words, -1).astype(np.int64)[indices])
    return np.concatenate(found)


def as_table(pieces: Sequence[Any], columns: Sequence[str]) -> pa.Table:
    """Some columns of tables, or of rows, as one table."""
    if pieces and isinstance(pieces[0], pa.Table):
        return pa.concat_tables(pieces).select([name for name in columns if name in pieces[0].column_names])
    made = {name: [row.get(name) for row in pieces] for name in columns}
    if "choice_scores" in made:
        made["choice_scores"] = [scores is not None for scores in made["choice_scores"]]
    kinds = {"choices": pa.list_(pa.string()), "choice_scores": pa.bool_(), "correct": pa.bool_()}
    return pa.table({name: pa.chunked_array([values], kinds.get(name, pa.string())) for name, values in made.items()})


def _pieces(predictions: Rows, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Predictions in tables, each of consecutive rows and, where they come as large tables, of one model."""
    waiting: list[Any] = []
    rows, size, model = 0, 0, None
    for one in predictions:
        of = one["model"][0].as_py() if isinstance(one, pa.Table) and one.num_rows >= _RUN else None
        if waiting and (rows >= _PIECE or size >= _PIECE_BYTES or of != model):
            yield as_table(waiting, columns)
            waiting, rows, size = [], 0, 0
        waiting.append(one)
        rows, size = (rows + one.num_rows, size + one.nbytes) if isinstance(one, pa.Table) else (rows + 1, size)
        model = of
    if waiting:
        yield as_table(waiting, columns)


def _joined_name(system: System) -> str:
    return "\n".join(system) if system[1] else system[0]


def _named(system: Sequence[str]) -> str:
    model, strategy = system
    return f"{model} with the strategy {strategy}" if strategy else model
