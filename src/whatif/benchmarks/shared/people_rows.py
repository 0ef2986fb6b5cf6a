"""People's answers in the results of a benchmark: further rows and a view of its table of accuracies.

People are no entry of `models`: they answer some of the questions, each as often as there are attempts, while a
question that a model leaves out counts as wrong, and all questions of a model have the same number of samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.variants import variant_order
from whatif.results.reporting.answers import System
from whatif.results.reporting.people import PEOPLE, SHARED, PeoplesAnswers, people_view
from whatif.results.reporting.table import MEASURE, OURS, Table, with_rows
from whatif.scoring.ranking_rules import STORED

if TYPE_CHECKING:
    from whatif.benchmarks.shared.results import Results

Row: TypeAlias = Mapping[str, str]
ACCURACY = "accuracy"


def with_people(
    found: Results,
    table: Table,
    places: Mapping[System, Row],
    labels: Mapping[str, str],
    parts: Callable[[Mapping[str, str]], Iterable[Row]],
    *,
    measure: Callable[[Row], str] | None = lambda part: ACCURACY,
    name: str = PEOPLE,
) -> Table:
    """A table with the row of people, and each accuracy on the questions that they answered beside the ceiling.

    Without answers of people it stays as it is. places: the identifying columns of each system, with `model` and
    `name`; the strategy of a model that was asked with a single one may be empty. labels: the columns that identify a
    part of the questions, with their headings. parts: returns the parts that a row of `questions` is in. measure: the
    measure under which the table has the accuracy of a part; None if it has a row of people already.
    """
    attempts: dict[str, list[Row]] = {}
    for row in found.human_attempts:
        attempts.setdefault(row["question_id"], []).append(row)
    if not attempts:
        return table
    people = PeoplesAnswers(attempts, found.clusters, found.settings.confidence, found.task.seed)
    right = _right(found, attempts, places)
    rows = []
    for part, ids in _parts(found.questions, attempts, parts):
        for system, place in places.items():
            rows += [{**place, **part, **row} for row in people.of_model(right[system], ids)]
        for row in people.of_people(ids):
            rows.append({"name": name, "source": OURS, **part, **row})
            if row[MEASURE] == SHARED and measure is not None:
                rows.append({**rows[-1], MEASURE: measure(part)})
    several = len({strategy for _, strategy in places}) > 1 and "strategy" in table.frame.columns
    shown = {"model": "", "name": "Model", **({"strategy": "Strategy"} if several else {}), **labels}
    by_mean = getattr(found, "rule", STORED) != STORED
    note = "Ranked options are compared by the mean here." if by_mean else ""
    view = people_view(found.title, shown, found.level, found.cluster_unit, note)
    return with_rows(table, rows, list(labels), (view,))


def _parts(
    questions: Iterable[Mapping[str, str]],
    attempts: Mapping[str, Sequence[Row]],
    parts: Callable[[Mapping[str, str]], Iterable[Row]],
) -> list[tuple[Row, list[str]]]:
    """The parts of the questions that people answered, with the ids of these; larger parts follow those within them."""
    found: dict[tuple[int, tuple[tuple[str, str], ...]], list[str]] = {}
    answered = [row for row in questions if row["question_id"] in attempts]
    for row in sorted(answered, key=lambda row: (*variant_order(row["variant"]), row["question_id"])):
        for place, part in enumerate(parts(row)):
            found.setdefault((place, tuple(part.items())), []).append(row["question_id"])
    return [(dict(part), ids) for (_, part), ids in sorted(found.items(), key=lambda one: one[0][0])]


def _right(
    found: Results, attempts: Mapping[str, Sequence[Row]], places: Mapping[System, Row]
) -> dict[System, dict[str, bool]]:
    """Whether the answer of each system to a question that people answered is right."""
    right: dict[System, dict[str, bool]] = {system: {} for system in places}
    columns = ["question_id", "model", "strategy", "correct"]
    for row in artifacts.rows_of(found.task.paths("predictions"), PREDICTIONS, columns):
        of_system = right.get((row["model"], row["strategy"]), right.get((row["model"], "")))
        if of_system is not None and row["question_id"] in attempts:
            of_system[row["question_id"]] = row["correct"]
    return right
