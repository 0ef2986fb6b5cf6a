"""Tables 7 and 10 of COCO-Counterfactuals and the rate of A.3.2: which pictures were judged wrong, and why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from whatif.artifacts.pair_items import pair_and_side
from whatif.benchmarks.coco_counterfactuals.verification_tables import Metrics, Verified, share_cell, whose
from whatif.errors import WhatifError
from whatif.language.human_words import is_human
from whatif.reporting.formats import DisplayTable
from whatif.reporting.precision import Precision, in_percent
from whatif.reporting.published_numbers import published
from whatif.statistics import clustered_share, wilson
from whatif.verification.consensus import consensus, made_by, outcomes_of
from whatif.verification.error_categories import CATEGORIES
from whatif.verification.items import Row, pairs_by_id

LEAST_ERRORS = 20  # of a pair of subjects to stand in Table 10
_ARROW = " → "
_KINDS = {  # of pictures, in metrics -> in the table
    "human": "human word in the picture's own caption",
    "other": "another word there",
    "human_pairs": "human word in either caption of the pair",
}


def error_categories_table(
    categories: Mapping[str, str], settings: Precision, *, made_by: str | None, sampled: int | None = None
) -> Verified:
    """Table 7: how the errors of a sample are shared out among the eight categories, printed and ours.

    `categories` is item -> category; `sampled` says how many errors were drawn, if some have no category yet. Metrics:
    `made_by`, `sampled`, `categorised`, and `categories` with `count`, `share` in percent and the ends of its Wilson
    interval for each.

    Raises WhatifError for a category that the paper does not have.
    """
    counts = Counter(categories.values())
    for name in counts:
        if name not in CATEGORIES:
            raise WhatifError(f"error category {name!r}: is none of {'; '.join(CATEGORIES)}")
    number = len(categories)
    cells: Metrics = {}
    for name in CATEGORIES:
        interval = wilson(counts[name], number, settings.confidence)
        cells[name] = {"count": counts[name], **(in_percent("share", interval) if number else {"share": None})}
    printed = {row["error_category"]: row["value"] for row in published("coco-cf", "7")}
    rows = tuple((name, printed[name], share_cell(cells[name])) for name in CATEGORIES)
    drawn = number if sampled is None else sampled
    level = f"{100 * settings.confidence:g}%"
    caption = (
        f"What is wrong with pictures that were judged wrong, in percent of a sample, with {level} Wilson intervals "
        f"and counts (COCO-Counterfactuals Table 7; 100 errors in the paper, {number:,} of {drawn:,} drawn in ours). "
        f"{_told_by(made_by)}"
    )
    metrics = {"made_by": made_by, "sampled": drawn, "categorised": number, "categories": cells}
    return Verified(metrics, {"table7": DisplayTable(caption, ("Category", "Printed (%)", "Ours (%)"), rows)})


def error_subjects_tables(
    judgements: Iterable[Row],
    pairs: Iterable[Row],
    settings: Precision,
    *,
    least_errors: int = LEAST_ERRORS,
) -> Verified:
    """Table 10 and the human taxonomy of A.3.2: errors by altered subjects, with the denominators that are not printed.

    Subjects are compared without regard to capitals; both pictures of a pair count for its subjects, original first.
    Metrics, rates in percent with the ends of an interval by pair:

    - `made_by`, `judged` (pictures), `errors`;
    - `subjects`: `woman → girl` and so on for those with `least_errors` errors or more, each with `errors`, `judged`
      and `rate`;
    - `human`: the same of the pictures whose own caption has a human word for subject, which is what A.3.2 counts, and
      `other`: of the rest; `human_pairs`: of the pictures of pairs whose provenance says `human`, one subject of both.

    Raises WhatifError when a judged item is of no pair, when people's and automatic judgements are mixed, and when
    provenance says nothing of human words.
    """
    rows = list(judgements)
    maker = made_by(rows)
    by_id = pairs_by_id(pairs)
    outcomes = outcomes_of(consensus(rows))
    of_subjects: dict[str, dict[str, bool]] = {}
    of_kind: dict[str, dict[str, bool]] = {kind: {} for kind in _KINDS}
    for item, found in outcomes.items():
        pair_id, side = pair_and_side(item)
        if pair_id not in by_id:
            raise WhatifError(f"judgement of {item}: there is no pair {pair_id}; give the pairs that were judged")
        row = by_id[pair_id]
        of_subjects.setdefault(_subjects(row), {})[item] = found != "correct"
        of_kind["human" if is_human(row[f"subject_{side}"]) else "other"][item] = found != "correct"
        if _is_flagged(row):
            of_kind["human_pairs"][item] = found != "correct"
    numbers = {name: sum(of.values()) for name, of in of_subjects.items()}
    shown = sorted((name for name in numbers if numbers[name] >= least_errors), key=lambda name: (-numbers[name], name))
    metrics: Metrics = {
        "made_by": maker,
        "judged": len(outcomes),
        "errors": sum(found != "correct" for found in outcomes.values()),
        "least_errors": least_errors,
        "subjects": {name: _rate(of_subjects[name], settings) for name in shown},
        **{name: _rate(of, settings) for name, of in of_kind.items()},
    }
    tables = {
        "table10": _table10(metrics, of_subjects, settings),
        "human": _human_table(metrics, settings),
    }
    return Verified(metrics, tables)


def _subjects(row: Row) -> str:
    return _ARROW.join(str(row[f"subject_{side}"]).casefold() for side in (0, 1))


def _is_flagged(row: Row) -> bool:
    flag = json.loads(row["provenance"]).get("human")
    if not isinstance(flag, bool):
        raise WhatifError(
            f"pair {row['pair_id']}: provenance has no `human`, which says whether a subject is a human word; "
            "make the pairs again"
        )
    return flag


def _rate(of: Mapping[str, bool], settings: Precision) -> Metrics:
    """Errors among pictures, by item; both pictures of a pair go together."""
    cell: Metrics = {"errors": sum(of.values()), "judged": len(of)}
    if not of:
        return {**cell, "rate": None}
    pairs = [pair_and_side(item)[0] for item in of]
    return {**cell, **in_percent("rate", clustered_share(list(of.values()), pairs, confidence=settings.confidence))}


def _rate_cell(cell: Mapping[str, Any]) -> str:
    return "–" if cell["rate"] is None else f"{cell['rate']:.1f} ({cell['low']:.1f} to {cell['high']:.1f})"


def _table10(metrics: Metrics, of_subjects: Mapping[str, Mapping[str, bool]], settings: Precision) -> DisplayTable:
    printed = {
        f"{row['subject_original']}{_ARROW}{row['subject_counterfactual']}": row["value"]
        for row in published("coco-cf", "10")
    }
    rows = []
    for name in (*printed, *(name for name in metrics["subjects"] if name not in printed)):
        cell = metrics["subjects"].get(name) or _rate(of_subjects.get(name, {}), settings)
        rows.append((name, printed.get(name, ""), str(cell["errors"]), str(cell["judged"]), _rate_cell(cell)))
    caption = (
        f"Altered subjects among the errors: those printed, and those with {metrics['least_errors']} errors or more in "
        "ours (COCO-Counterfactuals Table 10). The paper prints no denominators; judged are all pictures of pairs "
        f"with these subjects, the rate has a {100 * settings.confidence:g}% interval by pair. "
        f"{metrics['errors']:,} of {metrics['judged']:,} pictures are errors. {whose(metrics['made_by'])}"
    )
    header = ("Altered subjects", "Errors, printed", "Errors", "Judged", "Rate (%)")
    return DisplayTable(caption, header, tuple(rows))


def _human_table(metrics: Metrics, settings: Precision) -> DisplayTable:
    printed = {
        row["metric"]: row["value"]
        for row in published("coco-cf", "text")
        if (row["location"], row["subset"], row["group"]) == ("appA.3.2", "COCO-CFs", "human-taxonomy")
    }
    recomputed = 100 * int(printed["errors"]) / int(printed["image_text_pairs"])
    rows = [
        (_KINDS["human"], "printed", printed["errors"], printed["image_text_pairs"], printed["error_rate"]),
        *(
            (label, "ours", str(metrics[name]["errors"]), str(metrics[name]["judged"]), _rate_cell(metrics[name]))
            for name, label in _KINDS.items()
        ),
    ]
    caption = (
        "Errors among the pictures whose altered subject is one of 14 human words (COCO-Counterfactuals "
        f"A.3.2), with {100 * settings.confidence:g}% intervals by pair. The printed rate is "
        f"not that of the printed counts, {printed['errors']} / {printed['image_text_pairs']} = {recomputed:.1f}%. "
        f"{whose(metrics['made_by'])}"
    )
    return DisplayTable(caption, ("Subjects", "From", "Errors", "Judged", "Rate (%)"), tuple(rows), text_columns=2)


def _told_by(maker: str | None) -> str:
    if maker == "automatic":
        return "Ours were sorted automatically, by a recogniser of drawn shapes, and by no people."
    return "Ours were sorted by people." if maker else "None of ours was sorted."
