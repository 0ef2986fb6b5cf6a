"""Contextual descriptions: by a chat model with good and bad replies, of drawn scenes, and the captions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.benchmarks.mucr.released_rows import Row, pair_row, write_rows
from tests.chat_server import ChatServer
from tests.projects import Project
from whatif.benchmarks.mucr.description_replies import read_prompt
from whatif.benchmarks.mucr.descriptions import all_descriptions
from whatif.benchmarks.mucr.sources import extracted
from whatif.benchmarks.mucr.steps import BENCHMARK
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import Condition, state_of
from whatif.engine.graph.jobs import Job

pytestmark = pytest.mark.slow

Reply = Callable[[dict[str, str], int], str | int]
SHARED = "a tall {subject} with gray hair, a stone floor, warm light"
CAUSE = "A {subject} pours water on the candle. The tall {subject} has gray hair. The stone floor is in warm light."
EFFECT = "Smoke rises before the {subject}. Warm light is on the gray hair of the tall {subject} and the stone floor."


def good(captions: dict[str, str], repairs: int = 0) -> str:
    subject = captions["cause"].split()[1]
    texts = {"shared": SHARED, "cause": CAUSE, "effect": EFFECT}
    return json.dumps({name: text.format(subject=subject) for name, text in texts.items()})


@pytest.fixture
def mucr(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    project = Project(folder, "mucr")
    project.section("evaluate")["fine_tuning"]["models"] = []  # the tests leave these models out
    write_rows(folder / "captions.jsonl", [pair_row(number) for number in range(1, 5)])
    project.section("extract")["captions"] = "captions.jsonl"
    project.make("extract")
    return project


@contextmanager
def writer(project: Project, reply: Reply, **changes: Any) -> Iterator[ChatServer]:
    """A chat server that is the model `writer` of the project, which writes the descriptions."""
    with ChatServer(reply) as server:
        project.section("evaluate")["fine_tuning"]["models"] = []
        project.values["models"] = {"writer": server.entry()}
        project.generate["descriptions"] = {
            "model": "writer",
            "prompt_file": None,
            "shortest": 8,
            "longest": 60,
        } | changes
        yield server


def jobs(project: Project, *names: str) -> list[Job]:
    return [job for job in project.jobs("generate") if job.step.name in (names or ("describe", "describe-all"))]


def described(project: Project) -> dict[str, Row]:
    return {row["pair_id"]: row for row in project.rows("generate", "descriptions")}


def refused(project: Project) -> dict[str, tuple[str, str]]:
    rows = project.rows("generate", "undescribed")
    return {row["item_id"]: (row["reason"], row["detail"]) for row in rows}


@pytest.mark.process  # the client asks `uname` for the name of the system
def test_a_model_describes_each_pair(mucr: Project) -> None:
    with writer(mucr, good) as server:
        said = mucr.make_jobs(jobs(mucr))
    assert said[0] == "writer: described 4 of 4 pairs, 0 of them after its reply was repaired"
    found = described(mucr)
    assert found["1"]["cause_description"] == CAUSE.format(subject="nurse")
    assert found["4"]["effect_description"] == EFFECT.format(subject="pilot")
    known = json.loads(found["1"]["provenance"])
    assert (found["1"]["writer"], known["prompt"], known["attempt"]) == ("writer", read_prompt(None).digest, 0)
    assert known["shared"] == SHARED.format(subject="nurse")
    assert refused(mucr) == {}
    system, user = server.conversations[0]
    assert system == {"role": "system", "content": read_prompt(None).system}
    assert "Each description has 8 to 60 words." in json.dumps(user)
    asked = server.log[0][1]
    assert asked["response_format"]["json_schema"]["schema"]["required"] == ["shared", "cause", "effect"]


@pytest.mark.process
def test_a_bad_reply_is_repaired_once_and_then_refused(mucr: Project) -> None:
    def reply(captions: dict[str, str], repairs: int) -> str | int:
        if "baker" in captions["cause"]:
            return 400
        if "farmer" in captions["cause"] or ("nurse" in captions["cause"] and not repairs):
            return good(captions).replace("pours water on the candle.", "pours water. Smoke will rise.")
        return f"Here it is:\n```json\n{good(captions)}\n```"

    with writer(mucr, reply) as server:
        said = mucr.make_jobs(jobs(mucr))
    assert said[0] == "writer: described 2 of 4 pairs, 1 of them after its reply was repaired"
    told = (
        '"cause" does not name candle; use the nouns of the caption of the cause, "A farmer pours water on the candle '
        '1.", in it; "cause" gives the effect away: leave smoke, rise out of it'
    )
    assert refused(mucr)["2/description"] == ("reply refused", told)
    assert refused(mucr)["3/description"][0] == "no reply"
    found = described(mucr)
    assert {pair: row["writer"] for pair, row in found.items()} == {
        "1": "writer",
        "2": "captions",
        "3": "captions",
        "4": "writer",
    }
    assert found["2"]["cause_description"] == pair_row(2)["caption_0"]
    assert json.loads(found["1"]["provenance"])["attempt"] == 1
    repair = next(one for one in server.conversations if len(one) == 4 and "nurse" in json.dumps(one[1]))
    assert [message["role"] for message in repair] == ["system", "user", "assistant", "user"]
    assert "Your reply cannot be used:\\n- " in json.dumps(repair[3])


@pytest.mark.process
def test_a_failed_endpoint_leaves_the_step_to_be_run_again(mucr: Project) -> None:
    with writer(mucr, lambda captions, repairs: 503):
        mucr.run_jobs(jobs(mucr, "describe"))
        (job,) = jobs(mucr, "describe")
        assert state_of(job, {}, ready=True).condition is not Condition.FRESH
    assert {reason for reason, _ in refused(mucr).values()} == {"no reply"}


@pytest.mark.process
def test_a_prompt_file_replaces_the_prompt(mucr: Project) -> None:
    Path("prompt.yaml").write_text(yaml.safe_dump({"system": "Describe both."}), encoding="utf-8")
    with writer(mucr, good, prompt_file="prompt.yaml") as server:
        mucr.make_jobs(jobs(mucr))
    assert server.conversations[0][0]["content"] == "Describe both."
    assert json.loads(described(mucr)["1"]["provenance"])["prompt"] == read_prompt("prompt.yaml").digest


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "must be a mapping with the key system"),
        ("system: a\nuser: b", "must be a mapping with the key system"),
        ("system: ''", "system: must be a text that is not empty"),
    ],
)
def test_prompt_files_that_cannot_be_used(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "prompt.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(WhatifError, match=told):
        read_prompt(str(tmp_path / "prompt.yaml"))
    with pytest.raises(WhatifError, match=r"generate\.mucr\.descriptions\.prompt_file must be a YAML file"):
        read_prompt(str(tmp_path / "none.yaml"))


def test_a_real_checkpoint_whose_replies_are_no_json(mucr: Project) -> None:
    mucr.section("evaluate")["fine_tuning"]["models"] = []
    mucr.values["models"] = {
        "tiny": {"adapter": "hf-chat", "checkpoint": "embedded:llava-scenes", "benchmarks": [], "max_new_tokens": 8}
    }
    mucr.generate["descriptions"] = {"model": "tiny", "prompt_file": None, "shortest": 1, "longest": 4}
    said = mucr.make_jobs(jobs(mucr))
    assert said[0] == "tiny: described 0 of 4 pairs, 0 of them after its reply was repaired"
    assert {reason for reason, _ in refused(mucr).values()} == {"reply refused"}
    assert {row["writer"] for row in described(mucr).values()} == {"captions"}


def test_without_a_model_the_captions_are_described_by_themselves(mucr: Project) -> None:
    assert [job.step.name for job in jobs(mucr)] == ["describe-all"]
    mucr.make_jobs(jobs(mucr))
    found = described(mucr)["3"]
    assert (found["cause_description"], found["effect_description"]) == (
        pair_row(3)["caption_0"],
        pair_row(3)["caption_1"],
    )
    assert (found["writer"], json.loads(found["provenance"])) == ("captions", {"origin": "captions"})


def test_new_cue_phrases_change_no_description_and_no_image() -> None:
    steps = {step.name: step for step in BENCHMARK.steps if step.stage == "generate"}
    for name in ("describe", "describe-all", "draw"):
        assert steps[name].inputs["pairs"].stage == "extract"


def test_drawn_scenes_have_computed_descriptions() -> None:
    from whatif.world.causal_pairs import draw_group

    settings = Project(Path(), "mucr").section("extract")
    pairs = extracted(_extract(settings), ("comic",), 7).pairs
    found = all_descriptions(pairs, {pairs[0]["pair_id"]: {"pair_id": pairs[0]["pair_id"], "writer": "gpt"}})
    assert [row["writer"] for row in found] == ["gpt", *["scenes"] * (len(pairs) - 1)]
    drawn = {pair.pair_id: pair for number in range(12) for pair in draw_group("test", number, 7)}
    for row in found[1:]:
        assert row["cause_description"] == drawn[row["pair_id"]].cause_description
        assert row["effect_description"] == drawn[row["pair_id"]].effect_description


def _extract(section: dict[str, Any]) -> Any:
    from whatif.benchmarks.mucr.settings import ExtractMucr

    return ExtractMucr.model_validate(section)
