"""The adapter `api` behind a proxy that makes requests fail: what is retried, what is an error, what stops a run."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.faulty_proxy import RATE_LIMIT, Fault, FaultyProxy, always, first, seeded
from tests.models.endpoint.server import SECRET, ask, question, run_in_process, settings_of
from whatif.engine.errors import WhatifError
from whatif.models import Answer, load
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.endpoint.connection import FIRST_WAIT, LONGEST_WAIT
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("key")]


@pytest.mark.soak
def test_every_question_is_answered_or_an_error_once_when_a_third_of_requests_fail(
    served: tuple[str, Path], tmp_path: Path
) -> None:
    questions = [question(number) for number in range(60)]
    direct = load("api", settings_of(f"http://{served[0]}/v1", served[1]), 0)
    expected = [answer.response for answer in direct.answer(questions)]
    waits: list[float] = []
    with ResponseStore(tmp_path / "r.sqlite") as store, FaultyProxy(served[0], seeded(3, 0.3)) as proxy:

        def run(retries: int) -> list[Answer]:
            settings = settings_of(proxy.base_url, served[1], retries=retries, timeout_seconds=6.0)
            return list(stored(ApiAnswers(settings, 0, waits.append), store).answer(questions))

        hasty = run(retries=1)
        lost = [place for place, answer in enumerate(hasty) if answer.status == "error"]
        assert 0 < len(lost) < 20
        assert all("(the last of 2 tries)" in str(hasty[place].reason) for place in lost)
        assert all(said is None or said == right for said, right in _pairs(hasty, expected))
        assert store.summary().answers == {f"api {served[1]}": 60 - len(lost)}
        before, hasty_waits = proxy.counts(), waits.copy()
        assert before["passed"] == 60 - len(lost)
        patient = run(retries=12)
        assert [answer.response for answer in patient] == expected
        assert proxy.counts()["passed"] == 60, "none was asked twice"
        again = len(proxy.log)
        assert run(retries=0) == patient
        assert len(proxy.log) == again
        assert store.summary().answers == {f"api {served[1]}": 60}
    counts = proxy.counts()
    assert set(counts) == {"passed", "429", "500", "time-out", "cut", "truncated"}
    assert 0.2 < 1 - counts["passed"] / len(proxy.log) < 0.4
    passed = [key for key, _, outcome in proxy.log if outcome == "passed"]
    assert len(set(passed)) == 60
    ends = {key: outcome for key, _, outcome in proxy.log}
    assert set(ends.values()) == {"passed"}, "nothing is sent again after a reply"
    tries = dict(reversed([(key, outcome) for key, _, outcome in proxy.log]))
    limited = sum(outcome == "429" for outcome in tries.values())
    assert sum(7 <= wait < 8 for wait in hasty_waits) == limited > 0, "the others wait less than 2 s"


def _pairs(answers: Sequence[Answer], expected: Sequence[str | None]) -> Iterator[tuple[str | None, str | None]]:
    return zip((answer.response for answer in answers), expected, strict=True)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault("status", 500), "status 500: "),
        (Fault("status", 408), "status 408: "),
        (Fault("status", 409), "status 409: "),
        (RATE_LIMIT, "status 429: "),
        (Fault("cut"), "connection failed: "),
        (Fault("truncated"), "the reply is not whole JSON"),
        (Fault("time-out"), "no reply within 0.5 s"),
        (
            Fault("status", 200, body=b'{"error": {"message": "overloaded"}}'),
            "the reply is no chat completion, but `overloaded`",
        ),
        (Fault("status", 200, body=b'"<html> Log in </html>"'), "the reply is no chat completion, but `<html> Log in"),
        (Fault("status", 200, body=b"[]"), "the reply is no chat completion"),
    ],
)
def test_what_may_pass_is_tried_again_and_named_when_it_does_not(
    served: tuple[str, Path], fault: Fault, reason: str
) -> None:
    timeout = {"timeout_seconds": 0.5} if fault.kind == "time-out" else {}
    answers, waits, proxy = ask(served, always(fault), [question(0)], retries=3, **timeout)
    assert (len(proxy.log), len(waits)) == (4, 3)
    assert answers[0].status == "error" and answers[0].response is None
    assert str(answers[0].reason).startswith(reason) and str(answers[0].reason).endswith("(the last of 4 tries)")
    if fault.kind != "time-out":
        answers, waits, proxy = ask(served, first(fault), [question(0)], retries=3)
        assert (answers[0].status, len(proxy.log), len(waits)) == ("ok", 2, 1)


def test_nothing_listens(served: tuple[str, Path]) -> None:
    with FaultyProxy(served[0]) as proxy:
        url = proxy.base_url
    waits: list[float] = []
    (answer,) = ApiAnswers(settings_of(url, served[1], retries=2), 0, waits.append).answer([question(0)])
    assert answer.status == "error" and "connection failed: " in str(answer.reason) and len(waits) == 2


def test_waits_double_up_to_a_limit_and_are_the_same_for_the_same_seed(served: tuple[str, Path]) -> None:
    runs = [ask(served, always(Fault("status", 500)), [question(0)], retries=9)[1] for _ in range(2)]
    assert runs[0] == runs[1]
    for number, wait in enumerate(runs[0]):
        least = min(LONGEST_WAIT, FIRST_WAIT * 2**number)
        assert least <= wait < 2 * least
    assert ask(served, always(Fault("status", 500)), [question(1)], retries=9)[1] != runs[0]


DATE = (("Date", "Fri, 01 Jan 2027 23:59:30 GMT"), ("Retry-After", "Sat, 02 Jan 2027 00:00:10 GMT"))


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ((("Retry-After", "7"),), 7, 8),
        ((("Retry-After", "0"),), 0, 1),
        ((("Retry-After", "300.5"),), 300.5, 301.5),
        (DATE, 40, 41),
        ((("Retry-After", "Sat, 01 Jan 2000 00:00:00 GMT"),), 0, 1),
        ((("Date", "Fri, 01 Jan 2027 23:59:30 GMT"), ("Retry-After", "Sat Jan  2 00:00:10 2027")), 40, 41),
        ((("Date", "Fri, 01 Jan 2027 23:59:30 GMT"), ("Retry-After", "Sat, 02 Jan 2027 00:00:10 -0000")), 40, 41),
        ((("Date", "now"), ("Retry-After", "Sat, 01 Jan 2000 00:00:00 GMT")), 0, 1),
        ((("retry-after-ms", "2500"),), 2.5, 3.5),
        ((("retry-after-ms", "2500"), ("Retry-After", "9")), 2.5, 3.5),
        ((("Retry-After", "soon"),), FIRST_WAIT, 2 * FIRST_WAIT),
        ((), FIRST_WAIT, 2 * FIRST_WAIT),
    ],
)
def test_retry_after_is_kept(
    served: tuple[str, Path], headers: tuple[tuple[str, str], ...], least: float, most: float
) -> None:
    for status in (429, 503):
        answers, waits, _ = ask(served, first(Fault("status", status, headers)), [question(0)])
        assert answers[0].status == "ok"
        assert least <= waits[0] <= most and len(waits) == 1


def test_the_first_retry_says_why(served: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    ask(served, always(Fault("status", 500)), [question(number) for number in range(2)])
    lines = [line for line in capsys.readouterr().err.splitlines() if "tries again" in line]
    assert len(lines) == 1 and lines[0].startswith("whatif: http://127.0.0.1:") and "status 500" in lines[0]
    assert "Bearer (key)" in lines[0]


def test_each_reason_of_a_retry_and_a_long_wait_are_said_once(
    served: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    faults = [Fault("status", 503), Fault("status", 429), Fault("status", 503, (("Retry-After", "300"),))]
    ask(served, first(*faults), [question(place) for place in range(2)], concurrency=1)  # in this order
    lines = capsys.readouterr().err.splitlines()
    said = [line.partition("tries again")[2] for line in lines if ": status " in line]
    assert sorted(line.partition(": refuse")[0] for line in said) == [
        " in 300 s: status 503",
        ": status 429",
        ": status 503",
    ]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_request_that_is_refused_is_an_error_and_the_run_goes_on(served: tuple[str, Path], status: int) -> None:
    questions = [question(number) for number in range(4)]
    refused: list[str] = []

    def plan(body: str, number: int) -> Fault | None:
        refused.extend([] if refused else [body])
        return Fault("status", status) if body == refused[0] else None

    answers, waits, proxy = ask(served, plan, questions)
    assert (sorted(answer.status for answer in answers), waits, len(proxy.log)) == (["error", *["ok"] * 3], [], 4)
    (error,) = [answer for answer in answers if answer.status == "error"]
    assert error == Answer(status="error", reason=f"status {status}: refused: Bearer (key)"), "the same next time"


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops_the_run_and_names_its_variable(served: tuple[str, Path], status: int) -> None:
    plan = always(Fault("status", status))
    with pytest.raises(WhatifError, match=rf"/v1: the key in TEST_API_KEY is rejected \(status {status}\)$"):
        ask(served, plan, [question(number) for number in range(50)])
    with pytest.raises(WhatifError, match="a key is required; set key_variable"):
        ask(served, plan, [question(0)], key_variable=None)


def test_an_account_without_credit_stops_the_run_after_what_is_under_way(
    served: tuple[str, Path], tmp_path: Path
) -> None:
    body = json.dumps({"error": {"message": "no credit", "code": "insufficient_quota"}}).encode()
    passed = threading.Semaphore(2)

    def plan(key: str, number: int) -> Fault | None:
        return None if passed.acquire(blocking=False) else Fault("status", 429, body=body)

    with ResponseStore(tmp_path / "r.sqlite") as store, FaultyProxy(served[0], plan) as proxy:
        model = stored(ApiAnswers(settings_of(proxy.base_url, served[1], concurrency=4), 0), store)
        with pytest.raises(WhatifError, match="the account has no credit left"):
            list(model.answer([question(number) for number in range(50)]))
        assert sum(store.summary().answers.values()) == 2
    assert proxy.counts()["429"] <= 8


def test_an_endpoint_that_is_down_stops_the_run(served: tuple[str, Path]) -> None:
    questions = [question(number) for number in range(24)]
    seen: list[str] = []

    def plan(asked: str, number: int) -> Fault | None:
        seen.extend([] if asked in seen else [asked])
        return Fault("cut") if seen.index(asked) < down else None

    down = 19
    answers, waits, _ = ask(served, plan, questions, concurrency=1, retries=1)
    assert [answer.status for answer in answers] == ["error"] * 19 + ["ok"] * 5 and len(waits) == 19
    assert [answer.transient for answer in answers] == [True] * 19 + [False] * 5
    seen.clear()
    down = 20
    with pytest.raises(
        WhatifError, match="/v1: 20 questions in a row were not answered, the last one because: connection"
    ):
        ask(served, plan, questions, concurrency=1, retries=1)
    assert len(seen) == 20


def test_a_refused_key_ends_long_waits_too(served: tuple[str, Path]) -> None:
    told_to_wait = threading.Event()
    waiting: list[str] = []

    class Slow(FaultyProxy):
        def _reply(self, request: Any, body: bytes, fault: Fault | None) -> None:
            if fault is not None and fault.status == 401:
                assert told_to_wait.wait(60)
            super()._reply(request, body, fault)
            told_to_wait.set()

    def plan(asked: str, number: int) -> Fault | None:
        waiting.append(asked)
        return Fault("status", 429, (("Retry-After", "3000"),)) if asked == waiting[0] else Fault("status", 401)

    with Slow(served[0], plan) as proxy:
        model = ApiAnswers(settings_of(proxy.base_url, served[1], concurrency=2), 0)  # really waits
        with pytest.raises(WhatifError, match="is rejected"):
            list(model.answer([question(number) for number in range(9)]))
    assert len(proxy.log) == 2


def test_a_killed_run_keeps_what_arrived_behind_a_question_without_reply(
    served: tuple[str, Path], tmp_path: Path
) -> None:
    questions = [question(number) for number in range(12)]
    stuck: list[str] = []

    def plan(asked: str, number: int) -> Fault | None:
        stuck.extend([] if stuck else [asked])
        return Fault("time-out") if asked == stuck[0] and number == 0 else None

    with FaultyProxy(served[0], plan) as proxy, ResponseStore(tmp_path / "r.sqlite") as store:
        process = run_in_process(proxy, served[1], tmp_path)
        while sum(store.summary().answers.values()) < 11:
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        model = stored(ApiAnswers(settings_of(proxy.base_url, served[1]), 0), store)
        assert [answer.status for answer in model.answer(questions)] == ["ok"] * 12
    assert proxy.counts() == {"passed": 12, "time-out": 1}


@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_a_key_that_is_not_set_is_named_before_anything_is_sent(
    served: tuple[str, Path], value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_API_KEY") if value is None else monkeypatch.setenv("TEST_API_KEY", value)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with pytest.raises(WhatifError, match=r"^TEST_API_KEY: is not set; it must hold the key of http"):
        ask(served, first(), [question(0)])
    assert ask(served, first(), [])[0] == []
    answers, _, _ = ask(served, always(Fault("status", 400)), [question(0)], key_variable=None)
    assert "Bearer none" in str(answers[0].reason), "a key of another endpoint is not sent"
