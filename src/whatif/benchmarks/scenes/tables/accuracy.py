"""The accuracy of each model, by type of answer and over all questions.

Measures: `accuracy` in percent of the `n` questions that were asked, with intervals by image; `unanswered`: the number
of these without an answer, which count as wrong; `asked`: questions asked, of `n`. With a judge, further rows and views
show the accuracy with it, what it found, and its agreement with people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.scenes.report import ALL, Row, SceneResults
from whatif.benchmarks.shared.people_rows import with_people
from whatif.results.reporting.declared import Made
from whatif.results.reporting.judged import ACCURACY, JUDGE, READINGS, judge_views
from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import in_percent
from whatif.results.reporting.table import OURS, Column, Table, View, tidy
from whatif.scoring.statistics import clustered_share

_SYSTEM = {"model": "", "name": "Model"}
_GROUP = {"group": "Type of answer"}


def _rows(found: SceneResults) -> Iterator[dict[str, Any]]:
    for group in (*sorted({row["group"] for row in found.questions}), ALL):
        of_group = [row["question_id"] for row in found.questions if group in (row["group"], ALL)]
        for model, answers in found.answers.items():
            if ids := [one for one in of_group if one in answers]:  # else none of these questions is in the sample
                place = {"model": model, "name": found.names[model], "source": OURS, "group": group}
                yield from ({**place, **row} for row in _of_model(found, model, ids, len(of_group)))
    if found.judged is not None:
        by_id = {row["question_id"]: row for row in found.questions}
        of = (found.names, "All models", by_id, found.settings.confidence, found.images)
        yield from ({"source": OURS, "group": ALL, **row} for row in found.judged.agreements(*of))


def _of_model(found: SceneResults, model: str, ids: Sequence[str], questions: int) -> Iterator[dict[str, Any]]:
    answers = found.answers[model]
    yield {"measure": "accuracy", **_right(found, answers, ids)}
    yield {"measure": "unanswered", "value": sum(answers[one]["status"] != "ok" for one in ids), "n": len(ids)}
    yield {"measure": "asked", "value": len(ids), "n": questions}
    if found.judged is not None:
        for reading, given in zip(READINGS, (answers, found.judged_answers[model]), strict=True):
            yield {JUDGE: reading, "measure": ACCURACY, **_right(found, given, ids)}
        yield from found.judged.counts(model, set(ids))


def _right(found: SceneResults, answers: Mapping[str, Row], ids: Sequence[str]) -> dict[str, Any]:
    right, images = [answers[one]["correct"] for one in ids], [found.images[one] for one in ids]
    share = clustered_share(right, images, confidence=found.settings.confidence)
    return {**in_percent("value", share), "n": len(ids)}


def _table(found: SceneResults) -> Table:
    columns = (Column("Accuracy", "accuracy", interval=True), Column("Questions", "accuracy", number="n"))
    view = View(
        f"Accuracy (%) on open questions about scenes, by VQAv2's type of answer, with {found.level} intervals by "
        "image.",
        {**_GROUP, **_SYSTEM},
        (*columns, Column("Not answered", "unanswered", write=count)),
        "A question without an answer counts as wrong.",
    )
    further: tuple[View, ...] = ()
    if found.judged is not None:
        compared = (Column("Accuracy", ACCURACY, interval=True), Column("Questions", ACCURACY, number="n"))
        further = judge_views(found.judged, compared, _SYSTEM, _GROUP, found.level)
    identity = ("model", "name", "source", "group", *([] if found.judged is None else [JUDGE]), "measure")
    table = Table("", "Questions", tidy(_rows(found), identity, ("value", "low", "high", "n")), (view, *further))
    places = {(key, ""): {"model": key, "name": name, "source": OURS} for key, name in found.names.items()}
    return with_people(found, table, places, _GROUP, lambda row: [{"group": row["group"]}, {"group": ALL}])


TABLE: Made[SceneResults] = Made(10, _table)
