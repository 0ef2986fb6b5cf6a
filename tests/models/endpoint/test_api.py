"""The adapter `api` against a real server, directly and behind a proxy that makes requests fail."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import whatif.engine.progress
from tests.defaults import name_no_model, shipped_values
from tests.faulty_proxy import Fault, FaultyProxy, always, first, seeded
from tests.models.endpoint.server import (
    SECRET,
    TOKENS,
    ask,
    completion,
    question,
    run_in_process,
    settings_of,
)
from tests.served_model import greedy
from whatif import benchmarks
from whatif.benchmarks.shared.evaluation import TransientErrors
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.models import Answer, Question, load
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored
from whatif.scoring.open_answers import open_predictions

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("key")]


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


def test_a_key_with_signs_that_no_header_takes_is_refused_unseen(
    served: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_API_KEY", f"{SECRET}\nX: y")
    with pytest.raises(WhatifError, match=r"^TEST_API_KEY: contains characters that a key cannot have$"):
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
            status="error", reason="token_budget of 1 reached", transient=True, request_key=one[1].request_key
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
    assert capfd.readouterr().err == ""


def test_a_log_file_gets_one_line_for_many_requests_with_their_tokens_and_cost(
    served: tuple[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whatif.engine.progress, "INTERVAL", float("inf"))
    prices = {"price_per_million_prompt_tokens": 0.0, "price_per_million_response_tokens": 1e6}
    with FaultyProxy(served[0]) as proxy, ResponseStore(tmp_path / "r.sqlite") as store:
        model = TransientErrors(stored(ApiAnswers(settings_of(proxy.base_url, served[1], **prices), 0), store))
        rows: list[dict[str, Any]] = [
            {
                "question_id": f"q{number:02d}",
                "pair_id": "p",
                "group": "g",
                "variant": "original",
                "question": f"How many dots are in circle {number}?",
                "choices": None,
                "answer": "3",
                "answer_kind": "number",
                "image_ids": [],
            }
            for number in range(12)
        ]
        assert len(list(open_predictions(rows, ImageStore([]), "m", model, strategy="direct"))) == len(proxy.log) == 12
    (line,) = capfd.readouterr().err.splitlines()
    assert re.fullmatch(rf"m: 12 of 12 questions in [\d:]+, 00:00 left, [\d,]+ tokens, cost {12 * TOKENS}\.00", line)


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
    counts = {"prompt_tokens": 3, "response_tokens": 0}
    sent = {"finish": "length", "cut_off": True, "image_form": "in place"}
    assert answers == [Answer(None, "none", reason, response=response, **counts, **sent)]
    assert len(proxy.log) == 1


def test_a_budget_needs_an_endpoint_that_counts(served: tuple[str, Path], tmp_path: Path) -> None:
    plan = always(Fault("status", 200, body=completion("B", usage=False)))
    answers, _, _ = ask(served, plan, [question(0)])
    assert answers == [Answer(response="B", cut_off=True, finish="length", image_form="in place")]
    with FaultyProxy(served[0], plan) as proxy, ResponseStore(tmp_path / "r.sqlite") as store:
        settings = settings_of(proxy.base_url, served[1], token_budget=100, concurrency=1)
        with pytest.raises(WhatifError, match="does not count tokens, so token_budget cannot be applied"):
            list(stored(ApiAnswers(settings, 0), store).answer([question(0), question(1)]))
        assert sum(store.summary().answers.values()) == len(proxy.log) == 1, "what was paid for is kept"


def test_a_picture_that_cannot_be_read_is_an_error(served: tuple[str, Path]) -> None:
    def broken() -> Sequence[bytes]:
        raise OSError("row 3 is damaged")

    questions = [
        Question("a", "g", "original", one_turn("how many?"), encoded_images=broken),
        Question("b", "g", "original", one_turn("how many?"), encoded_images=lambda: [b"<svg>"]),
        Question("c", "g", "original", one_turn("how many?")),
    ]
    answers, _, proxy = ask(served, first(), questions)
    assert [(answer.status, answer.reason) for answer in answers] == [
        ("error", "picture cannot be read: row 3 is damaged"),
        ("error", "picture cannot be read: cannot identify image file"),
        ("ok", None),
    ]
    assert len(proxy.log) == 1


# Another process


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
        assert b"WhatifError" in stderr and b"TEST_API_KEY is rejected" in stderr
    else:
        assert stdout.endswith(b"12\n")
        assert b"Bearer (key)" in written["answers.txt"] and b"Your key is (key)." in written["answers.jsonl"]
    for name, data in {**written, "stdout": stdout, "stderr": stderr}.items():
        assert SECRET.encode() not in data, name


# Its settings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key_variable": SECRET}, "key_variable: is '(not shown)'; it must be the name of an environment variable"),
        ({"key_variable": "A" * 65}, "key_variable: is '(not shown)'; it must be the name of an environment variable"),
        (
            {"base_url": f"https://user:{SECRET}@host/v1"},
            "base_url: is '(not shown)'; it must be a URL such as http://",
        ),
        ({"base_url": f"https://host/v1?key={SECRET}"}, "base_url: is '(not shown)'; it must be a URL such as http://"),
        ({"base_url": "localhost:8000/v1"}, "base_url: is '(not shown)'; it must be a URL such as http://localhost"),
        ({"api_key": SECRET}, "api_key: unknown key"),
        ({"concurrency": 257}, "concurrency: is 257; input should be less than or equal to 256"),
        ({"price_per_million_prompt_tokens": 1.5}, "give the prices of both"),
    ],
)
def test_a_mistake_in_its_settings_is_named_and_a_pasted_key_is_not_shown(
    changes: dict[str, Any], message: str
) -> None:
    values = shipped_values()
    settings = settings_of("https://api.example.org/v1", Path("m")).model_dump()
    name_no_model(values)
    values["models"] = {"m": settings}
    assert benchmarks.check_params(values).models["m"].adapter == "api"
    values["models"] = {"m": settings | changes}
    with pytest.raises(WhatifError) as error:
        benchmarks.check_params(values)
    assert message in str(error.value) and SECRET not in str(error.value)
