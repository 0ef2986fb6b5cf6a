"""Source questions of C-VQA-Real that a chat model is to change, and a chat server on loopback that replies as told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.benchmarks.cvqa_real.rows import source_row
from tests.chat_server import ChatServer, Message, text_of
from tests.projects import Project
from whatif.benchmarks.cvqa_real.schemas import WRITTEN
from whatif.engine.artifacts.schemas import QUESTIONS, Table
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.freshness import Condition, state_of
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.run import run

Row = dict[str, Any]
Asked = list[tuple[str, str]]  # questions with their answers
Reply = Callable[[Asked, int], str | int]
NAME = "cvqa-real"
SEPARATOR = "\n-----\n"
NUMERICAL = {"1": ("How many cats are there?", "2"), "2": ("How many dogs are in the yard?", "3")} | {
    str(number): (f"How many people wear {color} hats?", str(number))
    for number, color in enumerate(("red", "blue", "green", "white"), start=3)
}
BOOLEAN = {"11": ("Is the cat asleep?", "yes"), "12": ("Is it raining?", "no")}
# The ids of direct and boolean questions about all of them.
SIX_AND_TWO = {f"{one}-direct-writer" for one in NUMERICAL} | {f"{one}-boolean-writer" for one in BOOLEAN}


def small(
    project: Project, sources: dict[str, tuple[str, str]] | None = None, annotated: Sequence[Row] = (), **prompting: Any
) -> Project:
    """A project with these source questions, by default all above, and people's.

    The prompts are those for chat models with eight examples, and five questions a request.
    """
    project.select(NAME)
    rows = [source_row(one, *texts) for one, texts in (NUMERICAL | BOOLEAN if sources is None else sources).items()]
    _store(project, "extract", "questions", QUESTIONS, sorted(rows, key=lambda row: str(row["question_id"])))
    _store(project, "generate", "annotated", WRITTEN, list(annotated))
    project.generate["prompting"] |= {"file": None, "questions_per_request": 5} | prompting
    project.generate["prompting"]["examples"]["number"] = 8
    return project


def _store(project: Project, stage: str, role: str, table: Table, rows: list[Row]) -> None:
    path = project.folder / f"data/{stage}/{NAME}/{role}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_artifact(path, table, rows, role=role, made_from={})


def job_of(project: Project, **groups: bool) -> Job:
    """The job of the model `writer`, which writes direct and boolean questions unless told otherwise."""
    chosen = groups or {"direct": True, "boolean": True}
    project.generate["writers"] = {
        group: ["writer"] if chosen.get(group) else [] for group in ("direct", "indirect", "boolean")
    }
    (job,) = [job for job in project.jobs("generate") if job.step.name == "write"]
    return job


def write(project: Project, **groups: bool) -> list[str]:
    """Runs the job of the model `writer` alone; returns what it said."""
    said: list[str] = []
    assert run(job_of(project, **groups), said.append) == "computed"
    return said


def rows_of(project: Project, role: str) -> list[Row]:
    return project.rows("generate", role)


def refused(project: Project) -> dict[str, tuple[str, str]]:
    return {row["item_id"]: (row["reason"], row["detail"]) for row in rows_of(project, "unwritten")}


def written(project: Project) -> dict[str, Row]:
    return {row["written_id"]: row for row in rows_of(project, "by-model")}


def entry(question: str, answer: str, **changes: str) -> str:
    """An entry that can be used; `changes` replace values."""
    if answer in ("yes", "no"):
        other = "no" if answer == "yes" else "yes"
        values = [
            f"The new answer should be {other}, so it is otherwise.",
            "How to make it otherwise: change everything.",
            f"{question.rstrip('?')} if everything had been changed?",
            other,
        ]
    else:
        values = [
            "Add 2 of them",
            f"The answer would be {answer}+2={int(answer) + 2}",
            f"{question.rstrip('?')} if 2 more were added?",
            str(int(answer) + 2),
        ]
    labels = ("Original question", "Original answer", "Step1", "Step2", "New question", "New answer")
    found = dict(zip(labels, [question, answer, *values], strict=True))
    found |= {label.replace("_", " "): value for label, value in changes.items()}
    return "\n".join(f"{label}: {value}" for label, value in found.items())


def well(asked: Asked, turn: int = 0) -> str:
    return SEPARATOR.join(entry(*one) for one in asked)


class WriterServer(ChatServer):
    """Replies what `reply` makes of the questions in the last message and the number of the request, from 0."""

    def __init__(self, reply: Reply = well, finish: str = "stop") -> None:
        super().__init__(reply, finish)

    def texts(self, conversation: int) -> list[str]:
        return [text_of(message) for message in self.conversations[conversation]]

    def asked_in(self, messages: Sequence[Message]) -> Asked:
        return questions_in(text_of(messages[-1]))


def questions_in(text: str) -> Asked:
    return re.findall(r"^Original question: (.*)\nOriginal answer: (.*)$", text, re.MULTILINE)


@contextmanager
def writer(project: Project, reply: Reply = well, finish: str = "stop", **changes: Any) -> Iterator[WriterServer]:
    """A chat server that is the only model of the project."""
    with WriterServer(reply, finish) as server:
        project.values["models"] = {"writer": server.entry(**changes)}
        yield server


def counted(project: Project) -> set[str]:
    """The ids of all source questions by group and writer; none is in both outputs."""
    good, bad = written(project).keys(), refused(project).keys()
    assert not good & bad
    return good | bad


def is_fresh(project: Project) -> bool:
    return state_of(job_of(project), {}, ready=True).condition is Condition.FRESH
