"""The answers of all models to pairs of original and counterfactual questions, in arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.results.reporting.answer_codes import NO_ANSWER, AnswerCodes, open_codes
from whatif.results.reporting.answers import (
    STATUSES,
    Answers,
    Codes,
    Flags,
    Numbers,
    Places,
    Row,
    Rows,
    System,
    as_table,
    codes_of,
    refused,
)
from whatif.scoring.published_extraction.rules import PUBLISHED_RULES, PublishedRules, published_correct

VARIANTS = ("original", "counterfactual")
# The sets of published rules by the name of their measure, in the order of the columns.
BY_RULES: dict[str, PublishedRules] = {"legacy" if rules == "c-vqa" else rules: rules for rules in PUBLISHED_RULES}
# The columns that are read from each table. Only the presence of `choice_scores` is needed where the rule of ranking is
# that of `answer`. Only the presence of `response` is needed if all questions are multiple-choice and the published
# rules are not wanted.
PREDICTION_COLUMNS = ("question_id", "model", "response", "choice_scores", "answer", "status", "correct")
QUESTION_COLUMNS = ("question_id", "pair_id", "group", "variant", "choices", "answer", "answer_kind")
_REMEMBERED = 1 << 16  # responses whose answers by published rules are kept in memory
_ASKED = ["answer_kind", "answer", "choices"]  # all that published rules need to know of a question


@dataclass(frozen=True, eq=False)
class QuestionPairs:
    """Questions in pairs. A slot is a pair and a variant, the original first: arrays of slots are pairs x 2.

    asked: the right answers and options that there are, one row for each kind (`_ASKED`); alike: the row of each
    question there. ids: the ids of the questions; slots: the slot of each. correct: the index of the correct letter of
    each slot in LETTERS, -1 for anything else. groups: names of the groups, sorted; group: the index of each pair's
    group; sizes: the number of questions of each group. pair_id: the id of each pair. options: the number of options of
    each question.
    """

    asked: pa.Table
    alike: Numbers
    ids: pa.Array
    slots: Places
    correct: Codes
    groups: list[str]
    group: Places
    sizes: Places
    pair_id: pa.Array
    options: Places

    @classmethod
    def of(cls, rows: Rows) -> QuestionPairs:
        """Rows of `questions`. Raises WhatifError for one that is neither original nor counterfactual."""
        asked = as_table(list(rows), QUESTION_COLUMNS)
        ids = _whole(asked["question_id"])
        groups: list[str] = sorted(pc.unique(asked["group"]).to_pylist())
        group = codes_of(asked["group"], groups)
        pair_ids = _whole(asked["pair_id"])
        of_pair_id = pair_ids.dictionary_encode().indices.to_numpy().astype(np.int64)
        pair = pa.array(of_pair_id * len(groups) + group).dictionary_encode().indices.to_numpy().astype(np.int64)
        of_pair = np.unique(pair, return_index=True)[1]
        variant = codes_of(asked["variant"], VARIANTS)
        if (variant < 0).any():
            raise WhatifError(f"question {ids[int(np.argmin(variant))]}: is neither original nor counterfactual")
        slots = pair * len(VARIANTS) + variant
        correct: Codes = np.full((len(of_pair), len(VARIANTS)), -1, dtype=np.int8)
        correct.reshape(-1)[slots] = codes_of(asked["answer"], LETTERS)
        sizes = np.bincount(group, minlength=len(groups))
        options = np.asarray(pc.fill_null(pc.list_value_length(asked["choices"]), 0), dtype=np.int64)
        alike = _asked_alike(asked)
        kinds = asked.select(_ASKED).take(pa.array(np.unique(alike, return_index=True)[1])).combine_chunks()
        pair_id = pair_ids.take(pa.array(of_pair))
        return cls(kinds, alike, ids, slots, correct, groups, group[of_pair], sizes, pair_id, options)

    @cached_property
    def codes(self) -> AnswerCodes:
        """The codes of answers to the questions."""
        return AnswerCodes.of(self.asked, self.alike)

    @property
    def letters(self) -> str:
        """The letters of the options."""
        return LETTERS[: int(self.options.max(initial=0))]

    def pair_ids(self, pairs: Places | None = None) -> list[str]:
        """The ids of the pairs at these indices, of all by default."""
        some = self.pair_id if pairs is None else self.pair_id.take(pa.array(pairs))
        return [str(pair) for pair in some.to_pylist()]

    def by_pair(self, of_questions: Numbers) -> Numbers:
        """Whole numbers by question (questions x ...) as pairs x variants x ...; -1 where a variant has no question."""
        more = of_questions.shape[1:]
        found = np.full((self.correct.size, *more), -1, dtype=of_questions.dtype)
        found[self.slots] = of_questions
        return found.reshape(*self.correct.shape, *more)

    def grouped(self, by_pair: Mapping[str, str]) -> QuestionPairs:
        """The same questions in other groups, each of a pair's id."""
        names = [by_pair[pair] for pair in self.pair_ids()]
        groups = sorted(set(names))
        group = np.array([groups.index(name) for name in names], dtype=np.int64)
        sizes = np.bincount(group[self.slots // len(VARIANTS)], minlength=len(groups))
        return replace(self, groups=groups, group=group, sizes=sizes)


class QuestionPairAnswers(Answers[QuestionPairs]):
    """All predictions, in arrays of systems x pairs x variants; models that were asked with one strategy are systems.

    There are further arrays, so that each prediction has 8 bytes, and 4 more if scores are read or questions are open:

    - `in_words`: whether the response is in words, from which an answer had to be extracted;
    - `by_rules`: for each of BY_RULES, whether it is right by these published rules (-1 where they do not apply);
    - `open_answers`: codes of the answers to open questions (`QuestionPairs.codes`), -1 for none; None if there are no
      such questions.
    """

    def __init__(self, predictions: Rows, questions: Rows, systems: Iterable[str | System]) -> None:
        asked = QuestionPairs.of(questions)
        keys = [(key, "") if isinstance(key, str) else key for key in systems]
        self.columns = (*PREDICTION_COLUMNS, *(["strategy"] if any(strategy for _, strategy in keys) else []))
        shape = (len(keys), *asked.correct.shape)
        self.in_words = np.zeros(shape, dtype=np.bool_)
        self.by_rules = {measure: np.full(shape, -1, dtype=np.int8) for measure in BY_RULES}
        self.open_answers = None if asked.options.all() else np.full(shape, NO_ANSWER, dtype=np.int32)
        self._read: dict[tuple[str, int], tuple[int, ...]] = {}
        super().__init__(predictions, asked, keys)

    @property
    def slots(self) -> Places:
        """The slot of each question."""
        return self.questions.slots

    @cached_property
    def asked_whole(self) -> Flags:
        """Whether there is a prediction for both questions of a pair (systems x pairs)."""
        return np.logical_and(self.asked[..., 0], self.asked[..., 1])

    def grouped(self, by_pair: Mapping[str, str]) -> QuestionPairAnswers:
        """The same answers in other groups, each of a pair's id; the arrays are shared."""
        other = copy(self)
        other.questions = self.questions.grouped(by_pair)
        return other

    def _decide(self, place: int, ranked: Flags, letter: Codes, right: Flags) -> None:
        super()._decide(place, ranked, letter, right)
        for by_published in self.by_rules.values():
            by_published[place][ranked] = right[ranked]

    def _add_words(self, piece: pa.Table, question: Places, place: Places) -> None:
        if self.open_answers is not None:
            kinds = self._kinds(question)
            codes = open_codes(piece["answer"], kinds, self.questions.codes.known)
            given = self.answered.reshape(-1)[place] & (self.questions.options[question] == 0)
            self.open_answers.reshape(-1)[place] = np.where(given, codes, NO_ANSWER)
        ranked, responses = piece["choice_scores"], piece["response"]
        is_flag = pa.types.is_boolean(ranked.type)
        responses = responses if pa.types.is_boolean(responses.type) else responses.is_valid()
        in_words = responses.to_numpy() & ~(ranked if is_flag else ranked.is_valid()).to_numpy()
        given = codes_of(piece["status"], STATUSES) != STATUSES.index("error")
        in_words &= given
        self.in_words.reshape(-1)[place] = in_words
        right = self.right.reshape(-1)[place]
        of_words = self._by_rules(piece, question, in_words)
        for by_rules, column in zip(self.by_rules.values(), of_words.T, strict=True):
            by_rules.reshape(-1)[place] = right & given
            by_rules.reshape(-1)[place[in_words]] = column

    def _kinds(self, question: Places) -> pa.ChunkedArray:
        """The kinds of the answers to these questions."""
        return self.questions.asked["answer_kind"].take(pa.array(self.questions.alike[question]))

    def _by_rules(self, piece: pa.Table, question: Places, in_words: Flags) -> npt.NDArray[np.int8]:
        """Responses in words x BY_RULES: 1 if right by these rules, 0 if wrong, -1 if they do not apply.

        A response is read once for all questions with the same right answer and the same options.
        """
        rows = np.flatnonzero(in_words)
        if not rows.size or pa.types.is_boolean(piece["response"].type):
            is_open = codes_of(self._kinds(question[rows]), ("number", "boolean")) >= 0
            if is_open.any():
                raise refused(piece, int(rows[is_open][0]), "is open, so that its response must be read")
            return np.full((rows.size, len(BY_RULES)), -1, dtype=np.int8)
        responses = piece["response"].take(pa.array(rows)).combine_chunks().dictionary_encode()
        alike, place_of_alike = _distinct(self.questions.alike[question[rows]].astype(np.int64))
        read, place = _distinct(responses.indices.to_numpy().astype(np.int64) * len(alike) + place_of_alike)
        texts = responses.dictionary.take(pa.array(read // len(alike))).to_pylist()
        keys = list(zip(texts, alike[read % len(alike)].tolist(), strict=True))
        unread = [place for place, key in enumerate(keys) if key not in self._read]
        if len(self._read) + len(unread) > _REMEMBERED:
            self._read.clear()
            unread = list(range(len(keys)))
        questions = self.questions.asked.take(pa.array([keys[at][1] for at in unread], pa.int64()))
        for at, of_asked in zip(unread, questions.to_pylist(), strict=True):
            self._read[keys[at]] = _right_by_rules(keys[at][0], of_asked)
        return np.array([self._read[key] for key in keys], dtype=np.int8)[place]


def _asked_alike(questions: pa.Table) -> Numbers:
    """The same number for questions with the same kind of answer, right answer and options: from 0, as they come."""
    choices = _whole(questions["choices"])
    # Options as numbers: however they are written, two lists differ if their options do.
    options = choices.flatten().dictionary_encode().indices.cast(pa.string())
    ends = np.cumsum(pc.fill_null(pc.list_value_length(choices), 0).to_numpy(zero_copy_only=False))
    offsets = pa.array(np.append(0, ends).astype(np.int32))
    listed = pc.binary_join(pa.ListArray.from_arrays(offsets, options), ",")
    kinds, answers = (_whole(questions[name]) for name in ("answer_kind", "answer"))
    alike = pc.binary_join_element_wise(kinds, answers, listed, "\n", null_handling="replace")
    return np.asarray(alike.dictionary_encode().indices, dtype=np.int32)


def _distinct(numbers: Places) -> tuple[Places, Places]:
    """The distinct whole numbers from 0, sorted, and the place of each number among them; dense ones are not sorted."""
    if numbers.max() > 4 * len(numbers):
        distinct, place = np.unique(numbers, return_inverse=True)
        return distinct, place
    there = np.zeros(numbers.max() + 1, dtype=np.bool_)
    there[numbers] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]


def _right_by_rules(response: str, question: Row) -> tuple[int, ...]:
    prediction: dict[str, Any] = {"response": response, "choice_scores": None, "status": "ok"}
    right = (published_correct(prediction, question, rules) for rules in BY_RULES.values())
    return tuple(-1 if one is None else int(one) for one in right)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
