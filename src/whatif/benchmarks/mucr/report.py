"""The results of MuCR, from which its tables and figures are made, and their publication."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whatif.benchmarks.mucr.asked_items import AskedItems
from whatif.benchmarks.mucr.dimensions import TUNED
from whatif.benchmarks.mucr.funnel_stages import stages_of
from whatif.benchmarks.mucr.headline import headline_of
from whatif.benchmarks.mucr.results import Attempts, Results
from whatif.benchmarks.mucr.settings import ReportSettings
from whatif.benchmarks.mucr.site_items import site_items
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.pilots import Pilot, marked
from whatif.benchmarks.shared.reports import publish, systems_of
from whatif.benchmarks.shared.tasks import names_of
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.task import Task
from whatif.results.reporting.answers import COLUMNS, Answers, Flags
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.table_modules import TableModules

TITLE = "MuCR"
_BASELINES = ("random", "first-option", "majority")  # adapters that read neither image nor question


def publish_report(task: Task[ReportSettings], modules: TableModules) -> None:
    """Publishes every text file of this benchmark's aggregation, and its items for the site.

    Raises WhatifError when predictions are not those of the questions, as `Answers` and `AskedItems` say.
    """
    items = task.read("items").to_pylist()
    rows = task.read("questions").to_pylist()
    questions = AskedItems.of(rows, items)
    systems = systems_of(task, CHOOSER, task.settings.strategies)
    answers = Answers(artifacts.batches(task.paths("predictions"), PREDICTIONS, COLUMNS), questions, systems)
    pilots = checked(answers)
    keys = list(dict.fromkeys(model for model, _ in systems))
    attempts = list(task.rows("attempts"))
    found = Results.of(
        task,
        TITLE,
        rows,
        answers,
        marked({key: name for key, name in names_of(task, CHOOSER).items() if key in keys}, pilots),
        stages=stages_of(task, answers),
        strategies=task.settings.strategies,
        resolution=task.settings.choices_by,
        items=items,
        tuned=dict(_tuned(task, questions)),
        people=Attempts.of(attempts, questions) if attempts else None,
        baselines=frozenset(
            key for key, fields in task.shown_models(CHOOSER).items() if fields.get("adapter") in _BASELINES
        ),
    )
    of_systems = {(model, strategy): f"{found.names[model]}, {strategy}" for model, strategy in systems}
    shown_items, views = site_items(task, rows, items, of_systems, found.by_mean, judged=found.judged)
    publish(task, report_of(modules, TITLE, found, headline_of(found)), shown_items, views)


def checked(answers: Answers[AskedItems]) -> dict[str, Pilot]:
    """The pairs that models were asked which were not asked all, by key of the model.

    Raises WhatifError when a model was asked a kind of question (metric, form, style, hints, language) about some of
    its pairs, and not about the others.
    """
    questions = answers.questions
    cells, total = questions.cells(), len(questions.pairs)
    pairs: dict[str, set[int]] = {}
    for place, (model, _) in enumerate(answers.systems):
        pairs.setdefault(model, set()).update(questions.pair[answers.asked[place]].tolist())

    def wanted(place: int) -> Flags:
        asked = answers.asked[place]
        whose = np.isin(questions.pair, sorted(pairs[answers.systems[place][0]]))
        return np.asarray(whose & np.isin(cells, np.unique(cells[asked])))

    answers.check_asked(wanted)
    every = {
        place: set(questions.pair[np.isin(cells, np.unique(cells[answers.asked[place]]))].tolist())
        for place in range(len(answers.systems))
    }
    found = {}
    for place, (model, _) in enumerate(answers.systems):
        if pairs[model] < every[place]:
            found[model] = Pilot({questions.pairs[one] for one in pairs[model]}, total)
    return found


def _tuned(task: Task[ReportSettings], questions: AskedItems) -> Iterator[tuple[tuple[str, str], Answers[AskedItems]]]:
    """The answers of fine-tuned models by key of the model and seed."""
    given = task.inputs["tuned"]
    for path, wildcards in zip(given.paths, given.wildcards, strict=True):
        rows = list(artifacts.batches([path], PREDICTIONS, COLUMNS))
        systems = list(
            dict.fromkeys(
                (model, strategy)
                for piece in rows
                for model, strategy in zip(piece["model"].to_pylist(), piece["strategy"].to_pylist(), strict=True)
            )
        )
        if systems:
            answers = Answers(rows, questions, systems)
            checked(answers)
            answers.rank_by(task.settings.aggregate.rule)
            yield (wildcards[TUNED.name], wildcards["seed"]), answers
