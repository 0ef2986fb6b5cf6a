"""Tables 7 and 10 of COCO-Counterfactuals and the rate of A.3.2: images that were judged wrong, and the reasons."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from whatif.artifacts.pair_items import item_id, pair_and_side
from whatif.benchmarks.coco_counterfactuals.verification_tables import MADE_BY, Rows, whose
from whatif.errors import WhatifError
from whatif.language.human_words import is_human
from whatif.params.resolution import Resolution
from whatif.reporting.numerals import count, decimal
from whatif.reporting.precision import Precision, in_percent
from whatif.reporting.published_numbers import published
from whatif.reporting.table import OURS, PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.statistics import clustered_share, wilson
from whatif.verification.consensus import consensus, made_by, outcomes_of
from whatif.verification.error_categories import CATEGORIES
from whatif.verification.items import Row, pairs_by_id
from whatif.verification.resolution import MAJORITY

LEAST_ERRORS = 20  # minimum number of errors for a pair of subjects in Table 10
ALL = "all"  # all judged images, regardless of their subjects
_ARROW = " → "
_NUMBERS = ("value", "low", "high", "n")
HUMAN, OTHER, HUMAN_PAIRS, WHOLE_PAIRS = (
    "human word in the image's own caption",
    "another word in the image's own caption",
    "human word in either caption of the pair",
    "pairs with a human word in either caption",
)


def table7(
    categories: Mapping[str, str], settings: Precision, *, made_by: str | None, sampled: int | None = None
) -> Table:
    """Table 7: the distribution of a sample of errors over the eight categories, reported and ours.

    `categories` maps items to categories; `sampled` is the number of errors drawn, if some have no category yet.
    Measures: `share` of a category in percent of the `n` errors with a category, with Wilson intervals, and its
    `count`; the number of `sampled` errors; and the number of `categorised` errors.

    Raises WhatifError for a category that the paper does not have.
    """
    counts = Counter(categories.values())
    for name in counts:
        if name not in CATEGORIES:
            raise WhatifError(f"error category {name!r}: is none of {'; '.join(CATEGORIES)}")
    number = len(categories)
    drawn = number if sampled is None else sampled
    reported = {row["error_category"]: row["value"] for row in published(__package__, "table7")}
    made_by = made_by if categories else None
    ours = {"source": OURS, MADE_BY: made_by}
    rows: Rows = []
    for name in CATEGORIES:
        value = {"value": float(reported[name]), PUBLISHED: reported[name]}
        share = in_percent("value", wilson(counts[name], number, settings.confidence)) if number else {}
        rows += [
            {"category": name, "source": REPORTED, "measure": "share", **value},
            {"category": name, **ours, "measure": "share", **share, "n": number},
            {"category": name, **ours, "measure": "count", "value": counts[name]},
        ]
    rows += [{**ours, "measure": "sampled", "value": drawn}, {**ours, "measure": "categorised", "value": number}]
    views = (
        View(
            "What is wrong with images that were judged wrong, in percent of a sample, with "
            f"{100 * settings.confidence:g}% Wilson intervals (COCO-Counterfactuals Table 7).",
            {"category": "Category"},
            (
                Column("Reported (%)", "share", {"source": REPORTED}),
                Column("Ours (%)", "share", {"source": OURS}, write=decimal(2), interval=True),
                Column("Errors", "count", {"source": OURS}, write=count),
            ),
            _sorted_by(made_by),
        ),
        View(
            "The sample of errors; the paper's has 100.",
            {"source": "From"},
            (Column("Drawn", "sampled", write=count), Column("With a category", "categorised", write=count)),
        ),
    )
    frame = tidy(rows, ("category", "source", MADE_BY, "measure", PUBLISHED), _NUMBERS)
    return Table("table7", "Table 7: categories of errors", frame, views)


def error_subjects_tables(
    judgements: Iterable[Row],
    pairs: Iterable[Row],
    settings: Precision,
    *,
    least_errors: int = LEAST_ERRORS,
    resolution: Resolution = MAJORITY,
) -> tuple[Table, Table]:
    """Tables `table10` and `human`: errors by altered subjects, with the denominators that the paper does not report.

    Subjects are compared case-insensitively. In subjects that the paper reports, a plural with `s` counts as its
    singular (`people → kids` as `people → kid`), because some of them are in the released captions only as plurals.
    Both images of a pair count for its subjects, original first. Measures: `errors`, `judged` images, and the `rate` of
    errors in percent of `n` judged images, with intervals by pair. The rate is missing if no image was judged.
    `table10` contains the subjects that the paper reports, our subjects with at least `least_errors` errors
    (`woman → girl`), and `all`. `human` contains the same measures for

    - images whose own caption has a human word as its subject, which A.3.2 counts, and for the other images;
    - images of pairs whose provenance has `human`, which means that one of the two subjects is human;
    - these pairs as wholes: a pair is judged if one of its images was, and an error if one of them was judged wrong.

    Raises WhatifError when a judged item belongs to no pair, when human and automatic judgements are mixed, and when
    the provenance does not mention human words.
    """
    judged = list(judgements)
    maker = made_by(judged)
    by_id = pairs_by_id(pairs)
    wrong = {item: found != "correct" for item, found in outcomes_of(consensus(judged, resolution)).items()}
    of_subjects: dict[str, dict[str, bool]] = {}
    of_kind: dict[str, dict[str, bool]] = {HUMAN: {}, OTHER: {}, HUMAN_PAIRS: {}, WHOLE_PAIRS: {}}
    reported = {
        f"{row['subject_original']}{_ARROW}{row['subject_counterfactual']}": row["value"]
        for row in published(__package__, "table10")
    }
    singular = _singular(reported)
    for item, is_wrong in wrong.items():
        pair_id, side = pair_and_side(item)
        if pair_id not in by_id:
            raise WhatifError(f"judgement of {item}: there is no pair {pair_id}; give the pairs that were judged")
        row = by_id[pair_id]
        name = _subjects(row)
        of_subjects.setdefault(singular.get(name, name), {})[item] = is_wrong
        of_kind[HUMAN if is_human(row[f"subject_{side}"]) else OTHER][item] = is_wrong
        if _is_flagged(row):
            of_kind[HUMAN_PAIRS][item] = is_wrong
            whole = item_id(pair_id, 0)  # the first image stands for the pair
            of_kind[WHOLE_PAIRS][whole] = is_wrong or of_kind[WHOLE_PAIRS].get(whole, False)
    shown = {name: of for name, of in of_subjects.items() if sum(of.values()) >= least_errors}
    ordered = sorted(shown, key=lambda name: (-sum(shown[name].values()), name))
    rows: Rows = []
    for name in (*reported, *(name for name in ordered if name not in reported)):
        if name in reported:
            errors = {"measure": "errors", "value": int(reported[name]), PUBLISHED: reported[name]}
            rows.append({"subjects": name, "source": REPORTED, **errors})
        rows += _errors(of_subjects.get(name, {}), settings, {"subjects": name, "source": OURS, MADE_BY: maker})
    rows += _errors(wrong, settings, {"subjects": ALL, "source": OURS, MADE_BY: maker})
    level = f"{100 * settings.confidence:g}%"
    frame = tidy(rows, ("subjects", "source", MADE_BY, "measure", PUBLISHED), _NUMBERS)
    view = View(
        f"Altered subjects among the errors, with {level} intervals by pair (COCO-Counterfactuals Table 10).",
        {"subjects": "Altered subjects"},
        (Column("Errors, reported", "errors", {"source": REPORTED}, write=count), *_columns({"source": OURS})),
        f"Subjects that the paper reports, and those with {least_errors} or more errors in ours. The paper reports no "
        f"denominators; judged are all images of pairs with these subjects. {whose(maker)}",
    )
    table10 = Table("table10", "Table 10: altered subjects among errors", frame, (view,))
    return table10, _human(of_kind, settings, level, maker)


def _human(of_kind: Mapping[str, Mapping[str, bool]], settings: Precision, level: str, maker: str | None) -> Table:
    reported = {
        row["metric"]: row["value"]
        for row in published(__package__, "text")
        if (row["location"], row["subset"], row["group"]) == ("appA.3.2", "COCO-CFs", "human-taxonomy")
    }
    rows: Rows = [
        {
            "subjects": HUMAN,
            "source": REPORTED,
            "measure": measure,
            "value": float(reported[metric]),
            PUBLISHED: reported[metric],
        }
        for measure, metric in (("errors", "errors"), ("judged", "image_text_pairs"), ("rate", "error_rate"))
    ]
    for kind, of in of_kind.items():
        rows += _errors(of, settings, {"subjects": kind, "source": OURS, MADE_BY: maker})
    recomputed = decimal(1)(100 * int(reported["errors"]) / int(reported["image_text_pairs"]))
    view = View(
        "Errors among the images and pairs whose altered subject is one of 14 human words, with "
        f"{level} intervals by pair (COCO-Counterfactuals A.3.2).",
        {"subjects": "Subjects", "source": "From"},
        _columns({}),
        f"The reported rate is not that of the reported counts: {reported['errors']} / {reported['image_text_pairs']} "
        f"= {recomputed}%. The paper does not say whether it counts images or pairs; a pair is an error if one of its "
        f"images is. {whose(maker)}",
    )
    frame = tidy(rows, ("subjects", "source", MADE_BY, "measure", PUBLISHED), _NUMBERS)
    return Table("human", "Human subjects (A.3.2)", frame, (view,))


def _columns(where: Mapping[str, str]) -> tuple[Column, ...]:
    return (
        Column("Errors", "errors", where, write=count),
        Column("Judged", "judged", where, write=count),
        Column("Rate (%)", "rate", where, interval=True),
    )


def _singular(reported: Iterable[str]) -> dict[str, str]:
    """Subjects of which one or both are the plural with `s` of reported ones -> the reported subjects."""
    known = set(reported)
    found = {}
    for name in known:
        first, second = name.split(_ARROW)
        for plural in (f"{first}s{_ARROW}{second}", f"{first}{_ARROW}{second}s", f"{first}s{_ARROW}{second}s"):
            if plural not in known:
                found[plural] = name
    return found


def _subjects(row: Row) -> str:
    return _ARROW.join(str(row[f"subject_{side}"]).casefold() for side in (0, 1))


def _is_flagged(row: Row) -> bool:
    flag = json.loads(row["provenance"]).get("human")
    if not isinstance(flag, bool):
        raise WhatifError(
            f"pair {row['pair_id']}: provenance has no `human`, which is true where a subject is a human word; "
            "make the pairs again"
        )
    return flag


def _errors(wrong: Mapping[str, bool], settings: Precision, place: Mapping[str, Any]) -> Rows:
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


def _sorted_by(maker: str | None) -> str:
    if maker == "automatic":
        return "Ours were sorted automatically, by a recogniser of drawn shapes, not by people."
    return "Ours were sorted by people." if maker else "None of our errors were sorted."
