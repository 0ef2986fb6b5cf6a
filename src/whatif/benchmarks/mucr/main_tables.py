"""Tables 6 and 7 of MuCR, text against images, and the drop from one to the other (MuCR 4.2, B.1)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT, Way
from whatif.benchmarks.mucr.reported import Number
from whatif.benchmarks.mucr.results import ALL, DROP, PEOPLE, SCORE, Results, Row, with_all
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT
from whatif.benchmarks.mucr.score_tables import (
    BESIDE,
    as_printed,
    changes_view,
    in_order,
    intervals_view,
    score_table,
    scores_view,
)
from whatif.results.reporting.answers import System
from whatif.results.reporting.numerals import count, signed
from whatif.results.reporting.precision import percent
from whatif.results.reporting.table import OURS, REPORTED, Column, Table, View

WAYS: tuple[Way, ...] = (IN_TEXT, IN_IMAGES)
BY_PEOPLE: Row = {"name": PEOPLE, "source": OURS}
_FORM = {"form": "Form"}
_ATTEMPT = ("lowest attempt", "highest attempt")


def table6(results: Results) -> Table:
    """Table 6 (MuCR B.1): the scores in text and in images, which Figures 5 and 6 show."""

    def ours(system: System) -> Iterable[Row]:
        for way in WAYS:
            yield from results.scores(results.metrics(system, way), {**results.place(system), "form": way.form})

    rows = in_order(
        results,
        reported.numbers("6"),
        lambda found: as_printed(found, "form"),
        ours,
        results.main,
        people=lambda: _people(results),
    )
    columns = tuple(
        Column(f"{metric} {'text' if form == TEXT else 'img.'}", SCORE, {"form": form, "metric": metric})
        for form in (TEXT, MAIN_FORM)
        for metric in SCORES
    )
    rounded = "; ".join(
        f"{told} for the {cell.text} of {cell.system} in {cell.metric}" for cell, told in reported.rounded_in_text()
    )
    people = tuple(
        Column(f"{metric}, {which.split()[0]}", which, {"metric": metric}) for metric in SCORES for which in _ATTEMPT
    )
    questions = results.questions
    asked = ", ".join(f"{len(questions.places(metric, IN_IMAGES)):,} in {metric}" for metric in SCORES)
    about = (
        f"Questions about images: {asked}, of {len(np.unique(questions.group)):,} groups. The four pairs of a group "
        f"are not independent, so intervals are by group. {results.ranked_by}"
    ).strip()
    views = (
        View(
            "Questions answered correctly in percent, in text and with all images on one composite (img.), each pair "
            f"in one style (MuCR Table 6); chance is {reported.in_text('accuracy')}%.",
            BESIDE,
            columns,
            f"Reported rows are of other pairs and images. {reported.about_sample()} Its text rounds down: {rounded}.",
        ),
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", about, **_FORM),
        View(
            "People: the attempts with the lowest and the highest score in percent.",
            {"name": "By", **_FORM},
            (*people, Column("Attempts", "attempts", write=count)),
            "The scores above are of all attempts together, which is their mean if each answered the same questions. "
            f"The paper's are the mean of {reported.in_text('attempts_averaged')} attempts, also multiples of 0.25.",
        ),
    )
    return score_table("table6", "Text and images", rows, ("form",), views)


def _people(results: Results) -> Iterable[Row]:
    for way in WAYS:
        place = {**BY_PEOPLE, "form": way.form}
        yield from results.scores(results.by_people(way, SCORES), place)
        attempts = {metric: results.of_attempts(way, metric) for metric in SCORES}
        for metric, some in attempts.items():
            shares = [percent(float(one.right.mean())) for one in some]
            for measure, pick in zip(_ATTEMPT, (min, max), strict=True):
                if shares:
                    yield {**place, "metric": metric, "measure": measure, "value": pick(shares)}
        if any(attempts.values()):
            yield {**place, "measure": "attempts", "value": max(map(len, attempts.values()))}


def table7(results: Results) -> Table:
    """Table 7 (MuCR B.1): models that read no images, in text, beside one that does."""

    def ours(system: System) -> Iterable[Row]:
        if results.metrics(system, IN_TEXT):
            for way in WAYS:
                yield from results.scores(results.metrics(system, way), {**results.place(system), "form": way.form})

    printed = reported.numbers("7")
    rows = in_order(results, printed, lambda found: as_printed(found, "form"), ours, results.main)
    cells = {(one.system, one.labels["form"], one.metric): one.value for one in printed}
    differences = ", ".join(
        f"{cells['DeepSeek-R1', TEXT, metric] - cells['GPT-o1', TEXT, metric]:+.2f} in {metric}" for metric in SCORES
    )
    without = [results.name(one) for one in results.main if not results.metrics(one, IN_IMAGES)]
    told = f"Ours without a row in images are asked in text only: {', '.join(without)}. " if without else ""
    views = (
        scores_view(
            "Questions in text answered correctly in percent, and in images where a model reads them (MuCR Table 7).",
            f"{told}The paper calls DeepSeek-R1 comparable to GPT-o1: {differences} points.",
            **_FORM,
        ),
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", **_FORM),
    )
    return score_table("table7", "Models in text", rows, ("form",), views)


def gap(results: Results) -> Table:
    """The drop from text to images (MuCR 4.2): text minus multimodal score in points, paired by pair.

    The metric `all` is over the questions of all three metrics. Intervals and tests are by group; p-values of real
    models are corrected over the table (Holm).
    """
    printed = reported.gaps()

    def of_reported(found: Iterable[Number]) -> Iterable[Row]:
        system = next(iter(found)).system
        values = [printed[system, metric] for metric in SCORES]
        for metric, value in zip((*SCORES, ALL), (*values, round(sum(values) / len(values), 4)), strict=True):
            yield {"name": system, "source": REPORTED, "metric": metric, "measure": DROP, "value": value}

    def ours(system: System) -> Iterable[Row]:
        text, images = (with_all(results.metrics(system, way)) for way in WAYS)
        yield from results.drops(text, images, results.place(system))

    def people() -> Iterable[Row]:
        text, images = (results.by_people(way, SCORES) for way in WAYS)
        yield from results.drops(with_all(text), with_all(images), BY_PEOPLE)

    rows = in_order(results, reported.numbers("6"), of_reported, ours, results.main, people=people)
    gained = [f"{system} in {metric} ({-value:+.2f})" for (system, metric), value in printed.items() if value < 0]
    views = (
        View(
            "The drop from text to images in points, text minus images (MuCR 4.2); all is over the three metrics.",
            BESIDE,
            tuple(Column(metric, DROP, {"metric": metric}, write=signed(2)) for metric in (*SCORES, ALL)),
            "Reported rows follow from Table 6. The paper says that all models lose with images, but some gain: "
            f"{', '.join(gained)}.",
        ),
        changes_view(
            f"Ours: the drop from text to images in points, over the same pairs, with {results.level} intervals "
            "by group.",
            "p is of the exact test that changes the signs of groups. Holm's correction is over all rows of real "
            "models. In the rows all, a pair counts once for each metric; with people, once for each attempt. "
            f"{results.ranked_by}".strip(),
            measure=DROP,
        ),
    )
    return score_table("gap", "The drop from text to images", results.corrected(rows), (), views)
