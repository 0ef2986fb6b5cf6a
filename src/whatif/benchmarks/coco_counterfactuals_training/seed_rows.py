"""Rows of tables for results over seeds: mean, deviation and gain, with their tests; and the paper's, as printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from whatif.results.reporting.numerals import decimal, signed
from whatif.results.reporting.precision import p_number
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, View
from whatif.scoring.statistics import holm
from whatif.scoring.statistics.seed_tests import from_summaries, gain, over_seeds

Row: TypeAlias = dict[str, Any]

DEVIATION, GAIN = "deviation", "gain"
SEEDS = 25  # of the paper's means and deviations
ALPHA = 0.05  # below it, the paper underlines
_UNDERLINED, _PLAIN = "underlined", "plain"


def our_rows(
    place: Mapping[str, str],
    measure: str,
    by_seed: Mapping[str, float],
    baseline: Mapping[str, float] | None,
    confidence: float,
    *,
    source: str = OURS,
) -> list[Row]:
    """The rows of one of our results, by seed: its mean as `measure`, its deviation, and its gain over a baseline.

    Results that are recomputed from the predictions of others have another `source`.

    The p-value of the mean is that of Welch's t-test against the baseline. The interval and the p-value of the gain are
    paired by seed. What needs more than one seed is missing with one.
    """
    found = over_seeds(list(by_seed.values()), confidence)
    main: Row = {**place, "source": source, "measure": measure, "value": _rounded(found.mean), "n": found.seeds}
    rows = [main]
    if found.interval is not None and found.deviation is not None:
        main |= {"low": _rounded(found.interval.low), "high": _rounded(found.interval.high)}
        deviation = {"measure": DEVIATION, "value": _rounded(found.deviation), "n": found.seeds}
        rows.append({**place, "source": source, **deviation})
    if baseline:
        tested = gain(by_seed, baseline, confidence)
        if tested.p is not None:
            main["p"] = p_number(tested.p)
        row: Row = {**place, "source": source, "measure": GAIN, "value": _rounded(tested.difference)}
        if tested.paired is not None and tested.paired.interval is not None:
            ends = tested.paired.interval
            row |= {"value": _rounded(tested.paired.mean), "low": _rounded(ends.low), "high": _rounded(ends.high)}
            row["n"] = tested.paired.seeds
        if tested.paired_p is not None:
            row["p"] = p_number(tested.paired_p)
        rows.append(row)
    return rows


def reported_rows(
    place: Mapping[str, str], measure: str, printed: Mapping[str, str], baseline: Mapping[str, str] | None
) -> list[Row]:
    """The rows of a printed number: itself, its deviation, and its gain over a printed baseline.

    The p-value is that of Welch's t-test of the printed means and deviations.
    """
    text, deviation = printed["value"], printed.get("std", "")
    of_paper = {**place, "source": REPORTED, "mark": printed.get("mark", "")}
    main: Row = {**of_paper, "measure": measure, "value": float(text), PUBLISHED: text}
    rows = [main]
    if deviation:
        rows.append({**of_paper, "measure": DEVIATION, "value": float(deviation), PUBLISHED: deviation})
    if baseline is not None:
        rows.append({**of_paper, "measure": GAIN, "value": _rounded(float(text) - float(baseline["value"]))})
        if deviation and baseline.get("std"):
            ours, other = ((float(one["value"]), float(one["std"]), SEEDS) for one in (dict(printed), dict(baseline)))
            p = from_summaries(ours, other)
            if p is not None:
                main |= {"n": SEEDS, "p": p_number(p)}
    return rows


def with_holm(rows: Iterable[Row]) -> list[Row]:
    """The rows with Holm's correction over a table, for the paper's tests and both of ours, each by itself."""
    found = list(rows)
    kinds: dict[tuple[str, bool], list[Row]] = {}
    for row in found:
        if row.get("p") is not None:
            kinds.setdefault((row["source"], row["measure"] == GAIN), []).append(row)
    for of_kind in kinds.values():
        for row, p in zip(of_kind, holm([row["p"] for row in of_kind]).p_values, strict=True):
            row["p_holm"] = None if p is None else p_number(p)
    return found


def underlines(rows: Sequence[Row]) -> str:
    """A sentence: how many of the paper's legible underlines agree with the test of its printed numbers."""
    marked = [row for row in rows if row["source"] == REPORTED and row.get("p") is not None]
    legible = [row for row in marked if row.get("mark") in (_UNDERLINED, _PLAIN)]
    if not legible:
        return ""
    under = [row for row in legible if row["mark"] == _UNDERLINED]
    right = sum(row["p"] <= ALPHA for row in under)
    others = sum(row["p"] > ALPHA for row in legible if row["mark"] == _PLAIN)
    return (
        f"The paper underlines what is better than MS-COCO alone by a one-tailed t-test at {ALPHA:g}. Recomputed from "
        f"its means and deviations over {SEEDS} seeds, {right} of the {len(under)} underlined numbers are, and "
        f"{others} of the {len(legible) - len(under)} plain ones are not. {len(marked) - len(legible)} are the best of "
        "their columns; whether these are underlined is not known."
    )


def views_of_tests(
    measure: str,
    baseline: str,
    rows: Mapping[str, str],
    *,
    mean: Mapping[str, str],
    cells: Mapping[str, Mapping[str, str]],
    level: str,
) -> tuple[View, View, View]:
    """The views of a mean, of its gain over a baseline with its tests, and of Welch's test of each number, in columns.

    `rows` identify a training; `mean` selects the mean, and `cells` has the selection of each number by its heading.
    """
    return (
        View(
            f"Our means in percent, and their gains over the training set {baseline} in points, with {level} t "
            "intervals over seeds.",
            rows,
            (
                Column("Mean", measure, {**mean, "source": OURS}, write=decimal(2), interval=True),
                Column("Gain", GAIN, {**mean, "source": OURS}, write=signed(2), interval=True),
            ),
            "The interval of a gain is of the differences by seed. With one seed, there are no intervals. Intervals of "
            "the other numbers are in the CSV file.",
        ),
        View(
            "Tests whether the gains of the means are above 0: one-tailed p-values.",
            rows,
            (
                Column("Welch", measure, mean, number="p"),
                Column("Holm", measure, mean, number="p_holm"),
                Column("Paired", GAIN, mean, number="p"),
                Column("Paired, Holm", GAIN, mean, number="p_holm"),
            ),
            "Welch: the t-test with the seeds of both as independent samples, as published; of reported numbers, it is "
            "computed from the reported means and deviations. Paired: the t-test of the differences by seed. Holm: "
            "corrected over all numbers of the table. Where nothing varies, and with one seed, there is no test.",
        ),
        View(
            "Welch's test of each number: one-tailed p-values before Holm's correction.",
            rows,
            tuple(Column(heading, measure, where, number="p") for heading, where in cells.items()),
            "The corrected ones, and those of the paired test, are in the CSV file.",
        ),
    )


def _rounded(value: float) -> float:
    return round(value, 4)
