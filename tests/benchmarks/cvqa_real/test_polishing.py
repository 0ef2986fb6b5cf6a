"""The polishing: a chat model whose replies correct, repeat, change too much, or cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.benchmarks.cvqa_real.written_pairs import Row, pair, run_step
from tests.chat_server import ChatServer
from tests.command_line import whatif
from tests.projects import Project
from whatif.benchmarks.cvqa_real.polishing import read_prompt
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import Condition, state_of

Reply = Callable[[dict[str, str], int], str | int]
WRONG = "How many {thing} would there be if 2 more {thing} was added?"
RIGHT = "How many {thing} would there be if 2 more {thing} were added?"
THINGS = ("dogs", "cats", "cups", "kites", "boats", "trees", "lamps")


def written(things: tuple[str, ...] = THINGS) -> list[Row]:
    rows = []
    for number, thing in enumerate(things, 1):
        of_pair, _ = pair(f"{number}-direct-rules", f"How many {thing} are there?", "3", WRONG.format(thing=thing), "5")
        rows += of_pair
    return rows


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    return Project(folder, "cvqa-real")


@contextmanager
def polisher(project: Project, reply: Reply, prompt_file: str | None = None) -> Iterator[ChatServer]:
    """A chat server that is the model `polisher` of the project."""
    with ChatServer(reply) as server:
        project.values["models"] = {"polisher": server.entry()}
        project.section("verify")["polish"] = {"model": "polisher", "prompt_file": prompt_file}
        yield server


def said(text: str) -> str:
    return json.dumps({"question": text})


def polish(project: Project, rows: list[Row]) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]], str]:
    """What the step `polish` wrote: question -> before and after, question -> reason and detail; and what it said."""
    lines = run_step(project, "verify", "polish", checked=rows)
    polished = {row["question_id"]: row for row in project.rows("verify", "polished")}
    refused = {row["item_id"]: row for row in project.rows("verify", "unpolished")}
    asked = {row["question_id"] for row in rows if row["variant"] == "counterfactual"}
    assert {*polished, *refused} == asked and len(polished) + len(refused) == len(asked)
    return (
        {item: (row["before"], row["after"]) for item, row in polished.items()},
        {item: (row["reason"], row["detail"]) for item, row in refused.items()},
        next(line for line in lines if line.startswith("polisher: of ")),
    )


@pytest.mark.process  # the client asks `uname` for the name of the system
def test_each_question_is_polished_unchanged_or_refused(project: Project) -> None:
    def reply(given: dict[str, str], repairs: int) -> str | int:
        text = given["question"]
        right = text.replace(" was ", " were ")
        replies: dict[str, str | int] = {
            "dogs": said(right),
            "cats": said(text),
            "cups": said(right.replace("2 more", "3 more")),
            "kites": "Certainly! The question is now correct.",
            "boats": 400,
            "trees": said(right.replace("2 more", "3 more")) if not repairs else f"```json\n{said(right)}\n```",
            "lamps": f"{said(right)}\n{said(text)}",
        }
        return replies[text.split()[2]]

    with polisher(project, reply) as server:
        polished, refused, line = polish(project, written())
    dogs, cats, trees = (f"{number}-direct-rules-counterfactual" for number in (1, 2, 6))
    assert polished == {
        dogs: (WRONG.format(thing="dogs"), RIGHT.format(thing="dogs")),
        cats: (WRONG.format(thing="cats"), WRONG.format(thing="cats")),
        trees: (WRONG.format(thing="trees"), RIGHT.format(thing="trees")),
    }
    assert {item.partition("-")[0]: why for item, (why, _) in refused.items()} == {
        "3": "numbers changed",
        "4": "reply refused",
        "5": "no reply",
        "7": "reply refused",
    }
    detail = refused["3-direct-rules-counterfactual"][1]
    assert detail.startswith('2 was lost; 3 was added; the model wrote "How many cups')
    assert "has no JSON object" in refused["4-direct-rules-counterfactual"][1]
    assert "several JSON objects" in refused["7-direct-rules-counterfactual"][1]
    assert line == "polisher: of 7 questions, 2 polished, 1 unchanged, 4 refused and left as they were"
    system, user = server.conversations[0]
    assert system == {"role": "system", "content": read_prompt(None).system}
    assert json.dumps(WRONG.format(thing="dogs")) in json.dumps(user).replace('\\"', '"')
    repair = next(one for one in server.conversations if len(one) == 4 and "cups" in json.dumps(one[1]))
    assert "numbers changed: 2 was lost; 3 was added" in json.dumps(repair[3])
    assert len([one for one in server.conversations if "cats" in json.dumps(one[1])]) == 1


@pytest.mark.process
def test_original_questions_are_not_polished_and_spell_garbled_words(project: Project) -> None:
    garbled = "How many pieces of silverwwould would be on the table if another set were put here?"
    rows, _ = pair("1-indirect-people", "How many pieces of silverware are on the table?", "2", garbled, "4")
    with polisher(project, lambda given, repairs: said(given["question"].replace("silverwwould", "silverware"))):
        polished, refused, _ = polish(project, rows)
    assert refused == {} and "silverware" in polished["1-indirect-people-counterfactual"][1]
    assert len(polished) == 1


@pytest.mark.process
def test_a_prompt_file_replaces_the_prompt(project: Project) -> None:
    Path("prompt.yaml").write_text(yaml.safe_dump({"system": "Mend it."}), encoding="utf-8")
    with polisher(project, lambda given, repairs: said(given["question"]), "prompt.yaml") as server:
        polish(project, written(("dogs",)))
    assert server.conversations[0][0]["content"] == "Mend it."


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("- a", "must be a mapping with the key system"),
        ("system: a\nuser: b", "must be a mapping with the key system"),
        ("system: ' '", "system: must be a text that is not empty"),
        ("system: 3", "system: must be a text that is not empty"),
    ],
)
def test_a_bad_prompt_file_is_one_line(folder: Path, content: str, told: str) -> None:
    Path("prompt.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(WhatifError, match=f"prompt.yaml: {told}"):
        read_prompt("prompt.yaml")
    with pytest.raises(WhatifError, match=r"nowhere.yaml: .*; verify\.cvqa-real\.polish\.prompt_file must be"):
        read_prompt("nowhere.yaml")


@pytest.mark.process
def test_a_failed_endpoint_leaves_the_step_to_be_run_again(project: Project) -> None:
    with polisher(project, lambda given, repairs: 503):
        polished, refused, _ = polish(project, written(("dogs",)))
        (job,) = [job for job in project.jobs("verify") if job.step.name == "polish"]
        assert state_of(job, {}, ready=True).condition is not Condition.FRESH
    assert polished == {} and {why for why, _ in refused.values()} == {"no reply"}


@pytest.mark.process
def test_a_dry_run_estimates_the_cost(project: Project) -> None:
    with polisher(project, lambda given, repairs: said(given["question"])) as server:
        polish(project, written())
        project.write_params()
        sent = len(server.conversations)
        result = whatif("verify", "cvqa-real", "--step", "polish", "--dry-run")
        assert result.stdout == "polisher cvqa-real polish: nothing to ask, it is up to date\n"
        for path in project.paths("verify", "polished"):
            path.unlink()
        result = whatif("verify", "cvqa-real", "--step", "polish", "--dry-run")
        assert result.stdout == "polisher cvqa-real polish: nothing to ask, all 7 answers are stored\n"
        assert len(server.conversations) == sent
