"""Models' drops compared: how much more one model loses on counterfactual questions than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from whatif.reporting.formats import DisplayTable
from whatif.reporting.precision import Precision, p_number, p_text, percent
from whatif.reporting.twin_cells import signed
from whatif.reporting.twins import ALL, Flags, Metrics, TwinAnswers
from whatif.statistics import Interval, difference_of_drops, holm


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
            found.append(((models, group, len(pairs), changes, made.difference), made.p))
    corrected = holm([p for _, p in found]).p_values
    return [
        Comparison(*what, p, p if p_holm is None else p_holm)
        for (what, p), p_holm in zip(found, corrected, strict=True)
    ]


def _change(before: Flags, after: Flags) -> float:
    return (int(after.sum()) - int(before.sum())) / len(before)


def drops_table(comparisons: Sequence[Comparison], names: Mapping[str, str], level: str) -> DisplayTable:
    """One row a comparison; `names` are those of the models that could be compared."""
    rows = tuple(
        (
            names[each.models[0]],
            names[each.models[1]],
            each.group,
            str(each.pairs),
            *(signed(percent(change)) for change in each.changes),
            signed(percent(each.difference.estimate)),
            f"{signed(percent(each.difference.low))} to {signed(percent(each.difference.high))}",
            p_text(each.p),
            p_text(each.p_holm),
        )
        for each in comparisons
    )
    header = ("A", "B", "Group", "Pairs", "Change A", "Change B", "Difference", f"Difference {level}", "p", "Holm p")
    caption = (
        "Models' drops compared: counterfactual minus original accuracy in points, of each two models that were asked "
        "the same questions, and the difference with its t interval; where it is negative, A loses more."
    )
    if len(names) < 2:
        caption += f" There is nothing to compare: the number of models is {len(names)}."
    elif not rows:
        caption += " No two models were asked the same questions."
    return DisplayTable(caption, header, rows, text_columns=3)


def headline(comparisons: Sequence[Comparison], alpha: float) -> Metrics:
    """For JSON: how many comparisons there are, how many differ at `alpha` after Holm, and the largest difference."""
    numbers: Metrics = {
        "comparisons": len(comparisons),
        "different": sum(each.p_holm <= alpha for each in comparisons),
    }
    if comparisons:
        largest = max(comparisons, key=lambda each: abs(each.difference.estimate))
        numbers["largest"] = {
            "models": " - ".join(largest.models),
            "group": largest.group,
            "points": percent(largest.difference.estimate),
            "low": percent(largest.difference.low),
            "high": percent(largest.difference.high),
            "p_holm": p_number(largest.p_holm),
        }
    return numbers
