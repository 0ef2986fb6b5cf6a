"""Tables 7 and 10 of COCO-Counterfactuals and the rate of A.3.2: images that were judged wrong, and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from whatif.benchmarks.coco_counterfactuals.human_table import NUMBERS, by_kind, error_columns, error_rows, human_table
from whatif.benchmarks.coco_counterfactuals.verification_tables import MADE_BY, Rows, whose
from whatif.engine.artifacts.pair_items import pair_and_side
from whatif.engine.errors import WhatifError
from whatif.engine.language.published_subjects import published_subjects, stem
from whatif.engine.params.resolution import Resolution
from whatif.people.consensus import consensus, made_by, outcomes_of
from whatif.people.error_categories import CATEGORIES
from whatif.people.items import Row, pairs_by_id
from whatif.people.resolution import MAJORITY
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import Precision, in_percent
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.scoring.statistics import wilson

LEAST_ERRORS = 20  # minimum number of errors for a pair of subjects in Table 10
ALL = "all"  # all judged images, regardless of their subjects
_ARROW = " → "


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
    frame = tidy(rows, ("category", "source", MADE_BY, "measure", PUBLISHED), NUMBERS)
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

    The subjects are those that the published rule finds in the captions (`published_subjects`). They are the same if
    their Porter stems are (`people → kids` and `people → kid`). Both images of a pair count for its subjects, original
    first. Measures: `errors`, `judged` images, and the `rate` of
    errors in percent of `n` judged images, with intervals by pair. The rate is missing if no image was judged.
    `table10` contains the subjects that the paper reports, our subjects with at least `least_errors` errors
    (`woman → girl`), and `all`. `human` contains the same measures, and the number of `pairs`, for

    - images of pairs in which the stem of either subject is that of a human word, as published, and for the others;
    - images whose own caption has a human word as its subject, as A.3.2 says, and for the other images;
    - images of pairs whose provenance has `human`, which means that one of the two subjects is human;
    - these pairs as wholes: a pair is judged if one of its images was, and an error if one of them was judged wrong.

    Raises WhatifError when a judged item belongs to no pair, when human and automatic judgements are mixed, and when
    the provenance does not mention human words.
    """
    judged = list(judgements)
    maker = made_by(judged)
    by_id = pairs_by_id(pairs)
    wrong = {item: found != "correct" for item, found in outcomes_of(consensus(judged, resolution)).items()}
    for item in wrong:
        if pair_and_side(item)[0] not in by_id:
            raise WhatifError(
                f"judgement of {item}: there is no pair {pair_and_side(item)[0]}; give the pairs that were judged"
            )
    reported = {
        f"{row['subject_original']}{_ARROW}{row['subject_counterfactual']}": row["value"]
        for row in published(__package__, "table10")
    }
    of_subjects = _named(wrong, by_id, reported)
    shown = {name: of for name, of in of_subjects.items() if sum(of.values()) >= least_errors}
    ordered = sorted(shown, key=lambda name: (-sum(shown[name].values()), name))
    rows: Rows = []
    for name in (*reported, *(name for name in ordered if name not in reported)):
        if name in reported:
            errors = {"measure": "errors", "value": int(reported[name]), PUBLISHED: reported[name]}
            rows.append({"subjects": name, "source": REPORTED, **errors})
        rows += error_rows(of_subjects.get(name, {}), settings, {"subjects": name, "source": OURS, MADE_BY: maker})
    rows += error_rows(wrong, settings, {"subjects": ALL, "source": OURS, MADE_BY: maker})
    level = f"{100 * settings.confidence:g}%"
    frame = tidy(rows, ("subjects", "source", MADE_BY, "measure", PUBLISHED), NUMBERS)
    view = View(
        f"Altered subjects among the errors, with {level} intervals by pair (COCO-Counterfactuals Table 10).",
        {"subjects": "Altered subjects"},
        (Column("Errors, reported", "errors", {"source": REPORTED}, write=count), *error_columns({"source": OURS})),
        f"Subjects that the paper reports, and those with {least_errors} or more errors in ours. As published, a "
        "caption's subject is its first word that the other caption lacks; if there is none, the other caption's word "
        "at the place of its last word. Words with the same Porter stem are the same subject (`kid` and `kids`). The "
        f"paper reports no denominators; judged are all images of pairs with these subjects. {whose(maker)}",
    )
    table10 = Table("table10", "Table 10: altered subjects among errors", frame, (view,))
    return table10, human_table(by_kind(wrong, by_id), settings, maker)


def _named(wrong: Mapping[str, bool], by_id: Mapping[str, Row], reported: Iterable[str]) -> dict[str, dict[str, bool]]:
    """The items by published subjects, which are the same if their stems are; with their most frequent spelling.

    A subject that the paper reports has its name there. The stems of no two of these are the same.
    """
    names = {tuple(map(stem, name.split(_ARROW))): name for name in reported}
    of_stems: dict[tuple[str, ...], dict[str, bool]] = {}
    spellings: dict[tuple[str, ...], Counter[str]] = {}
    for item, is_wrong in wrong.items():
        pair = by_id[pair_and_side(item)[0]]
        subjects = [word.casefold() for word in published_subjects(pair["caption_0"], pair["caption_1"])]
        stems = tuple(map(stem, subjects))
        of_stems.setdefault(stems, {})[item] = is_wrong
        spellings.setdefault(stems, Counter())[_ARROW.join(subjects)] += 1
    for stems, found in spellings.items():
        names.setdefault(stems, min(found, key=lambda name: (-found[name], name)))
    named: dict[str, dict[str, bool]] = {}
    for stems, items in of_stems.items():
        named.setdefault(names[stems], {}).update(items)
    return named


def _sorted_by(maker: str | None) -> str:
    if maker == "automatic":
        return "Ours were sorted automatically, by a recogniser of drawn shapes, not by people."
    return "Ours were sorted by people." if maker else "None of our errors were sorted."
