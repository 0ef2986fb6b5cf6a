"""Fine-tunes a checkpoint with the correct choices, and asks it again (MuCR 7, Table 4).

The paper does not say which items it trained on. Here, no group is both trained on and asked about: its four pairs
share the causality. A share of the train groups is held out; its loss is reported. Model and questions are those of the
main results, in mixed styles and the main visual form, so that only the training differs between before and after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES
from whatif.benchmarks.shared.evaluation import report_errors, warn
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.engine.params.fine_tuning import FineTuning
from whatif.engine.random_streams import stream
from whatif.models import Model
from whatif.models.fine_tuning.examples import Example, examples_of, held_out_groups, readable
from whatif.models.fine_tuning.trained_weights import check_trainable
from whatif.models.fine_tuning.training import fine_tune
from whatif.models.local.chat import load_chat
from whatif.scoring.rank import predictions

Row = Mapping[str, Any]
_ROLES = ("images", "drawn-images", "composites")


def tuned_key(model: str, seed: str) -> str:
    """The key of a tuned model in `predictions`, for example `llava-tuned-0` of the model `llava` and `seed-0`."""
    return f"{model}-tuned-{seed.removeprefix('seed-')}"


def write_tuned(task: Task[FineTuning]) -> None:
    """Writes the losses of the job's model and seed, and its answers to the questions of the test groups.

    The weights are not kept: the same job makes them again.

    Raises WhatifError when the weights cannot be trained, when there is nothing to train on, and when a group is in
    both splits.
    """
    model, settings = task.wildcards["tuned"], task.model
    key = tuned_key(model, task.wildcards["seed"])
    check_trainable(model, settings, task.settings)
    items = {str(row["question_id"]): row for row in task.rows("items")}
    training = main_questions(list(task.rows("training")), items)
    asked = _asked(task, items)
    check_splits(training, asked, items)
    if not training:
        raise WhatifError(
            f"{task.benchmark}: there are no train groups to fine-tune {model} on; raise "
            f"verify.{task.benchmark}.questions.train_share, or extract more groups"
        )
    chat, images = load_chat(settings), task.images(*_ROLES)
    examples = examples_of(training, partial(_answers, training, images, key, settings=settings, samples=1))
    examples, unreadable = readable(chat.model, examples)
    if unreadable:
        reason, _ = unreadable.most_common(1)[0]
        warn(f"{key}: {unreadable.total():,} of {len(training):,} examples cannot be shown, most often: {reason}")
    groups = {str(items[row["question_id"]]["group_id"]) for row in training}
    held_out = held_out_groups(groups, task.settings.held_out, task.seed)
    learnt, checked = _divided(examples, items, held_out)
    own_seed = int(stream(task.seed, "fine-tuning", task.wildcards["seed"]).integers(2**31))
    task.outputs.write("losses", fine_tune(key, chat, learnt, checked, task.settings, seed=own_seed))
    # The same answers would be stored under the key of the checkpoint as it was: nothing is stored.
    tuned = replace(chat.model, identify=lambda: None)
    rows = list(_answers(asked, images, key, tuned, settings=settings, samples=settings.samples))
    task.outputs.write("tuned-predictions", rows)
    errors = Counter(str(row["reason"]) for row in rows if row["status"] == "error")
    report_errors(task, key, len(rows), errors, Counter())


def main_questions(questions: Sequence[Row], items: Mapping[str, Row]) -> list[Row]:
    """The questions C2E, CP and EXP in mixed styles and the main visual form, in English and without hints."""
    return [row for row in questions if _is_main(items[row["question_id"]])]


def check_splits(training: Sequence[Row], asked: Sequence[Row], items: Mapping[str, Row]) -> None:
    """Raises WhatifError, naming a group, when questions of one group are trained on and asked."""
    learnt, tested = ({str(items[row["question_id"]]["group_id"]) for row in rows} for rows in (training, asked))
    if both := sorted(learnt & tested):
        raise WhatifError(
            f"group {both[0]}: is trained on and asked about, as are {len(both) - 1:,} more of {len(tested):,} asked "
            "groups; a group must be in one split"
        )


def _is_main(item: Row) -> bool:
    return bool(
        item["metric"] in SCORES
        and item["form"] == MAIN_FORM
        and item["mixture"]
        and not item["hints"]
        and item["language"] == "en"
    )


def _asked(task: Task[FineTuning], items: Mapping[str, Row]) -> list[Row]:
    """The main questions of the test groups, of the pairs that the model is asked before its training."""
    questions = list(task.rows("questions"))
    pilot = pilot_of(task.model.limit, questions, task.seed, task.benchmark)
    return main_questions(list(pilot.rows(questions)) if pilot else questions, items)


def _answers(
    rows: Sequence[Row], images: ImageStore, key: str, model: Model, *, settings: Any, samples: int
) -> Iterator[dict[str, Any]]:
    return predictions(
        rows,
        images,
        key,
        model,
        form=settings.multiple_choice,
        prompt_form=settings.prompt_form,
        samples=samples,
        strategy=DIRECT,
    )


def _divided(
    examples: Sequence[Example], items: Mapping[str, Row], held_out: set[str]
) -> tuple[list[Example], list[Example]]:
    """The examples of the groups that are trained on, and those of the groups that are held out."""
    learnt: list[Example] = []
    checked: list[Example] = []
    for example in examples:
        group = items[example.question.question_id]["group_id"]
        (checked if group in held_out else learnt).append(example)
    return learnt, checked
