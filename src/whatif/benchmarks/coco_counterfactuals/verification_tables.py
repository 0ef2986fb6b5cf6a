"""Table 1 of COCO-Counterfactuals and the agreement of 4.1: the captions that the images show, as judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from whatif.engine.artifacts.pair_items import SIDES, item_id, pair_and_side
from whatif.engine.params.resolution import Resolution
from whatif.people.consensus import UNDECIDED, consensus, decisions_of, made_by, outcomes_of
from whatif.people.items import OUTCOMES, VARIANTS, Row, outcome
from whatif.people.picture_tasks import RATERS
from whatif.people.quality import without_adjudicator
from whatif.people.resolution import MAJORITY
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import Precision, Resampling, in_percent, p_number, percent, resampling
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import DROP, NUMBERS, OURS, PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.scoring.statistics import Interval, clustered_share, paired_drop
from whatif.scoring.statistics.agreement import agreement, label_shares

Rows: TypeAlias = list[dict[str, Any]]

ALL = "all"
MADE_BY = "made_by"  # column: `people` or `automatic` for our labels, empty for reported numbers
LABELS = (*OUTCOMES, UNDECIDED)
# The labels for which a kappa is computed: the chosen captions, and the same labels as outcomes.
CHOSEN, AS_OUTCOMES = "chosen caption", ", ".join(OUTCOMES)
_LABEL_OF = {f"labels_{name}": name for name in OUTCOMES}  # metric in the published text -> label
_WITHOUT_HOLM = NUMBERS[:-1]
# Which label counts, by the rule of resolution.
_COUNTED = {
    "majority": "Where several people labelled an image, the label of the majority counts; undecided are images "
    "without a majority.",
    "single": "Every image has one label.",
    "first": "Where several people labelled an image, the earliest label counts, or that of the first column; "
    "undecided are images for which it is not known.",
    "adjudicated": "The adjudicator's label counts, and the others' where there is none; undecided are images on which "
    "these differ.",
    "unanimous": "Undecided are images on which people differ.",
    "tie-break": "Where the first two labels of an image differ, the third decides; undecided are images for which it "
    "does not.",
}


def table1(judgements: Iterable[Row], settings: Precision, resolution: Resolution = MAJORITY) -> Table:
    """Table 1 from rows of `judgements` about images: the chosen captions, beside the reported shares.

    There are rows for the images made from the `original` and `counterfactual` captions, and for `all`. Measures:

    - `share` of a label (correct, incorrect, neither, both, undecided), in percent of the `n` images that were judged,
      and `count`. An image that several people labelled counts once, see `consensus`. Intervals are by pair;
    - `judged`: the number of judged images;
    - `drop`: for the `n` pairs with both images judged, correct on originals minus correct on counterfactuals, in
      points, with McNemar's exact p. The paper's drop is computed from its two shares.

    Raises WhatifError when human and automatic judgements are mixed.
    """
    judged = list(judgements)
    maker = made_by(judged)
    outcomes = outcomes_of(consensus(judged, resolution))
    reported = _reported()
    rows: Rows = []
    for variant in (*VARIANTS, ALL):
        rows += [row for row in reported if row["variant"] == variant]
        rows += [
            {"variant": variant, "source": OURS, MADE_BY: maker, **row}
            for row in _shares(_of(outcomes, variant), settings)
        ]
    rows.append(_reported_drop(reported))
    rows += [{"source": OURS, MADE_BY: maker, **row} for row in _drop(outcomes, settings)]
    level = f"{100 * settings.confidence:g}%"
    made_from = {"variant": "Image made from"}
    views = (
        View(
            "Which caption was chosen for an image, in percent of the images judged (COCO-Counterfactuals Table 1).",
            {**made_from, "source": "From"},
            (
                *(Column(label.capitalize(), "share", {"label": label}, write=decimal(2)) for label in LABELS),
                Column("Images", "judged", write=count),
            ),
            f"{whose(maker)} {_COUNTED[resolution.rule]}",
        ),
        View(
            f"Our shares with {level} intervals by pair.",
            {**made_from, "label": "Label"},
            (
                Column("Images", "count", write=count),
                Column("Share (%)", "share", {"source": OURS}, write=decimal(2), interval=True),
            ),
        ),
        View(
            "Drop of the share of correct labels from original to counterfactual images, in points, with the exact "
            "McNemar test.",
            {"source": "From"},
            (
                Column("Drop", DROP, interval=True),
                Column("Pairs", DROP, number="n"),
                Column("McNemar p", DROP, number="p"),
            ),
            "The paper's drop is that of its two shares.",
        ),
    )
    identity = ("variant", "source", MADE_BY, "label", "measure", PUBLISHED)
    return Table(
        "table1", "Table 1: which caption an image was judged to show", tidy(rows, identity, _WITHOUT_HOLM), views
    )


def _reported() -> Rows:
    return [
        {
            "variant": row["image_set"],
            "source": REPORTED,
            "label": row["metric"],
            "measure": "share",
            "value": float(row["value"]),
            PUBLISHED: row["value"],
        }
        for row in published(__package__, "table1")
    ]


def _reported_drop(reported: Rows) -> dict[str, Any]:
    correct = {row["variant"]: row["value"] for row in reported if row["label"] == "correct"}
    drop = round(correct["original"] - correct["counterfactual"], 2)
    return {"source": REPORTED, "measure": DROP, "value": drop}


def _of(outcomes: Mapping[str, str], variant: str) -> dict[str, str]:
    sides = SIDES if variant == ALL else (VARIANTS.index(variant),)
    return {item: found for item, found in outcomes.items() if pair_and_side(item)[1] in sides}


def _shares(outcomes: Mapping[str, str], settings: Precision) -> Rows:
    counts = Counter(outcomes.values())
    pairs = [pair_and_side(item)[0] for item in outcomes]
    rows: Rows = [{"measure": "judged", "value": len(outcomes)}]
    for label in LABELS:
        rows.append({"label": label, "measure": "count", "value": counts[label]})
        share: dict[str, Any] = {"n": len(outcomes)}
        if outcomes:
            right = [found == label for found in outcomes.values()]
            share |= in_percent("value", clustered_share(right, pairs, confidence=settings.confidence))
        rows.append({"label": label, "measure": "share", **share})
    return rows


def _drop(outcomes: Mapping[str, str], settings: Precision) -> Rows:
    pairs = sorted({pair_and_side(item)[0] for item in outcomes})
    whole = [pair for pair in pairs if all(item_id(pair, side) in outcomes for side in SIDES)]
    if not whole:
        return []
    right = [[outcomes[item_id(pair, side)] == "correct" for pair in whole] for side in SIDES]
    found = paired_drop(right[0], right[1], confidence=settings.confidence)
    drop = in_percent("value", found.interval)
    return [{"measure": DROP, **drop, "n": len(whole), "p": p_number(found.p)}]


def agreement_table(
    judgements: Iterable[Row], settings: Resampling, seed: int, resolution: Resolution = MAJORITY
) -> Table:
    """Agreement on the images that three annotators labelled (COCO-Counterfactuals 4.1), without an adjudicator.

    Measures:

    - `images` with exactly three labels, and `left out`: images with two labels, or more than three;
    - `kappa`: Fleiss' kappa over `n` images, once for the chosen caption (original, counterfactual, both, neither) and
      once for the same labels as correct, incorrect, both, neither. It is missing where it is not defined. The paper
      does not state which of the two it reports;
    - `unanimous`: images with three equal labels, in percent of `n`;
    - `disputed`: the other images; `share`: the share of each label among the `n` labels of these images, in percent.

    Raises WhatifError when human and automatic judgements are mixed.
    """
    judged = list(judgements)
    maker = made_by(judged)
    of_item = decisions_of(without_adjudicator(judged, resolution))
    several = {item: list(found.values()) for item, found in of_item.items() if len(found) > 1}
    how = resampling(settings, seed)
    rated = {item: found for item, found in several.items() if len(found) == RATERS}
    chosen = agreement(list(rated.values()), raters=RATERS, **how)
    outcomes = [[outcome(item, decision) for decision in found] for item, found in rated.items()]
    labels = chosen.disputed * chosen.raters
    ours: Rows = [
        {"measure": "images", "value": chosen.images},
        {"measure": "left out", "value": len(several) - len(rated)},
        {"of": CHOSEN, "measure": "kappa", **_ends(chosen.kappa, 1), "n": chosen.images},
        {
            "of": AS_OUTCOMES,
            "measure": "kappa",
            **_ends(agreement(outcomes, raters=RATERS, **how).kappa, 1),
            "n": chosen.images,
        },
        {"measure": "unanimous", **_ends(chosen.unanimous, 100), "n": chosen.images},
        {"measure": "disputed", "value": chosen.disputed},
        *(
            {"of": label, "measure": "share", "value": percent(number / total) if total else None, "n": labels}
            for label, (number, total) in label_shares(outcomes, OUTCOMES).items()
        ),
    ]
    rows = [*_reported_agreement(), *({"source": OURS, MADE_BY: maker, **row} for row in ours)]
    return Table(
        "agreement",
        "Agreement of the annotators",
        tidy(rows, ("of", "source", MADE_BY, "measure", PUBLISHED), _WITHOUT_HOLM[:-1]),
        _agreement_views(f"{100 * settings.confidence:g}%", whose(maker)),
    )


def _agreement_views(level: str, maker: str) -> tuple[View, ...]:
    return (
        View(
            f"Fleiss' kappa of the images with three labels, with {level} intervals (COCO-Counterfactuals 4.1).",
            {"of": "Kappa of"},
            (
                Column("Reported", "kappa", {"source": REPORTED}, write=decimal(2)),
                Column("Ours", "kappa", {"source": OURS}, write=decimal(3), interval=True),
                Column("Images", "kappa", {"source": OURS}, number="n"),
            ),
            f"{maker} The paper does not say which of the two kappas it reports. Kappa is not defined when all labels "
            "are the same.",
        ),
        View(
            "Images with three labels.",
            {"source": "From"},
            (
                Column("Images", "images", write=count),
                Column("All three labels the same (%)", "unanimous", interval=True),
                Column("Not the same", "disputed", write=count),
            ),
            "Images with two labels, or more than three, are left out.",
        ),
        View(
            "Labels of the images on which annotators differ, in percent.",
            {"of": "Label"},
            (
                Column("Reported", "share", {"source": REPORTED}),
                Column("Ours", "share", {"source": OURS}),
                Column("Labels", "share", {"source": OURS}, number="n"),
            ),
        ),
    )


def _reported_agreement() -> Rows:
    rows: Rows = []
    for row in published(__package__, "text"):
        if row["location"] != "sec4.1":
            continue
        number = {"source": REPORTED, "value": float(row["value"]), PUBLISHED: row["value"]}
        if row["metric"] == "fleiss_kappa":
            rows.append({"of": CHOSEN, "measure": "kappa", **number})
        elif row["metric"] in _LABEL_OF:
            rows.append({"of": _LABEL_OF[row["metric"]], "measure": "share", **number})
    # A tenth of the 34,820 images were labelled three times.
    return [{"measure": "images", "source": REPORTED, "value": 3482, PUBLISHED: "10% of 34,820"}, *rows]


def whose(maker: str | None) -> str:
    """A sentence for a note that states who judged our images."""
    if maker == "automatic":
        return "Ours were labelled automatically, by a recogniser of drawn shapes, not by people."
    return "Ours were labelled by people." if maker else "None of our images were labelled."


def _ends(interval: Interval | None, unit: int) -> dict[str, float]:
    if interval is None:
        return {}
    values = {"value": interval.estimate, "low": interval.low, "high": interval.high}
    return {name: round(unit * value, 4) for name, value in values.items()}
