"""The answers of all systems to all questions, in arrays; a system is a model with a prompting strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.engine.params.model_entries import RankingRule
from whatif.scoring.ranking_rules import RULES, STORED, choices_by

# The columns that are read from `predictions`.
COLUMNS = ("question_id", "model", "strategy", "choice_scores", "answer", "status", "correct")
System: TypeAlias = tuple[str, str]  # keys of a model and a strategy
Flags: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.int8]
Places: TypeAlias = npt.NDArray[np.int64]


class Questions(Protocol):
    """Questions in arrays, one entry for each, in ascending order of their ids."""

    @property
    def ids(self) -> pa.Array: ...

    @property
    def correct(self) -> Codes:
        """Index of the correct letter."""
        ...


Asked = TypeVar("Asked", bound=Questions)


class SystemAnswers(Generic[Asked]):
    """The answers of all systems, in arrays of systems x questions.

    - `asked`: whether the system was asked the question;
    - `right`: whether it answered correctly; a question without an answer is wrong;
    - `answered`: whether its status is `ok`;
    - `letter`: index of the chosen letter, -1 for none;
    - `chosen`: by rule of ranking, index of the letter that it chooses, -1 where nothing was ranked or the rule needs a
      score that is not known.

    Raises WhatifError when a prediction is of an unknown system or question, and when a question is answered twice.
    """

    def __init__(self, predictions: Iterable[pa.Table], questions: Asked, systems: Sequence[System]) -> None:
        """`predictions` have COLUMNS."""
        self.questions = questions
        self.systems = list(systems)
        shape = (len(self.systems), len(questions.ids))
        self.asked, self.right, self.answered = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
        self.letter: Codes = np.full(shape, -1, dtype=np.int8)
        self.chosen: dict[RankingRule, Codes] = {rule: np.full(shape, -1, dtype=np.int8) for rule in RULES}
        names = pa.array(["\n".join(system) for system in self.systems], pa.string())
        for piece in predictions:
            if piece.num_rows:
                self._add(piece, names)

    def rank_by(self, rule: RankingRule) -> list[System]:
        """Decides again, by `rule`, which options were chosen by ranking.

        A question whose scores lack what the rule needs becomes unanswered. Returns the systems that lack it for all of
        their questions: their choices remain those of the mean.
        """
        without = []
        for place, system in enumerate(self.systems):
            ranked, by_rule = self.chosen[STORED][place] >= 0, self.chosen[rule][place]
            if rule == STORED or not ranked.any():
                continue
            if not (by_rule[ranked] >= 0).any():
                without.append(system)
                continue
            self.letter[place][ranked] = by_rule[ranked]
            self.answered[place][ranked] = by_rule[ranked] >= 0
            self.right[place][ranked] = (by_rule == self.questions.correct)[ranked]
        return without

    def check_asked(self, wanted: Callable[[int], Flags]) -> None:
        """Raises WhatifError when the questions with a prediction are not those that a system was asked.

        `wanted` returns, for the index of a system, whether it was asked each question.
        """
        for place, (model, strategy) in enumerate(self.systems):
            expected = wanted(place)
            if (expected != self.asked[place]).any():
                raise WhatifError(
                    f"predictions of {model} with the strategy {strategy}: there are {int(self.asked[place].sum()):,} "
                    f"for {int(expected.sum()):,} questions; ask it again"
                )

    def _add(self, piece: pa.Table, names: pa.Array) -> None:
        whose = pc.binary_join_element_wise(piece["model"], piece["strategy"], "\n")
        system, question = _places(whose, names), _places(piece["question_id"], self.questions.ids)
        for places, what in ((system, "is of a system that was not evaluated"), (question, "is not in the questions")):
            if (places < 0).any():
                raise _refused(piece, int(np.argmin(places)), what)
        at = (system, question)
        known = self.asked[at]
        first = np.unique(system * len(self.questions.ids) + question, return_index=True)[1]
        if known.any() or len(first) < len(system):
            known[np.setdiff1d(np.arange(len(system)), first)] = True
            raise _refused(piece, int(np.argmax(known)), "is answered twice")
        answered = np.asarray(pc.equal(piece["status"], "ok"))
        self.asked[at] = True
        self.answered[at] = answered
        self.right[at] = answered & np.asarray(piece["correct"])
        self.letter[at] = np.where(answered, _places(piece["answer"], pa.array(list(LETTERS))), -1)
        scores = piece["choice_scores"]
        for rule in RULES if scores.null_count < len(scores) else ():
            self.chosen[rule][at] = np.where(answered, choices_by(scores, rule), -1)


def _places(column: pa.ChunkedArray, values: pa.Array) -> Places:
    """The index of each text of a column in `values`; -1 for any other text and for none."""
    found = pc.fill_null(pc.index_in(column.cast(pa.string()), values), -1)
    return np.asarray(found, dtype=np.int64)


def _refused(piece: pa.Table, row: int, why: str) -> WhatifError:
    model, strategy, question = (piece[name][row].as_py() for name in ("model", "strategy", "question_id"))
    return WhatifError(f"predictions of {model} with the strategy {strategy}: question {question!r} {why}")
