"""The items of C-VQA-Real: an image, its twin questions and all answers, in named views (`item_views`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif.benchmarks.cvqa_real.item_views import Chosen, Pair, Row, item_views, items_of, outcomes_of
from whatif.benchmarks.cvqa_real.schemas import VARIANTS
from whatif.benchmarks.cvqa_real.settings import ReportSettings
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.benchmarks.shared.item_selection import Selection
from whatif.benchmarks.shared.program_views import select_programs
from whatif.benchmarks.shared.question_items import About, question_items, shown_systems, title_of
from whatif.benchmarks.shared.reports import systems_of
from whatif.engine.graph.task import Task
from whatif.results.reporting.answers import System
from whatif.results.reporting.items import Item, ItemView
from whatif.results.reporting.judged import Judged

_OUTCOME = ("question_id", "model", "strategy", "correct")
_BY_RULES = "Right and wrong are by the rules, without the judge."


def real_items(
    task: Task[ReportSettings],
    questions: Sequence[dict[str, Any]],
    names: Mapping[str, str],
    genders: Mapping[str, str],
    judged: Judged | None,
) -> tuple[Iterator[Item], list[ItemView]]:
    """All items, and their views. Items are made while they are read.

    questions: the rows of all questions that were asked. names: the display names of the models by key, in the order in
    which their answers are shown; it may be empty.
    genders: image_id -> `male` or `female`, as from `genders_of`.
    judged: what the judge read, if there is one; it decides neither what is right nor which items a view shows.
    """
    strategies = task.settings.strategies
    systems = {
        (model, strategy): names[model] if len(strategies) == 1 else f"{names[model]}, {strategy}"
        for model, strategy in systems_of(task, ANSWERER, strategies)
        if model in names
    }
    pairs = items_of(questions)
    number = task.settings.aggregate.shown_items
    outcomes = outcomes_of(task.rows("predictions", _OUTCOME), names)
    selection = selected(item_views(pairs, outcomes, genders, number), systems)
    findings = [row for row in task.rows("program-findings") if row["model"] in names]
    select_programs(selection, [(one.original, one.counterfactual) for one in pairs], findings, number)

    def about(item_id: str, rows: Sequence[Row]) -> About:
        writer = Pair(rows[0], rows[-1]).writer
        by = () if writer is None else (f"Counterfactual question by the writer {writer}.",)
        return About(title_of(rows), (*by, *selection.notes(item_id)), selection.names(item_id))

    note = "" if judged is None else _BY_RULES
    views = [replace(view, text=f"{view.text} {note}".strip()) for view in selection.views]
    shown = shown_systems(task, ANSWERER, systems)
    return question_items(task, questions, shown, about, variants=dict.fromkeys(VARIANTS, ""), judged=judged), views


def selected(views: Sequence[Chosen], systems: Mapping[System, str]) -> Selection:
    """The items of some views, with notes that name the systems that they are shown for, and what they are beside."""
    selection = Selection()
    for one in views:
        notes = {}
        for shown in one.shown:
            names = "; ".join(name for system, name in systems.items() if system in shown.systems)
            for place, item in enumerate(shown.items):
                parts = []
                if len(shown.items) > 1:
                    other = 1 - place
                    label, beside = shown.labels[place], shown.labels[other]
                    parts.append(f"People perceived as {label}, beside {shown.items[other].pair_id} ({beside}).")
                parts += [f"{one.view.heading}: {names}."] if names else []
                notes[item.pair_id] = " ".join(parts)
        selection.add(one.view, notes, none=one.none)
    return selection
