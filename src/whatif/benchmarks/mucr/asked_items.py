"""The questions of MuCR in arrays, found by metric and by the way in which they show their items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from whatif.benchmarks.mucr.schemas import MAIN_FORM, TEXT, Form, Language, Style
from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.results.reporting.answers import Codes, Flags, Places

Row = Mapping[str, Any]
Texts = npt.NDArray[np.str_]
_FIELDS = ("metric", "form", "style", "language")


class Way(NamedTuple):
    """How questions show their items. Without a style they are those in mixed styles, one for each pair."""

    form: Form
    style: Style | None = None
    hints: bool = False
    language: Language = "en"


IN_TEXT = Way(TEXT)
IN_IMAGES = Way(MAIN_FORM)  # the multimodal form of the main results


@dataclass(frozen=True, eq=False)
class AskedItems:
    """The questions in arrays, one entry for each, in ascending order of their ids.

    pair, group: indices of the pair and of its group; metric, form, style, language: as in `causal-items`, with an
    empty style in text; mixture, hints: the flags there; correct: index of the correct letter; options: their number.
    """

    ids: pa.Array
    pairs: list[str]
    pair: Places
    group: Places
    metric: Texts
    form: Texts
    style: Texts
    language: Texts
    mixture: Flags
    hints: Flags
    correct: Codes
    options: Places

    @classmethod
    def of(cls, questions: Iterable[Row], items: Iterable[Row]) -> AskedItems:
        """The rows of `questions`, each with its row of `causal-items`; items of other questions are left out.

        Raises WhatifError when there are no questions, when one has no item or no letter as its answer, and when a pair
        has two questions of a metric that are shown in the same way.
        """
        rows = sorted(questions, key=lambda row: str(row["question_id"]))
        if not rows:
            raise WhatifError("questions: there are none, so there are no tables")
        of_question = {row["question_id"]: row for row in items}
        known = []
        for row in rows:
            name, answer = row["question_id"], row["answer"]
            if name not in of_question:
                raise WhatifError(f"question {name}: has no row in causal-items; make the questions again")
            if answer not in LETTERS[: len(row["choices"] or ())]:
                raise WhatifError(f"question {name}: its answer {answer!r} is no letter of an option")
            known.append(of_question[name])
        pairs = {name: place for place, name in enumerate(sorted({row["pair_id"] for row in known}))}
        groups = {name: place for place, name in enumerate(sorted({row["group_id"] for row in known}))}
        texts = {name: np.array([row[name] or "" for row in known], dtype=np.str_) for name in _FIELDS}
        made = cls(
            pa.array([row["question_id"] for row in rows], pa.string()),
            list(pairs),
            np.array([pairs[row["pair_id"]] for row in known]),
            np.array([groups[row["group_id"]] for row in known]),
            mixture=np.array([bool(row["mixture"]) for row in known]),
            hints=np.array([bool(row["hints"]) for row in known]),
            correct=np.array([LETTERS.index(row["answer"]) for row in rows], dtype=np.int8),
            options=np.array([len(row["choices"]) for row in rows]),
            **texts,
        )
        made._check_once()
        return made

    def places(self, metric: str, way: Way) -> Places:
        """The indices of the questions of a metric that are shown in this way, in order of their pairs."""
        chosen = (self.metric == metric) & (self.form == way.form) & (self.language == way.language)
        chosen &= self.hints == way.hints
        if way.form != TEXT:
            chosen &= self.mixture if way.style is None else self.style == way.style
        found = np.flatnonzero(chosen)
        return found[np.argsort(self.pair[found], kind="stable")]

    def cells(self) -> npt.NDArray[np.int64]:
        """For each question, the number of its kind: of all questions with the same metric, form, style, ... ."""
        parts = [self.metric, self.form, self.language, self.hints.astype(str), self.mixture.astype(str)]
        parts.append(np.where(self.mixture, "", self.style))  # the questions in mixed styles are one kind
        joined = ["\n".join(texts) for texts in zip(*parts, strict=True)]
        return np.unique(joined, return_inverse=True)[1]

    def _check_once(self) -> None:
        seen: set[tuple[Any, ...]] = set()
        for place in range(len(self.pair)):
            pair = int(self.pair[place])
            key = (*(str(getattr(self, name)[place]) for name in _FIELDS), bool(self.hints[place]), pair)
            if key in seen:
                raise WhatifError(
                    f"question {self.ids[place].as_py()}: pair {self.pairs[pair]} has another question of "
                    f"{self.metric[place]} that is shown in the same way; keep one"
                )
            seen.add(key)
