"""Runs of a chat model that writes: interrupted, repeated, with errors, a budget, and as a dry run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.question_writers import (
    BOOLEAN,
    NAME,
    SIX_AND_TWO,
    Asked,
    counted,
    is_fresh,
    job_of,
    refused,
    rows_of,
    small,
    well,
    write,
    writer,
    written,
)
from tests.command_line import whatif
from tests.projects import Project
from whatif.benchmarks.cvqa_real.chat_writing import NO_REPLY
from whatif.models.responses.store import ResponseStore

pytestmark = pytest.mark.process  # the client asks `uname` for the name of the system


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)


def test_a_reply_is_no_request_the_second_time(project: Project) -> None:
    with writer(small(project), lambda asked, turn: well(asked[turn == 0 :])) as server:
        write(project)
        before, number = project.everything(), len(server.conversations)
        assert number == 6
        for path in project.paths("generate", "by-model"):
            path.unlink()
        write(project)
        assert len(server.conversations) == number
        # Fewer questions in a request are other requests, and other settings of the endpoint are not.
        project.values["models"]["writer"]["concurrency"] = 3
        project.generate["prompting"]["questions_per_request"] = 6
        write(project)
        assert len(server.conversations) == number + 2, "the boolean request is the same"
    assert {path: project.everything()[path] for path in before if "replies" not in path} != before


def test_five_interrupted_runs_ask_nothing_twice(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    put, left = ResponseStore.put_all, [0]

    def stored(self: ResponseStore, rows: Any) -> Any:
        found = put(self, rows)
        left[0] -= len(rows)
        if rows and not left[0]:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(ResponseStore, "put_all", stored)
    small(project, questions_per_request=2)
    with writer(project, lambda asked, turn: well(asked[turn == 0 :])) as server:
        for number in range(1, 6):
            left[0] = 1
            with pytest.raises(KeyboardInterrupt):
                write(project)
            assert len(server.conversations) == number
            assert not is_fresh(project)
        write(project)
    assert len(server.conversations) == len({json.dumps(one) for one in server.conversations}) == 8
    assert written(project).keys() == SIX_AND_TWO


def test_errors_are_counted_and_asked_again(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    down = [True]

    def reply(asked: Asked, turn: int) -> str | int:
        return 500 if down[0] and "cat asleep" in asked[0][0] else well(asked)

    with writer(small(project), reply) as server:
        write(project)
        told = capsys.readouterr().err
        assert "writer: 1 of 3 questions ended in error, most often: status 500" in told
        assert {reason for reason, _ in refused(project).values()} == {NO_REPLY}
        assert refused(project).keys() == {f"{one}-boolean-writer" for one in BOOLEAN}
        assert not is_fresh(project)
        down[0] = False
        write(project)
        assert len(server.conversations) == 4
    assert refused(project) == {} and is_fresh(project)


def test_a_repair_without_reply_keeps_what_was_wrong_before(project: Project) -> None:
    with writer(small(project, {"11": BOOLEAN["11"]}), lambda asked, turn: 400 if turn else "No.") as server:
        write(project)
    ((reason, detail),) = refused(project).values()
    assert reason == NO_REPLY and detail.startswith("the reply has no entry; ") and "status 400" in detail
    assert len(server.conversations) == 2


def test_without_source_questions_the_model_is_not_loaded(project: Project) -> None:
    small(project, {})
    project.values["models"] = {"writer": {"adapter": "hf-chat", "checkpoint": "no/such", "benchmarks": []}}
    write(project)
    assert rows_of(project, "by-model") == rows_of(project, "replies") == rows_of(project, "unwritten") == []


def test_a_dry_run_names_what_would_be_asked(project: Project) -> None:
    def dry_run() -> str:
        result = whatif("generate", NAME, "--step", "write", "--dry-run")
        assert (result.exit_code, result.stderr) == (0, "")
        return result.stdout

    prices = {"price_per_million_prompt_tokens": 1e6, "price_per_million_response_tokens": 1e6}
    small(project, questions_per_request=3)
    with writer(project, lambda asked, turn: well(asked[turn == 0 :]), **prices) as server:
        job_of(project)  # names the writer of each group
        project.write_params()
        assert dry_run().startswith(f"writer {NAME} write: asks 3 of 3 questions (0 are stored), about ")
        assert server.conversations == []
        write(project)
        assert dry_run() == f"writer {NAME} write: nothing to ask, it is up to date\n"
        for path in project.paths("generate", "by-model"):
            path.unlink()
        assert dry_run() == f"writer {NAME} write: nothing to ask, all 6 answers are stored\n"
        assert len(server.conversations) == 6


def test_a_budget_ends_the_requests(project: Project) -> None:
    small(project, questions_per_request=1)
    with writer(project, token_budget=330) as server:
        write(project)
        assert len(server.conversations) == 3
        assert counted(project) == SIX_AND_TWO and len(written(project)) == 3
        assert all("budget" in detail for _, detail in refused(project).values())
        assert not is_fresh(project)
        project.values["models"]["writer"]["token_budget"] = 10_000
        write(project)
        assert len(server.conversations) == 8
    assert written(project).keys() == SIX_AND_TWO
