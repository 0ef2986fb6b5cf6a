"""An evaluation in which questions are given up: what is said, and what the next run asks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.small import small
from tests.faulty_proxy import Fault, FaultyProxy
from tests.projects import Project
from tests.tiny_checkpoints import tiny_text_model
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import ArtifactWriter
from whatif.engine.graph.freshness import Condition
from whatif.engine.graph.run import run

pytestmark = pytest.mark.slow


@pytest.fixture
def project(project: Project) -> Project:
    return small(project)


MODELS = ("m", "blind", "majority")
MADE = Path("data/evaluate/m/cvqa-real/predictions/direct/part-000-of-001.parquet")


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)


class Endpoint(FaultyProxy):
    """Says `yes, 3` to every question of `up` requests, then fails with `status`."""

    up = 99
    status = 500

    def __init__(self) -> None:
        super().__init__("127.0.0.1:1", self.said)

    def said(self, asked: str, number: int) -> Fault:
        self.up -= 1
        if self.up < 0:
            return Fault("status", self.status)
        message = {"role": "assistant", "content": "yes, 3"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 9, "completion_tokens": 1}
        return Fault("status", 200, body=json.dumps({"choices": [choice], "usage": usage}).encode())


@pytest.fixture
def endpoint(project: Project) -> Iterator[Endpoint]:
    with Endpoint() as started:
        model = {"adapter": "api", "model": "m", "base_url": started.base_url, "retries": 0, "concurrency": 1}
        project.values["models"] = {"m": model}
        yield started


def made(project: Project) -> dict[str, str]:
    """Makes everything up to the evaluation; says of each job what it did."""
    return {job.name: run(job, lambda line: None) for job in project.graph.jobs if job.step.stage != "aggregate"}


def rows() -> list[dict[str, Any]]:
    return list(artifacts.rows_of(MADE, PREDICTIONS))


def state(project: Project) -> tuple[Condition, tuple[str, ...]]:
    return next((s.condition, s.reasons) for job, s in project.states().items() if job.step.stage == "evaluate")


def test_questions_that_were_given_up_are_asked_again_and_no_others(
    project: Project, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.up = 4
    made(project)
    assert [row["status"] for row in rows()] == ["ok"] * 4 + ["error"] * 2
    said = capsys.readouterr().err
    assert "whatif: m: 2 of 6 questions ended in error, most often: status 500: " in said
    assert "whatif: m: 2 of these errors are transient; the next `snakemake` asks only these questions again" in said
    assert "--force evaluate@m" in said
    condition, (reason,) = state(project)
    assert condition is Condition.STALE and reason.startswith("2 questions given up: status 500: ")
    endpoint.up, asked = 99, len(endpoint.log)
    assert made(project)["evaluate cvqa-real m direct part-000-of-001"] == "computed"
    assert len(endpoint.log) == asked + 2
    assert "error" not in {row["status"] for row in rows()}
    assert state(project) == (Condition.FRESH, ())
    assert "ended in error" not in capsys.readouterr().err
    assert made(project)["evaluate cvqa-real m direct part-000-of-001"] == "up to date"


def test_a_language_model_is_asked_without_photographs_and_others_are_left_out(
    project: Project, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.section("extract")["image_folders"] = []
    checkpoint = str(tiny_text_model(tmp_path / "checkpoint"))
    project.values["models"]["blind"] = {"adapter": "blind", "checkpoint": checkpoint, "max_new_tokens": 4}
    project.values["models"]["majority"] = {"adapter": "majority"}
    made(project)
    counted = [len(list(artifacts.rows_of(Path(str(MADE).replace("/m/", f"/{m}/")), PREDICTIONS))) for m in MODELS]
    assert counted == [0, 8, 8] and not endpoint.log
    said = capsys.readouterr().err
    assert "m: not evaluated on cvqa-real: it takes images, and no image is there; name the folders" in said
    assert "ended in error" not in said


@pytest.mark.parametrize("are_there", [True, False])
def test_oracle_tools_are_not_asked_about_photographs(
    project: Project, capsys: pytest.CaptureFixture[str], are_there: bool
) -> None:
    if not are_there:  # naming their folder would not help
        project.section("extract")["image_folders"] = []
    oracle = {"adapter": "visprog", "writer": {"adapter": "rules"}, "tools": {"kind": "oracle"}}
    project.values["models"] = {"m": oracle, "majority": {"adapter": "majority"}}
    made(project)
    assert rows() == []
    said = capsys.readouterr().err
    assert said.count("m: not evaluated on cvqa-real: its tools know only what drawn images show") == 1
    assert "ended in error" not in said


def test_rows_are_written_together_with_the_content_of_single_ones(
    project: Project, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    write = ArtifactWriter.write

    def counted(writer: ArtifactWriter, piece: Any) -> None:
        if str(writer.path).endswith(str(MADE)):
            written.append(len(piece))
        write(writer, piece)

    monkeypatch.setattr(ArtifactWriter, "write", counted)
    contents = []
    for together, sizes in ((64, [6]), (4, [4, 2]), (1, [1] * 6)):
        monkeypatch.setattr("whatif.benchmarks.shared.evaluation._ROWS_TOGETHER", together)
        written.clear()
        MADE.unlink(missing_ok=True)
        made(project)
        assert written == sizes
        contents.append(artifacts.footer_of(MADE).content)
    assert len(set(contents)) == 1


def test_what_another_try_does_not_change_is_final(
    project: Project, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.up, endpoint.status = 5, 400
    made(project)
    said = capsys.readouterr().err
    assert "1 of 6 questions ended in error, most often: status 400: refused: Bearer none\n" in said
    assert "transient" not in said
    assert state(project) == (Condition.FRESH, ())


def test_a_budget_that_was_reached_is_raised_and_the_rest_is_asked(project: Project, endpoint: Endpoint) -> None:
    project.values["models"]["m"]["token_budget"] = 20
    made(project)
    assert state(project) == (Condition.STALE, ("4 questions given up: token_budget of 20 reached",))
    made(project)
    assert len(endpoint.log) == 2, "the answers that are stored have spent it"
    project.values["models"]["m"]["token_budget"] = 1_000
    made(project)
    assert len(endpoint.log) == 6
    assert state(project) == (Condition.FRESH, ())
    project.values["models"]["m"]["token_budget"] = 5
    assert made(project)["evaluate cvqa-real m direct part-000-of-001"] == "up to date"


def test_a_strategy_gives_the_room_that_it_needs(project: Project, endpoint: Endpoint) -> None:
    project.values["evaluate"]["cvqa-real"]["strategies"] = ["direct", "cot"]
    project.values["models"]["m"]["max_new_tokens"] = 20
    made(project)
    limits = {
        body["messages"][0]["content"][-1]["text"].count("step by step"): body["max_tokens"]
        for _, body, _ in endpoint.log
    }
    assert limits == {0: 20, 1: 512}


def test_equal_failures_in_several_lines_of_a_file_are_one_reason(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "responses.csv"
    path.write_text("question_id,response\nnone,1\n", encoding="utf-8")
    project.values["models"] = {"m": {"adapter": "replay", "predictions": str(path)}}
    for job in project.graph.jobs:
        if job.step.stage not in ("evaluate", "aggregate"):
            run(job, lambda line: None)
    ids = [row["question_id"] for row in project.rows("verify", "questions")]
    failed = ["yes"] + ["#REF!"] * (len(ids) - 1)
    lines = [f"{name},{cell}\n" for name, cell in zip(ids, failed, strict=True)]
    path.write_text("question_id,response\n" + "".join(lines), encoding="utf-8")
    made(project)
    reason, n = "response holds the error #REF! of a spreadsheet", len(ids) - 1
    said = capsys.readouterr().err
    assert f"m: {n} of {n + 1} questions ended in error, most often: {reason}\n" in said
    assert f"counted as errors: {n} ({reason}: {n}, first line 3)" in said
    assert rows()[1]["reason"] == f"line 3: {reason}"
