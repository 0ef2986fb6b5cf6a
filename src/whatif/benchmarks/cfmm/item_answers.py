"""The questions of CFMM in arrays, and the answers of all systems to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from whatif.benchmarks.cfmm.schemas import BASIC, VARIANTS
from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.results.reporting.answer_codes import option_codes
from whatif.results.reporting.answers import Answers, Codes, Flags, Numbers, Places, System

Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Asked:
    """The questions in arrays, one entry for each, in ascending order of their ids.

    category: index in `categories`; image: index of the image; basic: index of the basic question of the same item;
    is_basic: whether it is that question; correct: index of the correct letter; options: number of options;
    option_codes: codes of the options (questions x options), equal where two say the same, -1 for no option.
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
    option_codes: Numbers

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
            option_codes(pa.array([row["choices"] for row in rows], pa.list_(pa.string()))),
        )


class ItemAnswers(Answers[Asked]):
    """The answers of all systems to the questions.

    Raises WhatifError as `Answers`, and when a question that a system was asked has no prediction.
    """

    def __init__(
        self,
        predictions: Iterable[pa.Table],
        questions: Asked,
        systems: Sequence[System],
        samples: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        """`samples` names the items that a model was asked, if it was not asked all."""
        super().__init__(predictions, questions, systems)
        items = np.array(questions.items)
        given = samples or {}

        def wanted(place: int) -> Flags:
            model, _ = self.systems[place]
            return np.isin(items, sorted(given[model])) if model in given else np.ones(len(items), dtype=np.bool_)

        self.check_asked(wanted)
