"""Rows of tables for results over seeds: mean, deviation and gain, with their tests; and the paper's, as printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from whatif.benchmarks.coco_counterfactuals_training.reported import reported
from whatif.benchmarks.coco_counterfactuals_training.results import PUBLISHED_DIVISION, Results
from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.precision import as_measured, p_number
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, View
from whatif.scoring.statistics import holm
from whatif.scoring.statistics.seed_tests import Gain, OverSeeds, from_summaries, gain, over_seeds

Row: TypeAlias = dict[str, Any]

DEVIATION, GAIN = "deviation", "gain"
SEEDS = 25  # of the paper's means and deviations
ALPHA = 0.05  # below it, the paper underlines
_UNDERLINED, _PLAIN = "underlined", "plain"
_SIZES = {"train_samples": "n_train", "counterfactual_samples": "n_train_cf", "counterfactual_share": "pct_cf"}


def mean_row(found: OverSeeds) -> Row:
    """The numbers of a mean over seeds; it has no interval with one seed."""
    return {**(as_measured(found.interval) or {"value": _rounded(found.mean)}), "n": found.seeds}


def difference_row(found: Gain) -> Row:
    """The numbers of a difference: paired by seed, or that of both means where there are no two common seeds."""
    return {"value": _rounded(found.difference)} if found.paired is None else mean_row(found.paired)


def of_training(found: Results, mixture: str) -> Row:
    """The columns that identify one of our trainings, with the published division."""
    size = found.size(mixture, PUBLISHED_DIVISION)
    return {
        "train_set": "none" if mixture == PRE_TRAINED else mixture,
        "mixture": mixture,
        "train_samples": str(size.samples),
        "counterfactual_samples": str(size.counterfactual),
        "counterfactual_share": f"{100 * size.counterfactual / max(1, size.samples):.0f}",
    }


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
    main: Row = {"measure": measure, **mean_row(found)}
    rows = [main]
    if found.deviation is not None:
        rows.append({"measure": DEVIATION, "value": _rounded(found.deviation), "n": found.seeds})
    if baseline:
        tested = gain(by_seed, baseline, confidence)
        main |= _p(tested.p)
        rows.append({"measure": GAIN, **difference_row(tested), **_p(tested.paired_p)})
    return [{**place, "source": source, **row} for row in rows]


def reported_rows(
    table: int,
    measure: str,
    baseline: str,
    cell: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda row: {},
    baselines: int | None = None,
) -> Iterator[Row]:
    """The rows of the printed numbers of a table: each number, its deviation, and its gain over that of a mixture.

    `cell` gives further columns that identify a number. The numbers of the mixture `baseline` are those of the table
    `baselines`, if not of the same one.
    """

    def key(row: Mapping[str, str]) -> tuple[str, ...]:
        return row["system"], row["dataset"], *cell(row).values()

    without = {key(row): row for row in reported(baselines or table) if row["mixture"] == baseline}
    for row in reported(table):
        place = {"name": row["system"], "train_set": row["train_set"], "mixture": row["mixture"], **cell(row)}
        place |= {name: row[column] for name, column in _SIZES.items() if column in row} | {"data_set": row["dataset"]}
        other = without[key(row)] if row["mixture"] not in (PRE_TRAINED, baseline) else None
        yield from _printed({**place, "source": REPORTED, "mark": row.get("mark", "")}, measure, row, other)


def _printed(place: Row, measure: str, printed: Mapping[str, str], baseline: Mapping[str, str] | None) -> Iterator[Row]:
    """The rows of one number; its p-value is that of Welch's t-test of the printed means and deviations."""
    text, deviation = printed["value"], printed["std"]
    tested: Row = {}
    if baseline is not None and deviation and baseline["std"]:
        ours, other = ((float(one["value"]), float(one["std"]), SEEDS) for one in (printed, baseline))
        tested = _p(from_summaries(ours, other))
        tested |= {"n": SEEDS} if tested else {}
    yield {**place, "measure": measure, "value": float(text), PUBLISHED: text, **tested}
    if deviation:
        yield {**place, "measure": DEVIATION, "value": float(deviation), PUBLISHED: deviation}
    if baseline is not None:
        yield {**place, "measure": GAIN, "value": _rounded(float(text) - float(baseline["value"]))}


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


def underlines(printed: Iterable[Row]) -> str:
    """A sentence: how many of the paper's legible underlines agree with the test of its printed numbers."""
    marked = [row for row in printed if row.get("p") is not None]
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


def seed_views(
    caption: str,
    note: str,
    rows: Mapping[str, str],
    cells: Mapping[str, Row],
    *,
    measure: str,
    baseline: str,
    level: str,
) -> tuple[View, View, View, View, View]:
    """The views of means, of their deviations, of the gain of `Mean` over a baseline, of its tests, and of all tests.

    `rows` identify a training; `cells` has the selection of each number by its heading, that of the mean as `Mean`.
    """
    mean, ours = cells["Mean"], {**cells["Mean"], "source": OURS}
    short = {name: heading for name, heading in rows.items() if name != "train_samples"}

    def columns(of: str) -> tuple[Column, ...]:
        return tuple(Column(heading, of, where, write=decimal(2)) for heading, where in cells.items())

    return (
        View(caption, rows, columns(measure), note),
        View(
            "Standard deviations of these over seeds, in points.",
            rows,
            (*columns(DEVIATION), Column("Seeds", DEVIATION, mean, number="n", write=count)),
        ),
        View(
            f"Our means in percent, and their gains over the training set {baseline} in points, with {level} t "
            "intervals over seeds.",
            short,
            (
                Column("Mean", measure, ours, write=decimal(2), interval=True),
                Column("Gain", GAIN, ours, write=signed(2), interval=True),
            ),
            "The interval of a gain is of the differences by seed. With one seed, there are no intervals. Intervals of "
            "the other numbers are in the CSV file.",
        ),
        View(
            "Tests whether the gains of the means are above 0: one-tailed p-values.",
            short,
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
            short,
            tuple(Column(heading, measure, where, number="p") for heading, where in cells.items()),
            "The corrected ones, and those of the paired test, are in the CSV file.",
        ),
    )


def _p(value: float | None) -> Row:
    return {} if value is None else {"p": p_number(value)}


def _rounded(value: float) -> float:
    return round(value, 4)
