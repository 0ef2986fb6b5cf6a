"""Table 1 of COCO-Counterfactuals and the agreement of 4.1: what was chosen for each picture, beside the printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from whatif.artifacts.pair_items import SIDES, item_id, pair_and_side
from whatif.reporting.formats import DisplayTable
from whatif.reporting.precision import Precision, Resampling, in_percent, p_number, p_text, percent, resampling
from whatif.reporting.published_numbers import published
from whatif.statistics import Interval, clustered_share, mcnemar_exact, paired_difference
from whatif.statistics.agreement import Agreement, agreement, label_shares
from whatif.verification.consensus import UNDECIDED, consensus, decisions_of, made_by, outcomes_of
from whatif.verification.items import OUTCOMES, VARIANTS, Row, outcome
from whatif.verification.picture_tasks import RATERS

Metrics: TypeAlias = dict[str, Any]

ALL = "all"
_SETS = (*VARIANTS, ALL)
_NAMES = {"original": "made from the original", "counterfactual": "made from the counterfactual", ALL: "all"}
_PRINTED_TEXT = {
    "fleiss_kappa": "kappa",
    "labels_correct": "correct",
    "labels_incorrect": "incorrect",
    "labels_neither": "neither",
}


@dataclass(frozen=True)
class Verified:
    """Numbers for JSON and tables to show."""

    metrics: Metrics
    tables: dict[str, DisplayTable]


def verification(judgements: Iterable[Row], settings: Resampling, seed: int) -> Verified:
    """Table 1 and agreement from rows of `judgements` about pictures.

    Metrics, shares in percent:

    - `made_by`: `people`, `automatic` or null;
    - `pictures`: by `original`, `counterfactual` and `all`, how many were judged (`number`), and for each of correct,
      incorrect, neither, both and undecided the `count`, its `share` and the ends of its interval. A picture that
      several labelled counts once, see `consensus`. Intervals are by pair, of which both pictures go together;
    - `difference`: of the pairs with both pictures judged, correct on counterfactuals minus originals in points, with
      its interval and McNemar's exact p;
    - `agreement`: see `agreement_metrics`.

    Raises WhatifError when people's and automatic judgements are mixed.
    """
    rows = list(judgements)
    maker = made_by(rows)
    outcomes = outcomes_of(consensus(rows))
    metrics: Metrics = {
        "made_by": maker,
        "pictures": {name: _shares(_of(outcomes, name), settings) for name in _SETS},
        "difference": _difference(outcomes, settings),
        "agreement": agreement_metrics(rows, settings, seed),
    }
    level = f"{100 * settings.confidence:g}%"
    tables = {"table1": _table1(metrics, level), "agreement": _agreement_table(metrics, level)}
    return Verified(metrics, tables)


def agreement_metrics(judgements: Iterable[Row], settings: Resampling, seed: int) -> Metrics:
    """Agreement on the pictures that three annotators labelled (COCO-Counterfactuals 4.1), ready for JSON.

    - `pictures` with exactly three labels, `left_out`: pictures with two, or more than three;
    - `kappa`: Fleiss' kappa of what was chosen (original caption, counterfactual caption, both, neither), and
      `kappa_of_outcomes`: of the same as correct, incorrect, both, neither. The paper does not say which it prints.
      Each has `value`, `low` and `high`, or is null where it is not defined;
    - `unanimous`: share of pictures with three equal labels and its interval, null without pictures;
    - `disputed`: `pictures`, `labels`, and the share in percent of the labels that were correct, incorrect, ...
    """
    of_item = decisions_of(judgements)
    several = {item: list(found.values()) for item, found in of_item.items() if len(found) > 1}
    how = resampling(settings, seed)
    rated = {item: found for item, found in several.items() if len(found) == RATERS}
    chosen = agreement(list(rated.values()), raters=RATERS, **how)
    outcomes = [[outcome(item, decision) for decision in found] for item, found in rated.items()]
    shares = label_shares(outcomes, OUTCOMES)
    return {
        "pictures": chosen.images,
        "left_out": len(several) - len(rated),
        "kappa": _ends(chosen.kappa, 1),
        "kappa_of_outcomes": _ends(agreement(outcomes, raters=RATERS, **how).kappa, 1),
        "unanimous": _ends(chosen.unanimous, 100),
        "disputed": _disputed(chosen, shares),
    }


def _disputed(found: Agreement, shares: Mapping[str, tuple[int, int]]) -> Metrics:
    return {
        "pictures": found.disputed,
        "labels": found.disputed * found.raters,
        **{name: percent(count / of) if of else None for name, (count, of) in shares.items()},
    }


def _of(outcomes: Mapping[str, str], name: str) -> dict[str, str]:
    sides = SIDES if name == ALL else (VARIANTS.index(name),)
    return {item: found for item, found in outcomes.items() if pair_and_side(item)[1] in sides}


def _shares(outcomes: Mapping[str, str], settings: Precision) -> Metrics:
    counts = Counter(outcomes.values())
    pairs = [pair_and_side(item)[0] for item in outcomes]
    cells: Metrics = {"number": len(outcomes)}
    for name in (*OUTCOMES, UNDECIDED):
        share: Metrics = {"share": None}
        if outcomes:
            right = [found == name for found in outcomes.values()]
            share = in_percent("share", clustered_share(right, pairs, confidence=settings.confidence))
        cells[name] = {"count": counts[name], **share}
    return cells


def _difference(outcomes: Mapping[str, str], settings: Precision) -> Metrics | None:
    pairs = sorted({pair_and_side(item)[0] for item in outcomes})
    whole = [pair for pair in pairs if all(item_id(pair, side) in outcomes for side in SIDES)]
    if not whole:
        return None
    right = [[outcomes[item_id(pair, side)] == "correct" for pair in whole] for side in SIDES]
    interval = paired_difference(right[0], right[1], confidence=settings.confidence)
    return {
        "pairs": len(whole),
        **in_percent("points", interval),
        "mcnemar_p": p_number(mcnemar_exact(right[0], right[1])),
    }


def _ends(interval: Interval | None, unit: int) -> dict[str, float] | None:
    if interval is None:
        return None
    values = {"value": interval.estimate, "low": interval.low, "high": interval.high}
    return {name: round(unit * value, 4) for name, value in values.items()}


def _table1(metrics: Metrics, level: str) -> DisplayTable:
    printed: dict[str, dict[str, str]] = {}
    for row in published("coco-cf", "1"):
        printed.setdefault(row["image_set"], {})[row["metric"]] = row["value"]
    names = (*OUTCOMES, UNDECIDED)
    rows = []
    for name in _SETS:
        rows.append((_NAMES[name], "printed", "", *(printed[name].get(found, "") for found in names)))
        cells = metrics["pictures"][name]
        rows.append((_NAMES[name], "ours", str(cells["number"]), *(share_cell(cells[found]) for found in names)))
    caption = (
        f"Which caption was chosen for a picture, in percent of the pictures judged, with {level} intervals by "
        f"pair (COCO-Counterfactuals Table 1). {whose(metrics['made_by'])} Where several labelled a "
        f"picture, what most of them chose counts; undecided are those without a majority.{_told(metrics)}"
    )
    header = ("Pictures", "From", "Number", *(name.capitalize() for name in names))
    return DisplayTable(caption, header, tuple(rows), text_columns=2)


def _told(metrics: Metrics) -> str:
    found = metrics["difference"]
    if found is None:
        return ""
    shares = {row["image_set"]: float(row["value"]) for row in published("coco-cf", "1") if row["metric"] == "correct"}
    printed = shares["counterfactual"] - shares["original"]
    return (
        f" Correct on counterfactuals minus originals: {found['points']:+.1f} points ({found['low']:+.1f} to "
        f"{found['high']:+.1f}) in {found['pairs']:,} pairs, McNemar p {p_text(found['mcnemar_p'])}; {printed:+.1f} is "
        "printed."
    )


def share_cell(cell: Mapping[str, Any]) -> str:
    """A count with its share in percent and the ends of its interval."""
    if cell["share"] is None:
        return "–"
    return f"{cell['share']:.2f} ({cell['low']:.2f} to {cell['high']:.2f}), {cell['count']:,}"


def whose(maker: str | None) -> str:
    """A sentence for a caption: who judged."""
    if maker == "automatic":
        return "Ours were labelled automatically, by a recogniser of drawn shapes, and by no people."
    return "Ours were labelled by people." if maker else "None of our pictures were labelled."


def _agreement_table(metrics: Metrics, level: str) -> DisplayTable:
    found = metrics["agreement"]
    printed = {
        _PRINTED_TEXT[row["metric"]]: row["value"]
        for row in published("coco-cf", "text")
        if row["location"] == "sec4.1" and row["metric"] in _PRINTED_TEXT
    }
    of_labels = f"of {found['disputed']['labels']:,} labels of {found['disputed']['pictures']:,} pictures"
    rows: Sequence[tuple[str, str, str]] = [
        ("Pictures with three labels", "10% of 34,820", f"{found['pictures']:,}"),
        ("Fleiss' kappa of what was chosen", printed["kappa"], _interval_cell(found["kappa"], 3)),
        ("Fleiss' kappa of correct, incorrect, both, neither", "", _interval_cell(found["kappa_of_outcomes"], 3)),
        ("All three labels the same (%)", "", _interval_cell(found["unanimous"], 1)),
        *(
            (f"Where they differ, {name} (%)", printed.get(name, ""), _plain(found["disputed"][name]))
            for name in OUTCOMES
        ),
    ]
    caption = (
        f"Agreement on the pictures that three annotators labelled, with {level} intervals (COCO-Counterfactuals 4.1); "
        f"the last rows are {of_labels}. {whose(metrics['made_by'])} The paper does not say which of the two kappas "
        "it prints. A dash stands where a number is not defined, as kappa is when all labels are the same."
    )
    return DisplayTable(caption, ("Agreement", "Printed", "Ours"), tuple(rows))


def _interval_cell(ends: Mapping[str, float] | None, digits: int) -> str:
    if ends is None:
        return "–"
    return f"{ends['value']:.{digits}f} ({ends['low']:.{digits}f} to {ends['high']:.{digits}f})"


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"
