"""Models' drops compared: how much more one model loses on counterfactual questions than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from whatif.reporting.numerals import signed
from whatif.reporting.precision import Precision, in_percent, p_number, percent
from whatif.reporting.table import Column, Table, View, tidy
from whatif.reporting.twins import ALL, Flags, TwinAnswers
from whatif.statistics import Interval, difference_of_drops, holm

_IDENTITY = ("model_a", "name_a", "model_b", "name_b", "group", "measure")


@dataclass(frozen=True)
class Comparison:
    """Two models (keys) on the same pairs of a group: both changes and their difference, in fractions."""

    models: tuple[str, str]
    group: str
    pairs: int
    changes: tuple[float, float]
    difference: Interval
    p: float
    p_holm: float


def compare_drops(
    answers: TwinAnswers,
    *,
    settings: Precision,
    images: Mapping[str, str] | None = None,
    groups: Sequence[str] = (ALL,),
) -> list[Comparison]:
    """Each two models that were asked the same questions, in each of `groups`, or in all questions at once.

    A change is counterfactual minus original; where the difference is negative, the first model loses more. `images`
    names the image of each pair, where several share one. p values are corrected over all comparisons (Holm).
    """
    places = {
        group: np.isin(answers.group, [place for place, name in enumerate(answers.groups) if group in (ALL, name)])
        for group in groups
    }
    found = []
    for first, second in combinations(range(len(answers.models)), 2):
        for group, of_group in places.items():
            asked, theirs = answers.answered[first], answers.answered[second]
            pairs = np.flatnonzero(of_group & asked.all(axis=1))
            if not pairs.size or not np.array_equal(asked[of_group], theirs[of_group]):
                continue
            (before, after), (their_before, their_after) = (answers.right[model][pairs].T for model in (first, second))
            made = difference_of_drops(
                (before, after),
                (their_before, their_after),
                None if images is None else [images[pair] for pair in answers.pair_ids(pairs)],
                confidence=settings.confidence,
            )
            changes = (_change(before, after), _change(their_before, their_after))
            models = (answers.models[first], answers.models[second])
            found.append(((models, group, len(pairs), changes, made.interval), made.p))
    corrected = holm([p for _, p in found]).p_values
    return [
        Comparison(*what, p, p if p_holm is None else p_holm)
        for (what, p), p_holm in zip(found, corrected, strict=True)
    ]


def _change(before: Flags, after: Flags) -> float:
    return (int(after.sum()) - int(before.sum())) / len(before)


def drops(comparisons: Sequence[Comparison], names: Mapping[str, str], level: str, note: str = "") -> Table:
    """The table `drops`; `names` are those of the models that could be compared, `note` goes behind the caption.

    Measures in points: `change a` and `change b`, and their `difference` with its interval and p-values.
    """
    rows: list[dict[str, Any]] = []
    for each in comparisons:
        first, second = each.models
        of_both = {"model_a": first, "name_a": names[first], "model_b": second, "name_b": names[second]}
        of_group = {**of_both, "group": each.group, "n": each.pairs}
        for measure, change in zip(("change a", "change b"), each.changes, strict=True):
            rows.append({**of_group, "measure": measure, "value": percent(change)})
        difference = in_percent("value", each.difference)
        ps = {"p": p_number(each.p), "p_holm": p_number(each.p_holm)}
        rows.append({**of_group, "measure": "difference", **difference, **ps})
    if len(names) < 2:
        note = f"There is nothing to compare: the number of models is {len(names)}. {note}".rstrip()
    elif not rows:
        note = f"No two models were asked the same questions. {note}".rstrip()
    view = View(
        "Models' drops compared: counterfactual minus original accuracy in points, of each two models that were asked "
        f"the same questions, and the difference with its {level} t interval. Where it is negative, A loses more.",
        {"model_a": "", "name_a": "A", "model_b": "", "name_b": "B", "group": "Group"},
        (
            Column("Difference", "difference", write=signed(1), interval=True),
            Column("Pairs", "difference", number="n"),
            Column("Change A", "change a", write=signed(1)),
            Column("Change B", "change b", write=signed(1)),
            Column("Holm p", "difference", number="p_holm"),
        ),
        note,
    )
    return Table("drops", "Models' drops compared", tidy(rows, _IDENTITY), (view,))
