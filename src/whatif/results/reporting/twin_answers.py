"""The answers of all models to original questions and to their counterfactual twins, in arrays."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.engine.params.model_entries import RankingRule
from whatif.scoring.published_extraction.rules import PUBLISHED_RULES, PublishedRules, published_correct
from whatif.scoring.ranking_rules import RULES, choices_by

VARIANTS = ("original", "counterfactual")
STATUSES = ("ok", "ambiguous", "none", "error")
# The sets of published rules by the name of their measure, in the order of the columns.
BY_RULES: dict[str, PublishedRules] = {"legacy" if rules == "c-vqa" else rules: rules for rules in PUBLISHED_RULES}
# The columns that are read from each table. Only the presence of `choice_scores` is needed where the rule of ranking is
# that of `answer`. Only the presence of `response` is needed if all questions are multiple-choice and the published
# rules are not wanted.
PREDICTION_COLUMNS = ("question_id", "model", "response", "choice_scores", "answer", "status", "correct")
QUESTION_COLUMNS = ("question_id", "pair_id", "group", "variant", "question", "choices", "answer", "answer_kind")

Row = Mapping[str, Any]
Rows = Iterable[Row] | Iterable[pa.Table]  # of `predictions` or `questions`: row by row, or as tables
Flags = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int8]
Places = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]

_OK = STATUSES.index("ok")
_RUN = 1 << 12  # number of predictions in a table that is processed separately
_REMEMBERED = 1 << 16  # responses whose answers by published rules are kept in memory
_ASKED = ["answer_kind", "answer", "choices"]  # all that published rules need to know of a question
# Predictions processed together: few enough for memory, enough to read the same response once.
_PIECE, _PIECE_BYTES = 1 << 19, 1 << 26


class TwinAnswers:
    """A compact form of all predictions, in arrays of models x pairs x variants (the original first).

    Each prediction has 8 bytes, and 4 more if scores are read.

    Arrays by prediction:

    - `answered`: whether there is a prediction;
    - `right`: whether it is right;
    - `status`: its index in STATUSES;
    - `letter`: its index in LETTERS (-1 for anything else);
    - `by_rules`: for each of BY_RULES, whether it is right by these published rules (-1 where they do not apply);
    - `said`: whether the response is in words, from which an answer had to be extracted;
    - `chosen`: by rule, the index of the letter that ranking chooses (-1 where nothing was ranked, or the rule needs a
      score that is not known); empty if only the presence of scores was read.

    `correct` (pairs x variants) is the index of the correct letter in LETTERS (-1 for anything else). `group` (pairs)
    is the index of each pair's group in `groups`, which are sorted by name; `sizes` (groups) counts their questions;
    `options` (questions) counts the choices of each question.

    Raises WhatifError when a prediction has an unknown model or question, or when a question is answered twice.
    """

    def __init__(self, predictions: Rows, questions: Rows, models: Iterable[str]) -> None:
        self.models = list(models)
        self._questions = asked = _joined(list(questions), QUESTION_COLUMNS)
        self.question_ids = _whole(asked["question_id"])
        self.options: Places = np.asarray(pc.fill_null(pc.list_value_length(asked["choices"]), 0), dtype=np.int64)
        self.letters = LETTERS[: int(self.options.max(initial=0))]
        self.groups: list[str] = sorted(pc.unique(asked["group"]).to_pylist())
        group = _codes(asked["group"], self.groups)
        self.sizes = np.bincount(group, minlength=len(self.groups))
        pairs = _whole(pc.binary_join_element_wise(asked["group"], asked["pair_id"], "\n"))
        pair = pairs.dictionary_encode().indices.to_numpy().astype(np.int64)
        of_pair = np.unique(pair, return_index=True)[1]
        self.group = group[of_pair]
        self._pair_ids = asked["pair_id"].take(pa.array(of_pair))
        variant = _codes(asked["variant"], VARIANTS)
        if (variant < 0).any():
            raise WhatifError(
                f"question {self.question_ids[int(np.argmin(variant))]}: is neither original nor counterfactual"
            )
        self._place = pair * len(VARIANTS) + variant
        shape = (len(self.models), len(of_pair), len(VARIANTS))
        self.correct: Codes = np.full(shape[1:], -1, dtype=np.int8)
        self.correct.reshape(-1)[self._place] = _codes(asked["answer"], LETTERS)
        self.chosen: dict[RankingRule, Codes] = {}
        self.answered, self.right, self.said = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
        self.status, self.letter = (np.full(shape, -1, dtype=np.int8) for _ in range(2))
        self.by_rules = {measure: np.full(shape, -1, dtype=np.int8) for measure in BY_RULES}
        self._asked = _asked_alike(asked)
        self._first_asked = np.unique(self._asked, return_index=True)[1]
        self._read: dict[tuple[str, int], tuple[int, ...]] = {}
        rows = 0
        for piece in _pieces(predictions):
            self._add(piece, rows := rows + piece.num_rows)

    @property
    def choices(self) -> pa.ChunkedArray:
        """The options of each question, a list of texts or null."""
        return self._questions["choices"]

    def by_pair(self, of_questions: Numbers) -> Numbers:
        """Whole numbers by question (questions x ...) as pairs x variants x ...; -1 where a variant has no question."""
        more = of_questions.shape[1:]
        found = np.full((self.correct.size, *more), -1, dtype=of_questions.dtype)
        found[self._place] = of_questions
        return found.reshape(*self.correct.shape, *more)

    def pair_ids(self, pairs: Places) -> list[str]:
        """The ids of the pairs at these indices."""
        return [str(pair) for pair in self._pair_ids.take(pa.array(pairs)).to_pylist()]

    def _add(self, piece: pa.Table, rows: int) -> None:
        """Adds a chunk of the predictions; `rows` is the number of predictions including this chunk."""
        model = _codes(piece["model"], self.models)
        if (model < 0).any():
            unknown = piece["model"][int(np.argmin(model))].as_py()
            raise WhatifError(f"predictions: model {unknown!r} is not in params.yaml ({', '.join(self.models)})")
        question = self._questions_in_order(piece["question_id"])
        in_order = question is not None and bool((model == model[0]).all())
        if question is None:
            question = _codes(piece["question_id"], self.question_ids)
            if (question < 0).any():
                self._refuse(piece, int(np.argmin(question)), "is not in the questions")
        place = model * (self.answered[0].size) + self._place[question]
        before = self.answered.reshape(-1)[place]
        self.answered.reshape(-1)[place] = True
        # Within a run of questions in order, one model's answers have no duplicates.
        if before.any() if in_order else np.count_nonzero(self.answered) < rows:
            before[np.setdiff1d(np.arange(len(place)), np.unique(place, return_index=True)[1])] = True
            self._refuse(piece, int(np.argmax(before)), "is answered twice")
        status, right = _codes(piece["status"], STATUSES), piece["correct"].to_numpy().astype(np.bool_)
        ranked = piece["choice_scores"]
        is_flag = pa.types.is_boolean(ranked.type)
        said = piece["response"]
        said = said if pa.types.is_boolean(said.type) else said.is_valid()
        in_words = said.to_numpy() & ~(ranked if is_flag else ranked.is_valid()).to_numpy()
        given = status != STATUSES.index("error")
        in_words &= given
        if not is_flag:
            self._add_chosen(ranked, place, status)
        for array, values in (
            (self.status, status),
            (self.right, right),
            (self.letter, _codes(piece["answer"], LETTERS)),
            (self.said, in_words),
        ):
            array.reshape(-1)[place] = values
        of_words = self._by_rules(piece, question, in_words)
        for by_rules, column in zip(self.by_rules.values(), of_words.T, strict=True):
            by_rules.reshape(-1)[place] = right & given
            by_rules.reshape(-1)[place[in_words]] = column

    def _add_chosen(self, scores: pa.ChunkedArray, place: Places, status: Places) -> None:
        """Adds what each rule of ranking chooses. An answer that is not `ok` chooses nothing."""
        if scores.null_count == len(scores):
            return
        for rule in RULES:
            by_rule = self.chosen.setdefault(rule, np.full(self.status.shape, -1, dtype=np.int8))
            by_rule.reshape(-1)[place] = np.where(status == _OK, choices_by(scores, rule), -1)

    def _questions_in_order(self, ids: pa.ChunkedArray) -> Places | None:
        """The indices of questions if they are consecutive in the table of all questions, otherwise None.

        A model's file has a run of all questions in their order. Comparing two runs is much faster than looking up each
        id.
        """
        if pa.types.is_dictionary(ids.type) or not len(ids):
            return None
        # Questions are sorted by id; if they are not, the search finds a different one.
        first = bisect_left(
            range(len(self.question_ids)), ids[0].as_py(), key=lambda row: self.question_ids[row].as_py()
        )
        here = self.question_ids.slice(first, len(ids))
        if not pa.chunked_array([here]).equals(ids):
            return None
        return np.arange(first, first + len(ids))

    def _by_rules(self, piece: pa.Table, question: Places, in_words: Flags) -> npt.NDArray[np.int8]:
        """Responses in words x BY_RULES: 1 if right by these rules, 0 if wrong, -1 if they do not apply.

        A response is read once for all questions with the same right answer and the same options.
        """
        rows = np.flatnonzero(in_words)
        if not rows.size or pa.types.is_boolean(piece["response"].type):
            is_open = _codes(self._questions["answer_kind"].take(pa.array(question[rows])), ("number", "boolean")) >= 0
            if is_open.any():
                self._refuse(piece, int(rows[is_open][0]), "is open, so that its response must be read")
            return np.full((rows.size, len(BY_RULES)), -1, dtype=np.int8)
        responses = piece["response"].take(pa.array(rows)).combine_chunks().dictionary_encode()
        asked, place_of_asked = np.unique(self._asked[question[rows]], return_inverse=True)
        read = responses.indices.to_numpy().astype(np.int64) * len(asked) + place_of_asked
        read, place = np.unique(read, return_inverse=True)
        texts = responses.dictionary.take(pa.array(read // len(asked))).to_pylist()
        keys = list(zip(texts, asked[read % len(asked)].tolist(), strict=True))
        unread = [place for place, key in enumerate(keys) if key not in self._read]
        if len(self._read) + len(unread) > _REMEMBERED:
            self._read.clear()
            unread = list(range(len(keys)))
        questions = self._questions.select(_ASKED).take(pa.array(self._first_asked[[keys[at][1] for at in unread]]))
        for at, of_asked in zip(unread, questions.to_pylist(), strict=True):
            self._read[keys[at]] = _right_by_rules(keys[at][0], of_asked)
        return np.array([self._read[key] for key in keys], dtype=np.int8)[place]

    def _refuse(self, piece: pa.Table, row: int, why: str) -> None:
        model, question = (piece[name][row].as_py() for name in ("model", "question_id"))
        raise WhatifError(f"predictions of {model}: question {question!r} {why}")


def _asked_alike(questions: pa.Table) -> Places:
    """The same number for questions with the same kind of answer, right answer and options."""
    choices = _whole(questions["choices"])
    # Options as numbers: however they are written, two lists differ if their options do.
    options = choices.flatten().dictionary_encode().indices.cast(pa.string())
    ends = np.cumsum(pc.fill_null(pc.list_value_length(choices), 0).to_numpy(zero_copy_only=False))
    offsets = pa.array(np.append(0, ends).astype(np.int32))
    listed = pc.binary_join(pa.ListArray.from_arrays(offsets, options), ",")
    kinds, answers = (_whole(questions[name]) for name in ("answer_kind", "answer"))
    alike = pc.binary_join_element_wise(kinds, answers, listed, "\n", null_handling="replace")
    return np.asarray(alike.dictionary_encode().indices, dtype=np.int64)


def _right_by_rules(response: str, question: Row) -> tuple[int, ...]:
    prediction = {"response": response, "choice_scores": None, "status": "ok"}
    right = (published_correct(prediction, question, rules) for rules in BY_RULES.values())
    return tuple(-1 if one is None else int(one) for one in right)


def _pieces(predictions: Rows) -> Iterator[pa.Table]:
    """Predictions in tables, each of consecutive rows and, where they come as large tables, of one model."""
    waiting: list[Any] = []
    rows, size, model = 0, 0, None
    for one in predictions:
        of = one["model"][0].as_py() if isinstance(one, pa.Table) and one.num_rows >= _RUN else None
        if waiting and (rows >= _PIECE or size >= _PIECE_BYTES or of != model):
            yield _joined(waiting, PREDICTION_COLUMNS)
            waiting, rows, size = [], 0, 0
        waiting.append(one)
        rows, size = (rows + one.num_rows, size + one.nbytes) if isinstance(one, pa.Table) else (rows + 1, size)
        model = of
    if waiting:
        yield _joined(waiting, PREDICTION_COLUMNS)


def _joined(pieces: Sequence[Any], columns: Sequence[str]) -> pa.Table:
    if pieces and isinstance(pieces[0], pa.Table):
        return pa.concat_tables(pieces).select(list(columns))
    made = {name: [row.get(name) for row in pieces] for name in columns}
    if "choice_scores" in made:
        made["choice_scores"] = [scores is not None for scores in made["choice_scores"]]
    kinds = {"choices": pa.list_(pa.string()), "choice_scores": pa.bool_(), "correct": pa.bool_()}
    return pa.table({name: pa.chunked_array([values], kinds.get(name, pa.string())) for name, values in made.items()})


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _codes(column: pa.ChunkedArray, values: Sequence[str] | pa.Array) -> Places:
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
