"""The gallery of C-VQA-Synthetic: a puzzle of each template, its twin questions, and the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_synthetic.settings import RankedReport
from whatif.graph.task import Task
from whatif.language.options import LETTERS
from whatif.reporting.gallery import Asked, Panel, Picture, Reply, Section, gallery
from whatif.scoring.ranking_rules import decided

_TEXT = (
    "The first puzzle of each template with its original and its counterfactual question: the right answer, and the "
    "option that each model chose."
)


def puzzle_gallery(
    task: Task[RankedReport],
    questions: Sequence[Mapping[str, Any]],
    names: Mapping[str, str],
    by_mean: Sequence[str],
    title: str,
) -> bytes:
    """The page as HTML. `questions` are all that were asked; `names` maps the models' keys to their display names.

    `by_mean` are the models that cannot be ranked by the rule of the settings; their choices are those by the mean.
    """
    first: dict[str, str] = {}
    for row in questions:
        first.setdefault(row["group"], row["pair_id"])
    shown = [row for row in questions if first[row["group"]] == row["pair_id"]]
    wanted = {row["question_id"] for row in shown}
    columns = ["question_id", "model", "response", "choice_scores", "answer", "status", "reason", "correct"]
    rows = list(task.rows("predictions", columns, question_id=wanted))
    answers = {row["question_id"]: row["answer"] for row in shown}
    again = decided([row for row in rows if row["model"] not in by_mean], answers, task.settings.rule)
    given = {(row["question_id"], row["model"]): row for row in [*rows, *again]}
    images = task.images()
    panels = []
    for group, pair_id in first.items():
        # The original question comes first, although its id comes second.
        twins = [row for row in reversed(shown) if row["pair_id"] == pair_id]
        asked = tuple(
            Asked(
                row["question"],
                _words(row, row["answer"]),
                {
                    name: _reply(row, given[row["question_id"], key])
                    for key, name in names.items()
                    if (row["question_id"], key) in given
                },
            )
            for row in twins
        )
        panels.append(Panel((Picture(images.encoded(twins[0]["image_ids"][0])),), asked, group))
    return gallery(title, [Section("Puzzles", _TEXT, tuple(panels))]).encode()


def _reply(question: Mapping[str, Any], prediction: Mapping[str, Any]) -> Reply:
    said = prediction["response"] if prediction["answer"] is None else _words(question, prediction["answer"])
    return Reply(said, prediction["correct"])


def _words(question: Mapping[str, Any], letter: str) -> str:
    """An option for readers: its words and its letter."""
    return f"{question['choices'][LETTERS.index(letter)]} ({letter})"
