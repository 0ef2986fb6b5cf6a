"""Models' drops compared: how much more one model loses on counterfactual questions than another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from whatif.statistics import Interval, difference_of_drops, holm
from whatif.tables.formats import DisplayTable
from whatif.tables.twin_cells import signed
from whatif.tables.twins import ALL, VARIANTS, Metrics, Precision, percent

Row = Mapping[str, Any]


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
    predictions: Iterable[Row],
    questions: Iterable[Row],
    *,
    settings: Precision,
    seed: int,
    models: Iterable[str],
    images: Mapping[str, str] | None = None,
    groups: Sequence[str] | None = None,
) -> list[Comparison]:
    """Each two of `models` that were asked the same questions, in each of `groups`, or in all questions at once.

    A change is counterfactual minus original; where the difference is negative, the first model loses more. `images`
    names the image of each pair, where several share one. p values are corrected over all comparisons (Holm).
    """
    asked = {row["question_id"]: row for row in questions}
    right: dict[tuple[str, str], dict[str, dict[str, bool]]] = {}
    for row in predictions:
        question = asked[row["question_id"]]
        of_group = right.setdefault((row["model"], ALL if groups is None else question["group"]), {})
        of_group.setdefault(question["pair_id"], {})[question["variant"]] = row["correct"]
    found = []
    for first, second in combinations(models, 2):
        for group in (ALL,) if groups is None else groups:
            ours, theirs = right.get((first, group), {}), right.get((second, group), {})
            pairs = sorted(pair for pair, twins in ours.items() if len(twins) == len(VARIANTS))
            if not pairs or {pair: set(twins) for pair, twins in ours.items()} != {
                pair: set(twins) for pair, twins in theirs.items()
            }:
                continue
            sides = [[[each[pair][variant] for pair in pairs] for variant in VARIANTS] for each in (ours, theirs)]
            (before, after), (their_before, their_after) = sides
            made = difference_of_drops(
                (before, after),
                (their_before, their_after),
                None if images is None else [images[pair] for pair in pairs],
                confidence=settings.confidence,
                resamples=settings.resamples,
                seed=seed,
            )
            changes = ((sum(after) - sum(before)) / len(pairs), (sum(their_after) - sum(their_before)) / len(pairs))
            found.append((((first, second), group, len(pairs), changes, made.difference), made.p))
    corrected = holm([p for _, p in found]).p_values
    return [Comparison(*what, p, float(p_holm or 0)) for (what, p), p_holm in zip(found, corrected, strict=True)]


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
            f"{each.p:.2g}",
            f"{each.p_holm:.2g}",
        )
        for each in comparisons
    )
    header = ("A", "B", "Group", "Pairs", "Change A", "Change B", "Difference", f"Difference {level}", "p", "Holm p")
    caption = (
        "Models' drops compared: counterfactual minus original accuracy in points, of each two models that were asked "
        "the same questions, and the difference with its bootstrap interval; where it is negative, A loses more."
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
            "p_holm": float(f"{largest.p_holm:.4g}"),
        }
    return numbers
