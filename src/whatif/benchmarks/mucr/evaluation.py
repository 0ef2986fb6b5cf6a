"""Asks a model the questions of MuCR with one strategy: it chooses one of four options (MuCR 4.1, 5.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whatif.benchmarks.mucr.examples import example_chooser
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.pilots import Pilot, pilot_of
from whatif.engine.graph.task import Task
from whatif.engine.params.model_entries import Limit
from whatif.scoring.rank import majority_answers, predictions

Row = Mapping[str, Any]
IMAGES = ("images", "drawn-images", "composites")  # the inputs with the images of the questions
LABELS = "image_labels"  # in the provenance of a question with several images: their labels, in order


def asked_questions(
    questions: Sequence[Row], items: Iterable[Row], *, first: bool, takes_images: bool = True
) -> list[Row]:
    """The rows of `questions` that a model is asked: with the `first` strategy, or with one of the others."""
    wanted = {row["question_id"] for row in items if _is_asked(row, first=first, takes_images=takes_images)}
    return [row for row in questions if row["question_id"] in wanted]


def pilot_sample(
    limit: Limit, questions: Sequence[Row], items: Iterable[Row], seed: int, benchmark: str
) -> Pilot | None:
    """The pilot sample of a model with this `limit` of pairs, in proportion to the categories; None for all pairs.

    A sample is the same for all strategies, forms and metrics.
    """
    category = {row["pair_id"]: row["category"] for row in items}
    return pilot_of(limit, [{**row, "group": category[row["pair_id"]]} for row in questions], seed, benchmark)


def labelled(questions: Iterable[Row]) -> list[dict[str, Any]]:
    """Questions with the column `image_labels`, by which a composite for models that take one image names its images.

    The labels are those in the provenance, if it has any.
    """
    return [{**row, LABELS: json.loads(row["provenance"]).get(LABELS)} for row in questions]


def _is_asked(item: Row, *, first: bool, takes_images: bool) -> bool:
    if not takes_images:
        return first and item["form"] == TEXT
    in_main_form = item["form"] == MAIN_FORM and item["mixture"] and item["metric"] in SCORES
    return first or (in_main_form and not item["hints"] and item["language"] == "en")


def write_answers(task: Task[str]) -> None:
    """Writes the output `predictions` of the model and the strategy of the job; `task.settings` is the first strategy.

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
