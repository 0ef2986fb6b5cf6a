"""The gallery of CFMM: items of each category with their image, their questions, and the options that were chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.cfmm.reported import prompt_name
from whatif.benchmarks.cfmm.schemas import VARIANTS
from whatif.benchmarks.cfmm.settings import ReportSettings
from whatif.benchmarks.shared.pair_panels import evenly
from whatif.graph.task import Task
from whatif.language.options import LETTERS
from whatif.reporting.gallery import Asked, Panel, Picture, Reply, Section, gallery
from whatif.reporting.system_answers import System
from whatif.scoring.ranking_rules import decided

_TEXT = (
    "Items with their basic and their counterfactual questions. The options follow each question; the right answer, "
    "and the option that each system chose, are beside it."
)
Row = Mapping[str, Any]


def item_gallery(
    task: Task[ReportSettings],
    questions: Sequence[Row],
    categories: Sequence[str],
    names: Mapping[System, str],
    by_mean: Sequence[System],
) -> bytes:
    """The page as HTML. `questions` are all that were asked; `names` are the display names of the systems.

    `by_mean` are the systems that cannot be ranked by the rule of the settings; their choices are those by the mean.
    """
    aggregate = task.settings.aggregate
    items: dict[str, dict[str, list[Row]]] = {category: {} for category in categories}
    for row in questions:
        items[row["group"]].setdefault(row["pair_id"], []).append(row)
    shown = {category: evenly(sorted(of_category), aggregate.shown_items) for category, of_category in items.items()}
    rows = [row for category, some in shown.items() for item in some for row in items[category][item]]
    given = _given(task, rows, by_mean)
    images = task.images()

    def asked(row: Row) -> Asked:
        options = "  ".join(f"{letter}: {choice}" for letter, choice in zip(LETTERS, row["choices"], strict=False))
        replies = {
            name: _reply(row, given[row["question_id"], *system])
            for system, name in names.items()
            if (row["question_id"], *system) in given
        }
        return Asked(f"{row['question']}  {options}", _words(row, row["answer"]), replies)

    sections = []
    for category, some in shown.items():
        panels = []
        for item in some:
            ordered = sorted(items[category][item], key=lambda row: VARIANTS.index(row["variant"]))
            picture = Picture(images.encoded(ordered[0]["image_ids"][0]))
            panels.append(Panel((picture,), tuple(map(asked, ordered)), item))
        sections.append(Section(category.capitalize(), _TEXT, tuple(panels)))
    return gallery("CFMM", sections).encode()


def system_name(name: str, strategy: str) -> str:
    """The display name of a system, given that of its model."""
    return f"{name}, {prompt_name(strategy)}"


def _given(
    task: Task[ReportSettings], questions: Sequence[Row], by_mean: Sequence[System]
) -> dict[tuple[str, str, str], Row]:
    """Predictions by question, model and strategy, decided by the rule of the settings."""
    columns = ["question_id", "model", "strategy", "response", "choice_scores", "answer", "status", "reason", "correct"]
    wanted = {row["question_id"]: row["answer"] for row in questions}
    rows = list(task.rows("predictions", columns, question_id=set(wanted)))
    ranked = [row for row in rows if (row["model"], row["strategy"]) not in by_mean]
    again = decided(ranked, wanted, task.settings.aggregate.rule)
    return {(row["question_id"], row["model"], row["strategy"]): row for row in [*rows, *again]}


def _reply(question: Row, prediction: Row) -> Reply:
    said = prediction["response"] if prediction["answer"] is None else _words(question, prediction["answer"])
    return Reply(said, prediction["correct"])


def _words(question: Row, letter: str) -> str:
    """An option for readers: its words and its letter."""
    return f"{question['choices'][LETTERS.index(letter)]} ({letter})"
