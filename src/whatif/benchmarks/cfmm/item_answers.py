"""The answers of all systems to all questions, in arrays; a system is a model with a prompting strategy."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.benchmarks.cfmm.schemas import BASIC, VARIANTS
from whatif.errors import WhatifError
from whatif.language.options import LETTERS
from whatif.params.model_entries import RankingRule
from whatif.scoring.ranking_rules import RULES, STORED, choices_by

# The columns that are read from `predictions`.
COLUMNS = ("question_id", "model", "strategy", "choice_scores", "answer", "status", "correct")
Row = Mapping[str, Any]
System: TypeAlias = tuple[str, str]  # keys of a model and a strategy
Flags: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.int8]
Places: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Asked:
    """The questions in arrays, one entry for each, in ascending order of their ids.

    category: index in `categories`; image: index of the image; basic: index of the basic question of the same item;
    is_basic: whether it is that question; correct: index of the correct letter; options: number of options.
    """

    ids: pa.Array
    items: list[str]
    categories: list[str]
    category: Places
    image: Places
    basic: Places
    is_basic: Flags
    correct: Codes
    options: Places

    @property
    def shared_images(self) -> int:
        """The number of images with items of several categories."""
        pairs = np.unique(np.stack([self.image, self.category]), axis=1)
        return int((np.bincount(pairs[0]) > 1).sum())

    @classmethod
    def of(cls, questions: Iterable[Row], order: Sequence[str] = ()) -> Asked:
        """The rows of `questions`; categories are in the given order, and others follow sorted by name.

        Raises WhatifError when there are none, when one has an unknown variant or no letter as its answer, and when an
        item does not have exactly one basic question.
        """
        rows = sorted(questions, key=lambda row: str(row["question_id"]))
        if not rows:
            raise WhatifError("questions: there are none, so there are no tables")
        found = {row["group"] for row in rows}
        categories = [*(name for name in order if name in found), *sorted(found - set(order))]
        basics: dict[str, int] = {}
        for place, row in enumerate(rows):
            if row["variant"] not in VARIANTS:
                raise WhatifError(
                    f"question {row['question_id']}: its variant {row['variant']!r} is not one of {', '.join(VARIANTS)}"
                )
            if row["answer"] not in LETTERS[: len(row["choices"] or ())]:
                raise WhatifError(
                    f"question {row['question_id']}: its answer {row['answer']!r} is no letter of an option"
                )
            if row["variant"] == BASIC and basics.setdefault(row["pair_id"], place) != place:
                raise WhatifError(f"item {row['pair_id']}: has two basic questions; keep one")
        if lost := next((row["pair_id"] for row in rows if row["pair_id"] not in basics), None):
            raise WhatifError(f"item {lost}: has no basic question; an item needs exactly one")
        images = {name: place for place, name in enumerate(sorted({row["image_ids"][0] for row in rows}))}
        return cls(
            pa.array([row["question_id"] for row in rows], pa.string()),
            [row["pair_id"] for row in rows],
            categories,
            np.array([categories.index(row["group"]) for row in rows]),
            np.array([images[row["image_ids"][0]] for row in rows]),
            np.array([basics[row["pair_id"]] for row in rows]),
            np.array([row["variant"] == BASIC for row in rows]),
            np.array([LETTERS.index(row["answer"]) for row in rows], dtype=np.int8),
            np.array([len(row["choices"]) for row in rows]),
        )


class ItemAnswers:
    """The answers of all systems, in arrays of systems x questions.

    - `asked`: whether the system was asked the question;
    - `right`: whether it answered correctly; a question without an answer is wrong;
    - `answered`: whether its status is `ok`;
    - `letter`: index of the chosen letter, -1 for none;
    - `chosen`: by rule of ranking, index of the letter that it chooses, -1 where nothing was ranked or the rule needs a
      score that is not known.

    Raises WhatifError when a prediction is of an unknown system or question, when a question is answered twice, and
    when one that a system was asked has no prediction.
    """

    def __init__(
        self,
        predictions: Iterable[pa.Table],
        questions: Asked,
        systems: Sequence[System],
        samples: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        """`predictions` have COLUMNS; `samples` names the items that a model was asked, if it was not asked all."""
        self.questions = questions
        self.systems = list(systems)
        shape = (len(self.systems), len(questions.items))
        self.asked, self.right, self.answered = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
        self.letter: Codes = np.full(shape, -1, dtype=np.int8)
        self.chosen: dict[RankingRule, Codes] = {rule: np.full(shape, -1, dtype=np.int8) for rule in RULES}
        names = pa.array(["\n".join(system) for system in self.systems], pa.string())
        for piece in predictions:
            if piece.num_rows:
                self._add(piece, names)
        self._check(samples or {})

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

    def _add(self, piece: pa.Table, names: pa.Array) -> None:
        whose = pc.binary_join_element_wise(piece["model"], piece["strategy"], "\n")
        system, question = _places(whose, names), _places(piece["question_id"], self.questions.ids)
        for places, what in ((system, "is of a system that was not evaluated"), (question, "is not in the questions")):
            if (places < 0).any():
                raise _refused(piece, int(np.argmin(places)), what)
        at = (system, question)
        known = self.asked[at]
        first = np.unique(system * len(self.questions.items) + question, return_index=True)[1]
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

    def _check(self, samples: Mapping[str, Collection[str]]) -> None:
        """Raises WhatifError when the questions with a prediction are not those that a system was asked."""
        items = np.array(self.questions.items)
        for place, (model, strategy) in enumerate(self.systems):
            wanted = np.isin(items, sorted(samples[model])) if model in samples else np.ones(len(items), dtype=np.bool_)
            if (wanted != self.asked[place]).any():
                raise WhatifError(
                    f"predictions of {model} with the strategy {strategy}: there are {int(self.asked[place].sum()):,} "
                    f"for {int(wanted.sum()):,} questions; ask it again"
                )


def _places(column: pa.ChunkedArray, values: pa.Array) -> Places:
    """The index of each text of a column in `values`; -1 for any other text and for none."""
    found = pc.fill_null(pc.index_in(column.cast(pa.string()), values), -1)
    return np.asarray(found, dtype=np.int64)


def _refused(piece: pa.Table, row: int, why: str) -> WhatifError:
    model, strategy, question = (piece[name][row].as_py() for name in ("model", "strategy", "question_id"))
    return WhatifError(f"predictions of {model} with the strategy {strategy}: question {question!r} {why}")
