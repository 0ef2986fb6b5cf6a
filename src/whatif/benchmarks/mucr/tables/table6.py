"""Table 6 of MuCR (B.1): the scores in text and in images, which Figures 5 and 6 show."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whatif.benchmarks.mucr.asked_items import IN_IMAGES, Way
from whatif.benchmarks.mucr.outcomes import PEOPLE, SCORE, Answerer, Row
from whatif.benchmarks.mucr.report import WAYS, Mucr
from whatif.benchmarks.mucr.reported import about_sample, in_text, reported, rounded_in_text
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT
from whatif.benchmarks.mucr.score_tables import BESIDE, intervals_view, score_table
from whatif.benchmarks.shared.people_rows import with_people
from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import percent
from whatif.results.reporting.table import PUBLISHED, Column, Table, View

_ATTEMPT = ("lowest attempt", "highest attempt")


def _rows(found: Mucr, who: Answerer) -> Iterator[Row]:
    for way in WAYS:
        place = {**who.place, "form": way.form}
        yield from found.scores(who.by_metric(way), place)
        if not who.is_model:
            yield from _of_attempts(who, way, place)


def _of_attempts(who: Answerer, way: Way, place: Row) -> Iterator[Row]:
    """The lowest and the highest score of an attempt by people, and the number of attempts."""
    numbers = []
    for metric in SCORES:
        shares = [percent(float(one.right.mean())) for one in who.by_set(way, metric) if one.n]
        numbers.append(len(shares))
        for measure, pick in zip(_ATTEMPT, (min, max), strict=True):
            if shares:
                yield {**place, "metric": metric, "measure": measure, "value": pick(shares)}
    if any(numbers):
        yield {**place, "measure": "attempts", "value": max(numbers)}


def _views(found: Mucr) -> tuple[View, ...]:
    form = {"form": "Form"}
    rounded = "; ".join(
        f"{told} for the {cell[PUBLISHED]} of {cell['name']} in {cell['metric']}" for cell, told in rounded_in_text()
    )
    asked = ", ".join(f"{len(found.asked.places(metric, IN_IMAGES)):,} in {metric}" for metric in SCORES)
    return (
        View(
            "Questions answered correctly in percent, in text and with all images on one composite (img.), each pair "
            f"in one style (MuCR Table 6); chance is {in_text('accuracy')}%.",
            BESIDE,
            tuple(
                Column(f"{metric} {'text' if form == TEXT else 'img.'}", SCORE, {"form": form, "metric": metric})
                for form in (TEXT, MAIN_FORM)
                for metric in SCORES
            ),
            f"Reported rows are of other pairs and images. {about_sample()} Its text rounds down: {rounded}.",
        ),
        intervals_view(
            f"Ours in percent, with {found.level} intervals by group.",
            f"Questions about images: {asked}, of {len(np.unique(found.asked.group)):,} groups. The four pairs of a "
            f"group are not independent, so intervals are by group. {found.ranked_by}".strip(),
            **form,
        ),
        View(
            "People: the attempts with the lowest and the highest score in percent.",
            {"name": "By", **form},
            (
                *(Column(f"{one}, {which.split()[0]}", which, {"metric": one}) for one in SCORES for which in _ATTEMPT),
                Column("Attempts", "attempts", write=count),
            ),
            "The scores above are of all attempts together, which is their mean if each answered the same questions. "
            f"The paper's are the mean of {in_text('attempts_averaged')} attempts, also multiples of 0.25.",
        ),
    )


def _further(found: Mucr, table: Table) -> Table:
    """The table with the rows and views of the judge, and the ceiling that people set."""
    groups = {row["question_id"]: row["group_id"] for row in found.task.rows("items", ["question_id", "group_id"])}
    ids = found.asked.ids.to_pylist()
    parts = {
        ids[place]: [{"form": way.form, "metric": metric}]
        for way in WAYS
        for metric in SCORES
        for place in found.asked.places(metric, way)
    }
    return with_people(
        found,
        found.with_judge(table, groups),
        {system: who.place for system, who in found.systems.items() if who in found.main},
        {"form": "Form", "metric": "Metric"},
        lambda row: parts.get(row["question_id"], []),
        measure=None,
        name=PEOPLE,
    )


TABLE = score_table(
    10,
    title="Text and images",
    rows=lambda found: found.beside(reported("6"), lambda who: _rows(found, who), found.everyone),
    views=_views,
    labels=["form"],
    further=_further,
)
