"""Asks a model multiple-choice puzzles (C-VQA 4.2): it ranks the four options, or names one in its own words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal

from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.graph.task import Task
from whatif.params.model_entries import MultipleChoice

Ask = Literal["rank", "generate"]


def ask_puzzles(task: Task[Any], ask: Ask, questions: Sequence[dict[str, Any]], pairs: Collection[str]) -> None:
    """Writes the predictions of the job's model for those of the `questions` that belong to `pairs`.

    `questions` are all questions of the benchmark. The choice of a ranking model is stored by the mean; all scores are
    stored, and aggregation applies the rule.
    """
    from whatif.scoring.rank import majority_answers, predictions

    model = task.wildcards["model"]
    in_words = ask == "generate" and task.model.answers_in_words
    form: MultipleChoice = "words" if in_words else task.model.multiple_choice
    majority = majority_answers(questions)  # from all parts, otherwise a baseline would depend on the number of parts
    pilot = pilot_of(task.model.limit, questions, task.seed, task.benchmark)
    asked = [question for question in (pilot.rows(questions) if pilot else questions) if question["pair_id"] in pairs]
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
    )
