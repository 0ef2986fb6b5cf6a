"""Asks a model multiple-choice questions (as C-VQA 4.2): it ranks the options, or names one in its own words."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, Literal

from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.benchmarks.shared.program_findings import write_program_findings
from whatif.engine.artifacts.schemas import QUESTIONS
from whatif.engine.artifacts.stored_rows import StoredRows
from whatif.engine.graph.task import Task
from whatif.engine.params.model_entries import MultipleChoice
from whatif.models.depicted import Depicted

Ask = Literal["rank", "generate"]


def ask_choices(
    task: Task[Any],
    ask: Ask,
    pairs: Set[str] | None = None,
    *,
    depicted: Callable[[str], Depicted | None] = lambda image_id: None,
    image_remedy: str = "",
) -> None:
    """Writes the predictions of the job's model for those questions that belong to `pairs`: by default, those of the
    job's part.

    The step reads all questions of the benchmark as the input `questions`. `depicted` returns what an image shows, if
    that is known. `image_remedy` is as in `write_predictions`. The choice of a ranking model is stored by the mean; all
    scores are stored, and aggregation applies the rule.
    """
    from whatif.scoring.rank import majority_answers, predictions

    questions = StoredRows(task.paths("questions"), QUESTIONS)
    if pairs is None:
        every = sorted({row["pair_id"] for row in questions.rows(["pair_id"])})
        here = task.part_of(len(every))
        pairs = set(every[here.start : here.stop])
    model = task.wildcards["model"]
    in_words = ask == "generate" and task.model.answers_in_words
    form: MultipleChoice = "words" if in_words else task.model.multiple_choice
    # From all parts, otherwise a baseline would depend on the number of parts.
    majority = majority_answers(questions.rows(["group", "variant", "answer"]))
    pilot = pilot_of(task.model.limit, questions, task.seed, task.benchmark)
    asked = list(questions.where("pair_id", pairs & pilot.pairs if pilot else pairs))
    write_predictions(
        task,
        lambda loaded, images: predictions(
            asked,
            images,
            model,
            loaded,
            form=form,
            majority=majority,
            prompt_form=task.model.prompt_form,
            samples=task.model.samples,
        ),
        questions=questions,
        depicted=depicted,
        image_remedy=image_remedy,
    )


def write_choice_findings(task: Task[Any], depicted: Callable[[str], Depicted | None], labels: str | None) -> None:
    """Writes why the answers of the job's model, which answers by programs, are wrong.

    `depicted` is what a drawn puzzle shows, by the id of its image; `labels` is the path of people's labels.
    """
    from whatif.scoring.rank import predictions

    model = task.wildcards["model"]
    write_program_findings(
        task,
        lambda questions, loaded: predictions(questions, task.images(), model, loaded, form="open"),
        depicted=depicted,
        labels=labels,
    )
