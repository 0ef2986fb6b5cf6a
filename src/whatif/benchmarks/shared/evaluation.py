"""The parts of an evaluation that all benchmarks share: the job's model, its stored answers, and errors."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from whatif import models
from whatif.engine.graph.task import Task
from whatif.engine.language.messages import one_turn
from whatif.engine.language.options import printed_question
from whatif.engine.params.models import Replay
from whatif.engine.params.probes import WITHOUT_IMAGE
from whatif.models import Answer, Model, Question, Unconditional
from whatif.models.depicted import Depicted
from whatif.models.shown_progress import share_of

Result = TypeVar("Result")
Ask = Callable[[Model, Any], Iterable[Mapping[str, Any]]]

_ROWS_TOGETHER = 64  # a table of one row takes as long to make as one of many: a millisecond


def write_predictions(
    task: Task[Any],
    ask: Ask,
    *,
    questions: Sequence[Mapping[str, Any]],
    images: Sequence[str] = ("images",),
    depicted: Callable[[str], Depicted | None] = lambda image_id: None,
    image_remedy: str = "",
) -> None:
    """Writes the rows of `predictions` that `ask` returns for the job's model and an `ImageStore`.

    `images` are the roles of the inputs with the images. `questions` are all questions of the benchmark, including
    those that other jobs ask. `depicted` returns what a drawn image shows, for models whose tools know it. A model
    whose answers were recorded elsewhere, without any to these questions or with another strategy, gets no rows, and a
    message gives the reason; so does one that knows only drawn images, if none is drawn, and one that takes images, if
    no question has any and `image_remedy` tells how to name them.
    Reports how many questions ended in error and why; if some errors are transient, the outputs are marked as
    unfinished. In a dry run nothing is written.
    """
    from whatif.models.replay import without_place
    from whatif.models.responses.store import ResponseStore, store_path
    from whatif.models.responses.stored import stored

    name = task.wildcards["model"]
    settings = task.model
    loaded, pictures = models.load(settings.adapter, settings, task.seed), task.images(*images)
    if isinstance(loaded, models.KnowsDrawnImages):
        loaded.depicted = depicted
    if task.stand_in is not None:
        deque(ask(task.stand_in(loaded), pictures), maxlen=0)
        return
    reason = (
        _another_strategy(task)
        or _nothing_recorded(loaded, questions)
        or _nothing_drawn(loaded, questions)
        or _nothing_shown(loaded, questions, "" if task.wildcards.get("probe") == WITHOUT_IMAGE else image_remedy)
    )
    if reason:
        if task.is_first_part:  # reported once, not by every part
            warn(f"{name}: not evaluated on {task.benchmark}: {reason}")
        task.outputs.write("predictions", [])
        return
    errors: Counter[str] = Counter()
    total = 0
    with models.closing(loaded), ResponseStore(store_path()) as store:
        model = TransientErrors(stored(loaded, store))
        rows = iter(ask(model, pictures))
        while together := list(islice(rows, _ROWS_TOGETHER)):
            task.outputs.writer("predictions").write(together)
            total += len(together)
            errors.update(without_place(str(row["reason"])) for row in together if row["status"] == "error")
    report_errors(task, name, total, errors, model.reasons)


def ask_stored(task: Task[Any], ask: Callable[[Model, bool], Result]) -> tuple[Result, Counter[str]] | None:
    """What `ask` returns of the job's model, whose answers are stored; and the reasons of its transient errors.

    `ask` gets the model, and whether this is a dry run: then the model is a stand-in, and there is no result.
    """
    from whatif.models.responses.store import ResponseStore, store_path
    from whatif.models.responses.stored import stored

    loaded = models.load(task.model.adapter, task.model, task.seed)
    if task.stand_in is not None:
        ask(task.stand_in(loaded), True)
        return None
    with models.closing(loaded), ResponseStore(store_path()) as store:
        model = TransientErrors(stored(loaded, store))
        return ask(model, False), model.reasons


def report_replies(task: Task[Any], name: str, replies: Sequence[Mapping[str, Any]], transient: Counter[str]) -> None:
    """Reports, as `report_errors`, how many requests to the model `name` ended in error; `replies` have a `status`."""
    errors = Counter(str(row["reason"]) for row in replies if row["status"] == "error")
    report_errors(task, name, len(replies), errors, transient)


def report_errors(task: Task[Any], name: str, total: int, errors: Counter[str], transient: Counter[str]) -> None:
    """Reports how many of `total` questions to the model `name` ended in error, by reason.

    If some errors are transient, the outputs are marked as unfinished.
    """
    if errors:
        warn(f"{name}: {errors.total():,} of {total:,} questions ended in error, most often: {_first(errors)}")
    if transient:
        task.outputs.unfinished(transient.total(), _first(transient))
        model = task.wildcards.get("model")  # a job of another stage is divided by models of another name
        stage = f"evaluate@{model}" if model is not None else task.name.partition(" ")[0]
        warn(
            f"{name}: {transient.total():,} of these errors are transient; the next `snakemake` asks only these "
            f"questions again, `dvc repro` only if forced: `dvc repro --single-item --force {stage}`"
        )


def _another_strategy(task: Task[Any]) -> str | None:
    """Why the file of a model has no answers to the job's strategy; None if it may have some, or answers here."""
    named = task.model.strategy if isinstance(task.model, Replay) else None
    if named in (None, task.wildcards.get("strategy", named)):
        return None
    return (
        f"its file has responses to the strategy {named}, which is not asked; correct `strategy` of the model, or "
        "leave it out"
    )


def _nothing_recorded(model: Model, questions: Sequence[Mapping[str, Any]]) -> str | None:
    """Why a model with recorded answers has none for a benchmark; None if it has some, or answers here."""
    if not isinstance(model, models.Recorded):
        return None
    return model.look_up([_as_recorded(row) for row in questions])


def _nothing_drawn(model: Model, questions: Sequence[Mapping[str, Any]]) -> str | None:
    """Why a model that knows only drawn images can answer nothing; None if it can."""
    if not isinstance(model, models.KnowsDrawnImages) or not model.drawn_only:
        return None
    if any(model.depicted(image_id) is not None for row in questions for image_id in row["image_ids"]):
        return None
    return "its tools know only what drawn images show, and none of these images is drawn"


def _nothing_shown(model: Model, questions: Sequence[Mapping[str, Any]], remedy: str) -> str | None:
    """Why a model that takes images cannot be asked: no question has one, and `remedy` tells how to name them."""
    if not remedy or not models.takes_images(model) or model.identity is None:  # baselines look at nothing
        return None
    if any(row["image_ids"] for row in questions):
        return None
    return f"it takes images, and no image is there; {remedy}"


def _as_recorded(row: Mapping[str, Any]) -> Question:
    """A question with all the text by which a file of responses may identify it."""
    prompt = printed_question(row["question"], row["choices"])
    return Question(row["question_id"], row["group"], row["variant"], one_turn(prompt))


class TransientErrors:
    """A model whose transient errors are counted, by their reasons (`reasons`)."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._failed: set[str] = set()  # a question may be asked several times
        self.reasons: Counter[str] = Counter()

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """The model's identity."""
        return self._model.identity

    @property
    def note(self) -> str:
        """The model's remark."""
        return models.note_of(self._model)()

    @property
    def share(self) -> float | None:
        """The share of the work that the model has done."""
        return share_of(self._model)

    @property
    def unconditional(self) -> tuple[Unconditional, ...]:
        """The unconditional likelihoods that the model is asked for."""
        return models.unconditional_of(self._model)

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """The model's answers."""
        for answer, question in zip(self._model.answer(questions), questions, strict=True):
            self._count(question.question_id, answer)
            yield answer

    def _count(self, question_id: str, answer: Answer) -> None:
        if answer.status == "error" and answer.transient and question_id not in self._failed:
            self._failed.add(question_id)
            self.reasons[str(answer.reason)] += 1


def _first(reasons: Counter[str]) -> str:
    return reasons.most_common(1)[0][0]


def warn(line: str) -> None:
    """Prints a line that the display of a run shows when the job has ended."""
    print(f"whatif: {line}", file=sys.stderr)
