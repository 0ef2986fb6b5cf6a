"""Asks a model the questions of CFMM with one strategy: it ranks the two options (CFMM 3.4, 4)."""

from __future__ import annotations

from whatif.benchmarks.cfmm.examples import chosen_examples
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.engine.graph.task import Task
from whatif.scoring.rank import predictions


def write_answers(task: Task[None]) -> None:
    """Writes the output `predictions` of the model and the strategy of the job; each item has its own example.

    Raises WhatifError as `chosen_examples`, `pilot_of` and `write_predictions`.
    """
    model, asked_with = task.wildcards["model"], task.wildcards["strategy"]
    questions = task.read("questions").to_pylist()
    pilot = pilot_of(task.model.limit, questions, task.seed, task.benchmark)
    asked = pilot.rows(questions) if pilot else questions
    shown = chosen_examples(asked_with, asked, list(task.rows("examples")), task.seed)
    write_predictions(
        task,
        lambda loaded, images: predictions(
            asked,
            images,
            model,
            loaded,
            form=task.model.multiple_choice,
            prompt_form=task.model.prompt_form,
            samples=task.model.samples,
            strategy=asked_with,
            examples=lambda row: shown[row["pair_id"]],
        ),
        questions=questions,
    )
