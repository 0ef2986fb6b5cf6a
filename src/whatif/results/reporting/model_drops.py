"""Comparison of models' drops: how much more one model loses on counterfactual questions than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from whatif.results.reporting.answers import Flags, Places
from whatif.results.reporting.numerals import signed
from whatif.results.reporting.pair_measures import ALL
from whatif.results.reporting.precision import Precision, in_percent, p_number, percent
from whatif.results.reporting.question_pairs import QuestionPairAnswers
from whatif.results.reporting.table import Column, Table, View, tidy
from whatif.scoring.statistics import Interval, difference_of_drops, holm

_IDENTITY = ("model_a", "name_a", "model_b", "name_b", "group", "measure")


@dataclass(frozen=True)
class Comparison:
    """Two models (keys) on the same pairs of a group: both drops and their difference, in fractions."""

    models: tuple[str, str]
    group: str
    pairs: int
    drops: tuple[float, float]
    difference: Interval
    p: float
    p_holm: float


def compare_drops(
    answers: QuestionPairAnswers,
    *,
    settings: Precision,
    images: Mapping[str, str] | None = None,
    groups: Sequence[str] = (ALL,),
) -> list[Comparison]:
    """Compares every two models that were asked the same questions, in each of `groups` or over all questions.

    A drop is original minus counterfactual accuracy. If the difference is positive, the first model loses more.
    `images` names the image of each pair, where several pairs share one. p-values are corrected over all comparisons
    (Holm).
    """
    made, asked = [], answers.questions
    for group in groups:
        places = [place for place, name in enumerate(asked.groups) if group in (ALL, name)]
        of_group = np.isin(asked.group, places)
        sides = [_Side.of(answers, model, of_group) for model in range(len(answers.models))]
        for first, second in combinations(range(len(sides)), 2):
            one, other = sides[first], sides[second]
            if not one.pairs.size or one.asked != other.asked:
                continue
            clusters = None if images is None else [images[pair] for pair in asked.pair_ids(one.pairs)]
            found = difference_of_drops(
                (one.before, one.after), (other.before, other.after), clusters, confidence=settings.confidence
            )
            models = (answers.models[first], answers.models[second])
            what = (models, group, len(one.pairs), (one.drop, other.drop), found.interval)
            made.append(((first, second), what, found.p))
    made.sort(key=lambda each: each[0])  # by models, then in the order of the groups
    corrected = holm([p for *_, p in made]).p_values
    return [
        Comparison(*what, p, p if p_holm is None else p_holm)
        for (_, what, p), p_holm in zip(made, corrected, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Side:
    """One model's data for a comparison: the pairs of a group that it answered, and which answers are right."""

    pairs: Places
    asked: bytes  # equal for two models that were asked the same questions
    before: Flags
    after: Flags

    @classmethod
    def of(cls, answers: QuestionPairAnswers, model: int, of_group: Flags) -> _Side:
        """The answers of one model, given by its index, to the pairs of a group."""
        asked = answers.asked[model]
        pairs = np.flatnonzero(of_group & answers.asked_whole[model])
        before, after = np.ascontiguousarray(answers.right[model][pairs].T)
        return cls(pairs, np.packbits(asked[of_group]).tobytes(), before, after)

    @property
    def drop(self) -> float:
        """Original minus counterfactual accuracy, as a fraction."""
        return (int(self.before.sum()) - int(self.after.sum())) / len(self.pairs)


def drops(comparisons: Sequence[Comparison], names: Mapping[str, str], level: str, note: str = "") -> Table:
    """The table `drops`; `names` gives the names of the compared models, `note` is appended to the caption.

    Measures in points: `drop a` and `drop b`, and their `difference` with its interval and p-values.
    """
    rows: list[dict[str, Any]] = []
    for each in comparisons:
        first, second = each.models
        of_both = {"model_a": first, "name_a": names[first], "model_b": second, "name_b": names[second]}
        of_group = {**of_both, "group": each.group, "n": each.pairs}
        for measure, drop in zip(("drop a", "drop b"), each.drops, strict=True):
            rows.append({**of_group, "measure": measure, "value": percent(drop)})
        difference = in_percent("value", each.difference)
        ps = {"p": p_number(each.p), "p_holm": p_number(each.p_holm)}
        rows.append({**of_group, "measure": "difference", **difference, **ps})
    if len(names) < 2:
        note = f"There is nothing to compare: the number of models is {len(names)}. {note}".rstrip()
    elif not rows:
        note = f"No two models were asked the same questions. {note}".rstrip()
    view = View(
        "Models' drops compared: original minus counterfactual accuracy in points, of each two models that were asked "
        f"the same questions, and the difference with its {level} t interval. Where it is positive, A loses more.",
        {"model_a": "", "name_a": "A", "model_b": "", "name_b": "B", "group": "Group"},
        (
            Column("Difference", "difference", write=signed(1), interval=True),
            Column("Pairs", "difference", number="n"),
            Column("Drop A", "drop a"),
            Column("Drop B", "drop b"),
            Column("Holm p", "difference", number="p_holm"),
        ),
        note,
    )
    return Table("drops", "Models' drops compared", tidy(rows, _IDENTITY), (view,))
