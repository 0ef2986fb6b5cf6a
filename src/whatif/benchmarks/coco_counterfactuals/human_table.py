"""The rate of errors for human subjects (COCO-Counterfactuals A.3.2), by the published rule and by ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from whatif.benchmarks.coco_counterfactuals.verification_tables import MADE_BY, Rows, whose
from whatif.engine.artifacts.pair_items import item_id, pair_and_side
from whatif.engine.errors import WhatifError
from whatif.engine.language.human_words import is_human
from whatif.engine.language.published_subjects import is_published_human, published_subjects
from whatif.people.items import Row
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import Precision, in_percent
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import OURS, PUBLISHED, RECOMPUTED, REPORTED, Column, Table, View, tidy
from whatif.scoring.statistics import clustered_share

NUMBERS = ("value", "low", "high", "n")
PUBLISHED_PAIRS, PUBLISHED_REST = "pairs with the stem of a human word (as published)", "other pairs (as published)"
HUMAN, OTHER, HUMAN_PAIRS, WHOLE_PAIRS = (
    "human word in the image's own caption",
    "another word in the image's own caption",
    "human word in either caption of the pair",
    "pairs with a human word in either caption",
)
_ALL_IMAGES, _ALL_ERRORS = 34_820, 9_338  # the errors are those of the released labels: 26.82%, as reported


def by_kind(wrong: Mapping[str, bool], pairs: Mapping[str, Row]) -> dict[str, dict[str, bool]]:
    """Kind of subjects -> item -> whether it is an error.

    `wrong` has the judged items, and `pairs` the row of `pairs` of each pair. Raises WhatifError when the provenance of
    a pair does not mention human words.
    """
    kinds: dict[str, dict[str, bool]] = {
        kind: {} for kind in (PUBLISHED_PAIRS, PUBLISHED_REST, HUMAN, OTHER, HUMAN_PAIRS, WHOLE_PAIRS)
    }
    for item, is_wrong in wrong.items():
        pair_id, side = pair_and_side(item)
        row = pairs[pair_id]
        human = is_published_human(published_subjects(row["caption_0"], row["caption_1"]))
        kinds[PUBLISHED_PAIRS if human else PUBLISHED_REST][item] = is_wrong
        kinds[HUMAN if is_human(row[f"subject_{side}"]) else OTHER][item] = is_wrong
        if _is_flagged(row):
            kinds[HUMAN_PAIRS][item] = is_wrong
            whole = item_id(pair_id, 0)  # the first image stands for the pair
            kinds[WHOLE_PAIRS][whole] = is_wrong or kinds[WHOLE_PAIRS].get(whole, False)
    return kinds


def human_table(kinds: Mapping[str, Mapping[str, bool]], settings: Precision, maker: str | None) -> Table:
    """The table `human` from the result of `by_kind`; `maker` made the judgements.

    Measures: `errors`, `judged` images (or pairs, for whole pairs), their `rate` in percent with intervals by pair, and
    the number of `pairs` that they belong to. The paper's numbers are `reported`: a number of wrong images and a number
    of pairs, with the printed rate. The rates of images that follow from them are `recomputed`.
    """
    reported = {
        row["metric"]: row["value"]
        for row in published(__package__, "text")
        if (row["location"], row["subset"], row["group"]) == ("appA.3.2", "COCO-CFs", "human-taxonomy")
    }
    errors, pairs = int(reported["errors"]), int(reported["image_text_pairs"])
    rows: Rows = [
        {
            "subjects": PUBLISHED_PAIRS,
            "source": REPORTED,
            "measure": measure,
            "value": float(reported[metric]),
            PUBLISHED: reported[metric],
        }
        for measure, metric in (("errors", "errors"), ("pairs", "image_text_pairs"), ("rate", "error_rate"))
    ]
    rows += _recomputed(PUBLISHED_PAIRS, errors, 2 * pairs)
    rows += _recomputed(PUBLISHED_REST, _ALL_ERRORS - errors, _ALL_IMAGES - 2 * pairs)
    rows += _recomputed("all", _ALL_ERRORS, _ALL_IMAGES)
    for kind, of in kinds.items():
        place = {"subjects": kind, "source": OURS, MADE_BY: maker}
        belong = {"measure": "pairs", "value": len({pair_and_side(item)[0] for item in of})}
        rows += [*error_rows(of, settings, place), {**place, **belong}]
    one = decimal(1)
    view = View(
        "Errors among the images and pairs whose altered subject is one of 14 human words, with "
        f"{100 * settings.confidence:g}% intervals by pair (COCO-Counterfactuals A.3.2).",
        {"subjects": "Subjects", "source": "From"},
        (Column("Pairs", "pairs", write=count), *error_columns({})),
        f"The reported rate has two errors. It is not {errors} / {pairs}, which is {one(100 * errors / pairs)}%. And "
        f"this is no rate: {errors} is the number of wrong images, {pairs} the number of pairs. Of their "
        f"{count(2 * pairs)} images, {one(50 * errors / pairs)}% are wrong, fewer than of all images "
        f"({one(100 * _ALL_ERRORS / _ALL_IMAGES)}%) and of the others: human subjects are easier, not harder. As "
        "published, a pair counts if the Porter stem of either subject is that of one of the words, of which "
        "`children` is misspelt. In the other rows, words are compared whole; a whole pair is an error if one of its "
        "images is. "
        f"{whose(maker)}",
    )
    frame = tidy(rows, ("subjects", "source", MADE_BY, "measure", PUBLISHED), NUMBERS)
    return Table("human", "Human subjects (A.3.2)", frame, (view,))


def error_columns(where: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns of the measures of `error_rows`."""
    return (
        Column("Errors", "errors", where, write=count),
        Column("Judged", "judged", where, write=count),
        Column("Rate (%)", "rate", where, interval=True),
    )


def error_rows(wrong: Mapping[str, bool], settings: Precision, place: Mapping[str, Any]) -> Rows:
    """The rows for some images (item -> whether it is an error); both images of a pair form one cluster."""
    rate: dict[str, Any] = {"n": len(wrong)}
    if wrong:
        pairs = [pair_and_side(item)[0] for item in wrong]
        rate |= in_percent("value", clustered_share(list(wrong.values()), pairs, confidence=settings.confidence))
    return [
        {**place, "measure": "errors", "value": sum(wrong.values())},
        {**place, "measure": "judged", "value": len(wrong)},
        {**place, "measure": "rate", **rate},
    ]


def _recomputed(subjects: str, errors: int, images: int) -> Rows:
    """The rows from the reported counts, both of images."""
    place = {"subjects": subjects, "source": RECOMPUTED}
    numbers = (("errors", errors), ("judged", images), ("rate", round(100 * errors / images, 4)), ("pairs", images / 2))
    return [{**place, "measure": measure, "value": value} for measure, value in numbers]


def _is_flagged(row: Row) -> bool:
    flag = json.loads(row["provenance"]).get("human")
    if not isinstance(flag, bool):
        raise WhatifError(
            f"pair {row['pair_id']}: provenance has no `human`, which is true where a subject is a human word; "
            "make the pairs again"
        )
    return flag
