"""The adapter `api` against a real server, directly and behind a proxy that lets requests fail."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.faulty_proxy import RATE_LIMIT, Fault, FaultyProxy, Plan, always, first, seeded
from tests.served_model import encoded_picture, greedy, served_model
from whatif import params
from whatif.errors import WhatifError
from whatif.models import Answer, Question, load
from whatif.models.api import ApiAnswers
from whatif.models.api_request import FIRST_WAIT, LONGEST_WAIT
from whatif.models.response_store import ResponseStore
from whatif.models.stored import stored
from whatif.params_models import ApiModel

TOKENS = 8
SECRET = "sk-marker-4f1d9c"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    with served_model(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", SECRET)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def question(number: int) -> Question:
    data = encoded_picture(number, "JPEG" if number % 3 == 0 else "PNG")
    return Question(
        f"question-{number}",
        "group",
        "original",
        f"how many dots are there in circle {number % 5}?",
        image_ids=(hashlib.sha256(data).hexdigest(),),
        encoded_images=lambda: [data],
    )


def settings_of(base_url: str, checkpoint: Path, **changes: Any) -> ApiModel:
    values = {"adapter": "api", "model": str(checkpoint), "base_url": base_url, "key_variable": "TEST_API_KEY"}
    return ApiModel.model_validate(values | {"max_new_tokens": TOKENS, "timeout_seconds": 60.0} | changes)


def ask(
    served: tuple[str, Path], plan: Plan, questions: Sequence[Question], **changes: Any
) -> tuple[list[Answer], list[float], FaultyProxy]:
    """Answers, the waits between tries (in seconds, not waited for), and the proxy with its log."""
    waits: list[float] = []
    with FaultyProxy(served[0], plan) as proxy:
        model = ApiAnswers(settings_of(proxy.base_url, served[1], **changes), 0, waits.append)
        return list(model.answer(questions)), waits, proxy


# A real server


@pytest.mark.parametrize("concurrency", [1, 8])
def test_answers_are_those_of_generate_in_the_order_of_the_questions(
    served: tuple[str, Path], concurrency: int
) -> None:
    questions = [question(number) for number in range(16)]
    model = load("api", settings_of(f"http://{served[0]}/v1", served[1], concurrency=concurrency), 0)
    answers = list(model.answer(questions))
    expected = greedy(served[1], [(q.encoded_images()[0], q.prompt) for q in questions], TOKENS)
    assert len(set(expected)) > 12, "the answers depend on the pictures"
    assert [answer.response for answer in answers] == expected
    assert {(answer.status, answer.letter, answer.response_tokens) for answer in answers} == {("ok", None, TOKENS)}
    assert all(answer.cut_off for answer in answers), "random weights have no end"
    assert all(answer.prompt_tokens and answer.prompt_tokens > 10 for answer in answers)


def test_as_many_requests_as_were_asked_for_are_under_way_at_once(served: tuple[str, Path]) -> None:
    together = threading.Barrier(5)  # four requests, and this test

    class Meeting(FaultyProxy):
        def _forward(self, request: Any, body: bytes) -> tuple[int, bytes]:
            together.wait(60)
            return super()._forward(request, body)

    with Meeting(served[0]) as proxy:
        model = ApiAnswers(settings_of(proxy.base_url, served[1], concurrency=4), 0)
        answers: list[Answer] = []
        asking = threading.Thread(target=lambda: answers.extend(model.answer([question(n) for n in range(8)])))
        asking.start()
        for _ in range(2):
            together.wait(60)
        asking.join()
    assert [answer.status for answer in answers] == ["ok"] * 8
    assert proxy.most_at_once == 4


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_what_is_sent(served: tuple[str, Path], name: str) -> None:
    _, _, proxy = ask(served, first(), [question(0), question(1)], concurrency=1, token_limit=name)
    for (_, sent, _), mime in zip(proxy.log, ("jpeg", "png"), strict=True):
        picture, words = sent.pop("messages")[0]["content"]
        assert sent == {"model": str(served[1]), "temperature": 0, name: TOKENS}
        assert picture["image_url"]["url"].startswith(f"data:image/{mime};base64,")
        assert words["text"].startswith("how many dots")


# Behind a proxy


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
        (Fault("status", 200, body=b'{"error": {"message": "overloaded"}}'), "the reply is no chat completion"),
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
    with pytest.raises(WhatifError, match=rf"/v1: the key in TEST_API_KEY is refused \(status {status}\)$"):
        ask(served, plan, [question(number) for number in range(50)])
    with pytest.raises(WhatifError, match="a key is asked for; name its key_variable"):
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
    assert [answer.passing for answer in answers] == [True] * 19 + [False] * 5
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
        model = ApiAnswers(settings_of(proxy.base_url, served[1], concurrency=2), 0)  # waits for real
        with pytest.raises(WhatifError, match="is refused"):
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


def test_a_key_with_signs_that_no_header_takes_is_refused_unseen(
    served: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_API_KEY", f"{SECRET}\nX: y")
    with pytest.raises(WhatifError, match=r"^TEST_API_KEY: holds signs that no key has$"):
        ask(served, first(), [question(0)])


def test_a_budget_of_tokens_stops_cleanly_and_the_rest_is_asked_next_time(
    served: tuple[str, Path], tmp_path: Path
) -> None:
    questions = [question(number) for number in range(6)]
    with ResponseStore(tmp_path / "r.sqlite") as store, FaultyProxy(served[0]) as proxy:

        def run(budget: int | None) -> list[Answer]:
            settings = settings_of(proxy.base_url, served[1], concurrency=1, token_budget=budget)
            return list(stored(ApiAnswers(settings, 0), store).answer(questions))

        one = run(1)
        tokens = (one[0].prompt_tokens or 0) + (one[0].response_tokens or 0)
        assert tokens > TOKENS
        assert [answer.status for answer in one] == ["ok", *["error"] * 5]
        assert one[1] == Answer(
            status="error", reason="token_budget of 1 reached", passing=True, request_key=one[1].request_key
        )
        assert run(tokens) == [one[0], *run(tokens)[1:]] and len(proxy.log) == 1, "the answer that is stored counts"
        two = run(tokens + 1)
        assert [answer.status for answer in two] == ["ok"] * 2 + ["error"] * 4
        assert len(proxy.log) == 2
        assert [answer.status for answer in run(None)] == ["ok"] * 6
        assert len(proxy.log) == 6


def test_tokens_and_cost_are_counted(served: tuple[str, Path], capfd: pytest.CaptureFixture[str]) -> None:
    prices = {"price_per_million_prompt_tokens": 1000.0, "price_per_million_response_tokens": 5e6}
    model = ApiAnswers(settings_of(f"http://{served[0]}/v1", served[1], **prices), 0)
    answers = list(model.answer([question(0), question(1)]))
    prompts = sum(answer.prompt_tokens or 0 for answer in answers)
    assert (model.spent.prompt_tokens, model.spent.response_tokens) == (prompts, 2 * TOKENS)
    assert model.spent.cost == pytest.approx(prompts / 1000 + 5 * 2 * TOKENS)
    assert str(model.spent) == f"{prompts + 2 * TOKENS} tokens, cost {80 + prompts / 1000:.2f}"
    assert "asking " in capfd.readouterr().err


def completion(content: Any, usage: bool = True, **message: Any) -> bytes:
    counts = {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 3}
    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": content, **message}}
    return json.dumps({"choices": [choice], "usage": counts if usage else None}).encode()


@pytest.mark.parametrize(
    ("body", "reason", "response"),
    [
        (completion(""), "empty response (finish reason: length)", ""),
        (completion(" \n"), "empty response (finish reason: length)", " \n"),
        (completion(None), "empty response (finish reason: length)", ""),
        (completion(None, refusal="I will not."), "refused: I will not.", ""),
    ],
)
def test_an_empty_response_is_none_with_its_reason(
    served: tuple[str, Path], body: bytes, reason: str, response: str
) -> None:
    answers, _, proxy = ask(served, always(Fault("status", 200, body=body)), [question(0)])
    said = Answer(None, "none", reason, response=response, prompt_tokens=3, response_tokens=0, cut_off=True)
    assert answers == [said]
    assert len(proxy.log) == 1


def test_a_budget_needs_an_endpoint_that_counts(served: tuple[str, Path], tmp_path: Path) -> None:
    plan = always(Fault("status", 200, body=completion("B", usage=False)))
    answers, _, _ = ask(served, plan, [question(0)])
    assert answers == [Answer(response="B", cut_off=True)]
    with FaultyProxy(served[0], plan) as proxy, ResponseStore(tmp_path / "r.sqlite") as store:
        settings = settings_of(proxy.base_url, served[1], token_budget=100, concurrency=1)
        with pytest.raises(WhatifError, match="does not count tokens, so token_budget cannot be kept"):
            list(stored(ApiAnswers(settings, 0), store).answer([question(0), question(1)]))
        assert sum(store.summary().answers.values()) == len(proxy.log) == 1, "what was paid for is kept"


def test_a_picture_that_cannot_be_read_is_an_error(served: tuple[str, Path]) -> None:
    def broken() -> Sequence[bytes]:
        raise OSError("row 3 is damaged")

    questions = [
        Question("a", "g", "original", "how many?", encoded_images=broken),
        Question("b", "g", "original", "how many?", encoded_images=lambda: [b"<svg>"]),
        Question("c", "g", "original", "how many?"),
    ]
    answers, _, proxy = ask(served, first(), questions)
    assert [(answer.status, answer.reason) for answer in answers] == [
        ("error", "picture cannot be read: row 3 is damaged"),
        ("error", "picture cannot be read: it is no PNG, JPEG, GIF, BMP or WebP"),
        ("ok", None),
    ]
    assert len(proxy.log) == 1


# Another process

RUN = """
import json, sys
from pathlib import Path
from tests.models.test_api import question, settings_of
from whatif.models.api import ApiAnswers
from whatif.models.response_store import ResponseStore
from whatif.models.stored import stored

settings = settings_of(sys.argv[1], Path(sys.argv[2]), retries=1)
model = ApiAnswers(settings, 0, lambda seconds: None)
print(repr(settings), repr(model), vars(model))
with ResponseStore(Path("r.sqlite")) as store:
    answers = list(stored(model, store).answer([question(number) for number in range(12)]))
    Path("answers.txt").write_text("\\n".join(map(repr, answers)))
    store.export(Path("answers.jsonl"))
print(len(answers))
"""


def run_in_process(proxy: FaultyProxy, checkpoint: Path, folder: Path) -> subprocess.Popen[bytes]:
    """Asks twelve questions with a store in `folder`, where all that it writes goes."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN, proxy.base_url, str(checkpoint)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OPENAI_LOG": "debug"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("refused", [False, True])
def test_the_key_is_in_no_file_and_no_output(served: tuple[str, Path], tmp_path: Path, refused: bool) -> None:
    echo = Fault("status", 200, body=completion(f"Your key is {SECRET}."))
    faults = (Fault("status", 400), Fault("status", 500), Fault("cut"), Fault("truncated"), echo)
    plan = always(Fault("status", 401)) if refused else seeded(1, 0.7, faults)
    with FaultyProxy(served[0], plan) as proxy:
        process = run_in_process(proxy, served[1], tmp_path)
        stdout, stderr = process.communicate()
    assert process.returncode == (1 if refused else 0), stderr.decode()
    written = {file.name: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    if refused:
        assert b"WhatifError" in stderr and b"TEST_API_KEY is refused" in stderr
    else:
        assert stdout.endswith(b"12\n")
        assert b"Bearer (key)" in written["answers.txt"] and b"Your key is (key)." in written["answers.jsonl"]
    for name, data in {**written, "stdout": stdout, "stderr": stderr}.items():
        assert SECRET.encode() not in data, name


# Its settings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key_variable": SECRET}, "key_variable: is '(not shown)'; string should match pattern"),
        ({"key_variable": SECRET * 9}, "key_variable: is '(not shown)'; string should "),
        ({"base_url": f"https://user:{SECRET}@host/v1"}, "base_url: is '(not shown)'; string should match pattern"),
        ({"base_url": f"https://host/v1?key={SECRET}"}, "base_url: is '(not shown)'; string should match pattern"),
        ({"api_key": SECRET}, "api_key: unknown key"),
        ({"concurrency": 257}, "concurrency: is 257; input should be less than or equal to 256"),
        ({"price_per_million_prompt_tokens": 1.5}, "give both prices"),
    ],
)
def test_a_mistake_in_its_settings_is_named_and_a_pasted_key_is_not_shown(
    changes: dict[str, Any], message: str
) -> None:
    values = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text(encoding="utf-8"))
    settings = settings_of("https://api.example.org/v1", Path("m")).model_dump()
    values["models"] = {"m": settings}
    assert params.check(values).models["m"].adapter == "api"
    values["models"] = {"m": settings | changes}
    with pytest.raises(WhatifError) as error:
        params.check(values)
    assert message in str(error.value) and SECRET not in str(error.value)
