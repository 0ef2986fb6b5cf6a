"""Counterfactual questions by real local checkpoints: random ones, and the embedded writer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.question_writers import BOOLEAN, NUMERICAL, refused, rows_of, small, write, written
from tests.projects import Project
from tests.tiny_checkpoints.text import tiny_text_model
from whatif.benchmarks.cvqa_real.chat_writing import NO_REPLY, REFUSED
from whatif.engine.files.named_folders import CHECKPOINTS

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)


def few(project: Project, **model: Any) -> Project:
    """Three questions, two a request, without examples, which a tiny checkpoint has no room for."""
    small(project, {"1": NUMERICAL["1"], "2": NUMERICAL["2"], "11": BOOLEAN["11"]}, questions_per_request=2)
    project.generate["prompting"]["examples"]["number"] = 0
    project.values["models"] = {"writer": {"benchmarks": [], **model}}
    return project


@pytest.mark.parametrize("adapter", ["blind", "hf-chat"])
def test_a_random_checkpoint_writes_nothing_that_can_be_used(project: Project, adapter: str) -> None:
    checkpoint = "embedded:llava-scenes" if adapter == "hf-chat" else str(tiny_text_model(project.folder / "tiny"))
    few(project, adapter=adapter, checkpoint=checkpoint, batch_size=2)
    (said, *_) = write(project)
    assert said == "writer: wrote 0 of 3 counterfactual questions in 4 requests, 0 of them after a reply was repaired"
    assert rows_of(project, "by-model") == []
    assert refused(project).keys() == {"1-direct-writer", "2-direct-writer", "11-boolean-writer"}
    assert {reason for reason, _ in refused(project).values()} == {REFUSED}
    replies = rows_of(project, "replies")
    assert [(row["batch_id"], row["attempt"], row["source_ids"]) for row in replies] == [
        ("1-direct-writer", 0, ["1", "2"]),
        ("1-direct-writer", 1, ["1", "2"]),
        ("11-boolean-writer", 0, ["11"]),
        ("11-boolean-writer", 1, ["11"]),
    ]
    assert {row["status"] for row in replies} == {"refused"} and all(row["request_key"] for row in replies)
    before = project.everything()
    project.paths("generate", "by-model")[0].unlink()
    write(project)
    assert project.everything() == before, "all replies are stored"


def test_a_language_model_without_a_chat_template_gives_no_reply(project: Project) -> None:
    checkpoint = tiny_text_model(project.folder / "tiny", chat=False)
    few(project, adapter="blind", checkpoint=str(checkpoint))
    write(project)
    assert {reason for reason, _ in refused(project).values()} == {NO_REPLY}
    assert all("has no chat template" in detail for _, detail in refused(project).values())
    assert {row["status"] for row in rows_of(project, "replies")} == {"error"}


@pytest.mark.process
@pytest.mark.parametrize("adapter", ["blind", pytest.param("served", marks=pytest.mark.soak)])
def test_the_embedded_writer_knows_the_format(project: Project, adapter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"1": ("How many stars are there?", "3"), "2": ("How many red things are there?", "2")}
    known |= {"11": ("Is there a red star?", "no"), "12": ("Is there a tree?", "yes")}
    if adapter == "blind":
        few(project, adapter=adapter, checkpoint="embedded:writer", batch_size=4)
    else:
        (project.folder / "hub").mkdir()
        monkeypatch.setenv("HF_HUB_CACHE", str(project.folder / "hub"))
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        command = f"{Path(sys.executable).with_name('transformers')} serve {{checkpoint}} --device cpu"
        few(project, adapter=adapter, checkpoint=str(CHECKPOINTS / "writer"), command=command, startup_seconds=300.0)
    small(project, known, file="short", questions_per_request=1)
    project.generate["prompting"]["examples"]["number"] = 0
    (said, *_) = write(project)
    assert said == "writer: wrote 4 of 4 counterfactual questions in 4 requests, 0 of them after a reply was repaired"
    rows = written(project)
    assert rows.keys() == {"1-direct-writer", "2-direct-writer", "11-boolean-writer", "12-boolean-writer"}
    assert [rows[f"{one}-boolean-writer"]["answer"] for one in ("11", "12")] == ["yes", "no"]
    for row in rows.values():
        assert " would there be if " in row["question"].lower() or row["question"].startswith("Would there be ")
        assert (row["examples"], row["attempt"]) == ([], 0)
