"""Asks a model the questions of MuCR with one strategy: it chooses one of four options (MuCR 4.1, 5.3)."""

from __future__ import annotations

from whatif.benchmarks.mucr.asking import IMAGES, asked_questions, labelled, pilot_sample
from whatif.benchmarks.mucr.examples import example_chooser
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.engine.graph.task import Task
from whatif.scoring.rank import majority_answers, predictions


def write_answers(task: Task[str]) -> None:
    """Writes the output `predictions` of the model and the strategy of the job; `task.settings` is the first strategy.

    Which questions are asked is in `whatif.benchmarks.mucr.asking`.

    Raises WhatifError as `example_chooser`, `pilot_of` and `write_predictions`.
    """
    model, asked_with = task.wildcards["model"], task.wildcards["strategy"]
    questions = labelled(task.rows("questions"))
    items = list(task.rows("items"))
    asked = asked_questions(
        questions,
        items,
        first=asked_with == task.settings,
        takes_images=getattr(task.model, "takes_images", True),
    )
    sampled = pilot_sample(task.model.limit, questions, items, task.seed, task.benchmark)
    if sampled is not None:
        asked = list(sampled.rows(asked))
    if not asked:
        task.outputs.write("predictions", [])
        return
    examples = example_chooser(asked_with, labelled(task.rows("training")), items, task.rows("pairs"), task.seed)
    write_predictions(
        task,
        lambda loaded, images: predictions(
            asked,
            images,
            model,
            loaded,
            form=task.model.multiple_choice,
            majority=majority_answers(questions),
            prompt_form=task.model.prompt_form,
            samples=task.model.samples,
            strategy=asked_with,
            examples=examples,
        ),
        questions=questions,
        images=IMAGES,
    )
