"""People's answers to the questions of a benchmark: the setting that names the files, and their import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field

from whatif.engine.artifacts.schemas import ATTEMPTS, REJECTIONS
from whatif.engine.graph.dimensions import Dimension
from whatif.engine.graph.steps import OutputOf, Step
from whatif.engine.graph.task import Task
from whatif.engine.params.base import Settings
from whatif.engine.params.whole import Params
from whatif.people.imports.settings import AnswerFiles
from whatif.results.reporting.funnel import FunnelStage, stage_of_losses

_REMEDY = "give people's answers to the questions of this benchmark as evaluate.{}.human_attempts in params.yaml"


class HumanAttempts(Settings):
    """How a benchmark compares models with people: the part of its settings that names the files of their answers."""

    human_attempts: AnswerFiles = Field(default_factory=list)


def _people(params: Params, benchmark: str) -> Sequence[str]:
    stage = getattr(params.sections[benchmark], "evaluate", None)
    return ["all"] if isinstance(stage, HumanAttempts) and stage.human_attempts else []


# People, if there are files of their answers. So without files there is no job, and nothing that it makes.
PEOPLE = Dimension("people", _people, "Only `all` people whose answers to questions evaluate.human_attempts names.")


def people_step(questions: OutputOf) -> Step:
    """The step that reads people's answers to a benchmark's questions, and says which of them do not count."""
    return Step(
        "verify",  # not `evaluate`, whose stage in dvc.yaml has one folder for each model
        write_attempts,
        {"attempts": ATTEMPTS, "uncounted": REJECTIONS},
        name="people",
        reads=lambda s: s.evaluate.human_attempts,
        seed=True,
        divided_by=(PEOPLE,),
        inputs={"questions": questions},
    )


def write_attempts(task: Task[AnswerFiles]) -> None:
    """Writes the outputs `attempts` and `uncounted`. Raises WhatifError as `import_answers`, and if none is left."""
    from whatif.people.answers import import_answers

    found, refused = import_answers(task.settings, task.read("questions").to_pylist(), task.seed)
    task.outputs.write("attempts", found)
    task.outputs.write("uncounted", refused)
    task.check_losses("answers", len(found), refused, remedy=_REMEDY.format(task.benchmark))


def attempts_in(task: Task[Any]) -> list[dict[str, Any]]:
    """People's answers among the inputs of a step; none if it reads none."""
    return list(task.rows("attempts")) if "attempts" in task.inputs else []


def people_stage(task: Task[Any]) -> Iterator[FunnelStage]:
    """The stage of the funnel in which people's answers were read, if there are some."""
    if "attempts" not in task.inputs:
        return
    stage = stage_of_losses("people", "answers", task.count("attempts"), task.rows("uncounted"))
    if stage.came_in:
        yield stage
