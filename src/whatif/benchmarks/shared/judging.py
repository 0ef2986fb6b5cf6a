"""The judge of an evaluation: its step, and what this does."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from typing import Any

from whatif import models
from whatif.benchmarks.shared.dimensions import JUDGE, PROMPT
from whatif.benchmarks.shared.evaluation import TransientErrors, report_errors, warn
from whatif.engine.artifacts.schemas import JUDGED
from whatif.engine.graph.dimensions import Dimension
from whatif.engine.graph.steps import OutputOf, Step
from whatif.engine.graph.task import Task

# A reply of the right format to a question with each kind of answer.
_REPLIES = {"number": "Answer: 3", "boolean": "Answer: yes", "choice": "Answer: B", "text": "Answer: red"}

Row = Mapping[str, Any]


def judge_step(answered: Dimension, *parts: Dimension, questions: OutputOf, predictions: OutputOf) -> Step:
    """The step in which the judge reads the responses to a benchmark's questions.

    answered: the models that gave them. parts: by what else their evaluation is divided.
    """
    return Step(
        "evaluate",
        write_judged,
        {"judged": JUDGED},
        name="judge",
        seed=True,
        divided_by=(answered, JUDGE, PROMPT, *parts),
        inputs={"questions": questions, "predictions": predictions},
    )


def write_judged(task: Task[Any]) -> None:
    """Asks the job's judge about the predictions of the job in which the rules found no single answer.

    The inputs are `questions` and `predictions`, the output is `judged`. Without such predictions the judge is not
    loaded. Errors are reported, and transient ones leave the output unfinished, as in `write_predictions`. In a dry run
    nothing is written.
    """
    from whatif.models.responses.store import ResponseStore, store_path
    from whatif.models.responses.stored import stored
    from whatif.scoring.judging import OUTSIDE, is_judged, judged

    name, prompt = task.wildcards["judge"], task.wildcards["prompt"]
    kinds = {row["question_id"]: row["answer_kind"] for row in task.rows("questions", ["question_id", "answer_kind"])}
    predictions = [row for row in task.rows("predictions") if is_judged(row, kinds[row["question_id"]])]
    if not predictions:
        if task.stand_in is None:
            task.outputs.write("judged", [])
        return
    of_these = {row["question_id"] for row in predictions}
    questions = list(task.rows("questions", question_id=of_these))
    settings = task.model
    loaded = models.load(settings.adapter, settings, task.seed)
    if task.stand_in is not None:
        deque(judged(questions, predictions, name, task.stand_in(loaded), prompt=prompt), maxlen=0)
        return
    statuses: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    outside: list[Row] = []
    with models.closing(loaded), ResponseStore(store_path()) as store:
        model = TransientErrors(stored(loaded, store))
        for row in judged(questions, predictions, name, model, prompt=prompt):
            task.outputs.writer("judged").write([row])
            statuses[row["status"]] += 1
            if row["reason"] == OUTSIDE:
                outside.append(row)
            if row["status"] == "error":
                errors[str(row["reason"])] += 1
    total = statuses.total()
    task.say(
        f"{name}: found the answer of {statuses['ok']:,} of {total:,} responses of {task.wildcards['model']} that the "
        f"rules left to it"
    )
    if outside:
        first = outside[0]
        kind = next(row["answer_kind"] for row in questions if row["question_id"] == first["question_id"])
        warn(
            f"{name}: {len(outside):,} of {total:,} replies of this judge are outside its format, and count as no "
            f"answer; the first is {first['response']!r:.60}; it must be one whole line such as `{_REPLIES[kind]}`"
        )
    report_errors(task, name, total, errors, model.reasons)
