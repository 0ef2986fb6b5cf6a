"""Table 6 (MuCR B.1): the scores in text and in images, which Figures 5 and 6 show."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES
from whatif.benchmarks.mucr.results import BY_PEOPLE, SCORE, WAYS, Results, Row
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT
from whatif.benchmarks.mucr.score_tables import BESIDE, as_printed, in_order, intervals_view, score_table
from whatif.results.reporting.answers import System
from whatif.results.reporting.declared import Made
from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import percent
from whatif.results.reporting.table import Column, Table, View

_ATTEMPT = ("lowest attempt", "highest attempt")


def _table(results: Results) -> Table:
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
    questions = results.asked
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
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", about, form="Form"),
        View(
            "People: the attempts with the lowest and the highest score in percent.",
            {"name": "By", "form": "Form"},
            (*people, Column("Attempts", "attempts", write=count)),
            "The scores above are of all attempts together, which is their mean if each answered the same questions. "
            f"The paper's are the mean of {reported.in_text('attempts_averaged')} attempts, also multiples of 0.25.",
        ),
    )
    return score_table("Text and images", rows, ("form",), views)


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


def _with_judge(results: Results) -> Table:
    """The table with the rows and views of a judge."""
    groups = {row["question_id"]: row["group_id"] for row in results.items}
    return results.with_judge(_table(results), groups)


TABLE: Made[Results] = Made(10, _with_judge)
