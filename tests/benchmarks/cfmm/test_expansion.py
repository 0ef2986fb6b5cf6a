"""The expansion of items by a chat model behind an endpoint on loopback, whose replies are good, bad, or repaired."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml

from tests.benchmarks.cfmm.expansions import NAME, Row, expand, given, good, image_of, item_rows, small
from tests.chat_server import ChatServer
from tests.projects import Project
from whatif.benchmarks.cfmm.expansion import NO_COUNTERFACTUAL, NO_REPLY, NO_SECOND_OPTION, REFUSED
from whatif.benchmarks.cfmm.expansion_requests import read_prompts
from whatif.benchmarks.cfmm.filters import filtered
from whatif.benchmarks.cfmm.settings import FilterCfmm
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import Condition, state_of
from whatif.engine.graph.jobs import Job
from whatif.formats.cfmm_items import CATEGORIES

pytestmark = pytest.mark.process  # the client asks `uname` for the name of the system

Reply = Callable[[dict[str, str], int], str | int]


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)


@contextmanager
def writer(project: Project, reply: Reply, finish: str = "stop", **changes: Any) -> Iterator[ChatServer]:
    with ChatServer(reply, finish) as server:
        project.values["models"]["writer"] = server.entry(**changes)
        yield server


def well(item: dict[str, str], repairs: int) -> str:
    return json.dumps(good(item["category"]))


def rows(project: Project, role: str) -> list[Row]:
    return project.rows("generate", role)


def refused(project: Project) -> dict[str, tuple[str, str]]:
    return {row["item_id"]: (row["reason"], row["detail"]) for row in rows(project, "refused")}


def job_of(project: Project) -> Job:
    (job,) = [job for job in project.jobs("generate") if job.step.name == "expand"]
    return job


def is_fresh(project: Project) -> bool:
    return state_of(job_of(project), {}, ready=True).condition is Condition.FRESH


def of_item(project: Project, category: str) -> list[Row]:
    return [row for row in rows(project, "expanded") if row["group"] == category]


def test_a_model_adds_three_questions_to_each_item(project: Project) -> None:
    with writer(small(project), well) as server:
        said = expand(project)
    assert said[0] == ("writer: wrote 3 further questions about 3 of 3 items, 0 of them after its reply was repaired")
    assert [row["question_id"] for row in rows(project, "expanded")] == [
        f"{category}-1-counterfactual{place}" for category in ("color", "count", "direction") for place in (1, 2, 3)
    ]
    first, second, third = of_item(project, "color")
    assert first["question"] == "If the bus were given the color of the sky, what color would it be?"
    assert (first["choices"], first["answer"], first["answer_kind"]) == (["blue", "red"], "A", "choice")
    assert (first["pair_id"], first["group"], first["variant"]) == ("color-1", "color", "counterfactual1")
    assert first["image_ids"] == [image_of("color")["image_id"]]
    assert second["choices"] == ["orange", "red"], "without its full stop"
    assert third["choices"] == ["Red", "yellow"], "the basic answer is right, so the other rule applies"
    replies = {row["item_id"]: row for row in rows(project, "replies")}
    assert json.loads(third["provenance"]) == {
        "origin": "writer",
        "prompt": read_prompts(None).digest,
        "request_key": replies["color-1"]["request_key"],
        "same_as_basic": True,
        "second_option": "first-counterfactual",
    }
    assert json.loads(replies["color-1"]["response"]) == good("color")
    assert {(row["status"], row["attempt"], row["prompt_tokens"]) for row in replies.values()} == {("ok", 0, 100)}
    assert refused(project) == {}
    assert len(server.conversations) == 3


def test_a_request_has_the_prompt_the_image_the_texts_and_a_schema(project: Project) -> None:
    with writer(small(project), well) as server:
        expand(project)
    for messages in server.conversations:
        system, user = messages
        item = next(
            one
            for one in ("color", "count", "direction")
            if f'"category": "{one}"' in json.dumps(user).replace('\\"', '"')
        )
        assert system == {"role": "system", "content": read_prompts(None).by_category[item].strip()}
        picture, text = user["content"]
        assert picture["type"] == "image_url" and picture["image_url"]["url"].startswith("data:image/png;base64,")
        assert text["text"] == f"Input:\n{json.dumps(given(item), indent=2)}\nOutput:"
    asked = server.log[0][1]
    assert asked["response_format"]["json_schema"]["schema"]["required"][0] == "category"
    assert asked["max_tokens"] >= 768


def test_what_was_expanded_passes_the_filter(project: Project) -> None:
    with writer(small(project), well):
        expand(project)
    written = [row for category in ("color", "count", "direction") for row in item_rows(category)]
    settings = {"leakage": True, "longest_answer": 3, "least_counterfactuals": 4, "highest_same_as_basic": 0.5}
    kept, rejections = filtered([*written, *rows(project, "expanded")], FilterCfmm.model_validate(settings), seed=0)
    assert (len(kept), rejections) == (15, [])


def test_a_bad_reply_is_repaired_once_in_the_same_conversation(project: Project) -> None:
    def reply(item: dict[str, str], repairs: int) -> str:
        if item["category"] == "count" and not repairs:
            return json.dumps(good("count") | {"counterfactual question2": "How many birds can fly?"})
        return f"```json\n{well(item, repairs)}\n```"

    with writer(small(project), reply) as server:
        said = expand(project)
    assert "3 of 3 items, 1 of them after its reply was repaired" in said[0]
    (repair,) = [messages for messages in server.conversations if len(messages) > 2]
    assert [message["role"] for message in repair] == ["system", "user", "assistant", "user"]
    fault = '"counterfactual question2" has no if clause; state a condition: "How many birds can fly?"'
    assert f"Your reply cannot be used:\n- {fault}\n" in repair[3]["content"][-1]["text"]
    found = [(row["item_id"], row["attempt"], row["status"], row["reason"]) for row in rows(project, "replies")]
    assert found == [
        ("color-1", 0, "ok", None),
        ("count-1", 0, "refused", fault),
        ("count-1", 1, "ok", None),
        ("direction-1", 0, "ok", None),
    ]
    (key,) = {json.loads(row["provenance"])["request_key"] for row in of_item(project, "count")}
    assert key == next(row["request_key"] for row in rows(project, "replies") if row["attempt"] == 1)


@pytest.mark.parametrize(
    ("bad", "finish", "reasons"),
    [
        ("I would rather not.", "stop", ["the reply has no JSON object; write one"]),
        ("", "stop", ["empty response (finish reason: stop); write one JSON object"]),
        (
            '{"category": "count"',
            "length",
            ["the reply was cut off at the limit of new tokens", "the reply is not JSON"],
        ),
    ],
)
def test_a_reply_that_is_bad_twice_is_refused(project: Project, bad: str, finish: str, reasons: list[str]) -> None:
    with writer(small(project, item_rows("count") + item_rows("color")), lambda item, repairs: bad, finish) as server:
        said = expand(project)
    assert "0 of 2 items" in said[0] and "none of 2 expanded items are left" in said[1].replace(" is ", " are ")
    assert rows(project, "expanded") == []
    for reason, detail in refused(project).values():
        assert reason == REFUSED
        assert detail.startswith(reasons[0])
        assert all(one in detail for one in reasons)
    assert [(row["attempt"], row["status"]) for row in rows(project, "replies")] == [(0, "refused"), (1, "refused")] * 2
    assert len(server.conversations) == 4
    repair = server.conversations[-1]
    assert [message["role"] for message in repair] == ["system", "user", *(["assistant", "user"] if bad else [])]
    assert "Your reply cannot be used:" in json.dumps(repair[-1])


def test_a_good_reply_is_no_request_the_second_time(project: Project) -> None:
    with writer(small(project), well) as server:
        expand(project)
        before = {path: data for path, data in project.everything().items() if "expand" in path or "repl" in path}
        for path in project.paths("generate", "expanded") + project.paths("generate", "replies"):
            path.unlink()
        expand(project)
        assert len(server.conversations) == 3
    assert {path: project.everything()[path] for path in before} == before


def test_errors_are_counted_and_asked_again(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    down = {"count": True}

    def reply(item: dict[str, str], repairs: int) -> str | int:
        return 500 if down.get(item["category"]) else well(item, repairs)

    with writer(small(project), reply) as server:
        expand(project)
        told = capsys.readouterr().err
        assert "writer: 1 of 3 questions ended in error, most often: status 500" in told
        assert "`dvc repro --single-item --force generate`" in told
        assert refused(project)["count-1"][0] == NO_REPLY
        assert not is_fresh(project)
        down.clear()
        expand(project)
        assert len(server.conversations) == 4
    assert refused(project) == {} and len(rows(project, "expanded")) == 9


def test_items_with_further_questions_or_without_one_to_vary_are_not_asked_about(project: Project) -> None:
    finished = [
        *item_rows("count"),
        {**item_rows("count")[1], "variant": "counterfactual2", "question_id": "count-1-x"},
    ]
    with writer(small(project, [*finished, item_rows("color")[0], *item_rows("direction")]), well) as server:
        expand(project)
    assert {row["group"] for row in rows(project, "expanded")} == {"direction"}
    assert refused(project) == {"color-1": (NO_COUNTERFACTUAL, "there is nothing to vary")}
    assert len(server.conversations) == 1


def test_without_items_the_model_is_not_loaded(project: Project) -> None:
    small(project, item_rows("color")[:1])
    project.values["models"]["writer"] = {"adapter": "hf-chat", "checkpoint": "no/such", "benchmarks": []}
    expand(project)
    assert rows(project, "expanded") == rows(project, "replies") == []


def options(item: dict[str, str], repairs: int, replies: list[str]) -> str:
    return well(item, 0) if repairs == 0 else replies[repairs - 1]


def test_the_model_is_asked_for_wrong_options_when_its_rule_is_reached(project: Project) -> None:
    project.select(NAME)
    project.generate["second_option"] = ["basic-answer", "model"]
    replies = ['{"wrong answer3": "red"}', '{"wrong answer3": "Purple."}']
    with writer(small(project, item_rows("color")), lambda item, n: options(item, n, replies)) as server:
        expand(project)
    found = [(row["choices"], json.loads(row["provenance"])["second_option"]) for row in rows(project, "expanded")]
    assert found == [
        (["blue", "red"], "basic-answer"),
        (["orange", "red"], "basic-answer"),
        (["Red", "Purple"], "model"),
    ]
    assert [(row["attempt"], row["status"]) for row in rows(project, "replies")] == [
        (0, "ok"),
        (2, "refused"),
        (3, "ok"),
    ]
    assert [len(messages) for messages in server.conversations] == [2, 4, 6]
    assert "wrong answer3: If the taxi drove away, what color would the bus be? (right answer: Red)" in str(
        server.conversations[1][-1]["content"]
    )


def test_a_question_without_a_wrong_option_is_rejected(project: Project) -> None:
    project.select(NAME)
    project.generate["second_option"] = ["model"]
    small(project, item_rows("color"))
    with writer(project, lambda item, n: options(item, n, ["no", '{"wrong answer1": "x"}'])):
        expand(project)
    assert rows(project, "expanded") == []
    found = refused(project)
    assert [reason for reason, _ in found.values()] == [NO_SECOND_OPTION] * 3
    assert (
        "no rule of second_option gives a text other than the answer 'blue'; the model's reply: "
        in (found["color-1-counterfactual1"][1])
    )
    project.generate["second_option"] = ["basic-answer"]
    with writer(project, well):
        expand(project)
    assert list(refused(project)) == ["color-1-counterfactual3"]
    assert len(rows(project, "expanded")) == 2


def test_a_file_of_prompts_replaces_those_of_the_package(project: Project) -> None:
    own = project.folder / "own.yaml"
    own.write_text(yaml.safe_dump({category: f"Write about {category}." for category in CATEGORIES}))
    with writer(small(project), well) as server:
        expand(project, prompt_file=str(own))
        assert {messages[0]["content"] for messages in server.conversations} == {
            f"Write about {category}." for category in ("color", "count", "direction")
        }
        assert is_fresh(project)
        own.write_text(own.read_text() + "# a remark\n")
        assert not is_fresh(project)
        own.write_text("count: x\n")
        with pytest.raises(WhatifError, match=r"own\.yaml: has no prompt for color, "):
            expand(project, prompt_file=str(own))


def test_a_dry_run_names_what_would_be_asked(project: Project) -> None:
    from whatif.benchmarks.shared.dry_run import estimates

    with writer(small(project), well, price_per_million_prompt_tokens=1e6, price_per_million_response_tokens=1e6) as on:
        project.generate["expansion"] = {"model": "writer"}
        job = job_of(project)
        (line,) = estimates([job])
        assert line.startswith(f"writer {NAME} expand: asks 3 of 3 questions (0 are stored), about ")
        assert on.conversations == []
        expand(project)
        (line,) = estimates([job])
        assert line == f"writer {NAME} expand: nothing to ask, it is up to date"
