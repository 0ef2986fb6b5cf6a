"""Files of stored answers: stores and exported lines are merged, and every row is checked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.models.responses.answers import answer_of, put, request_of
from whatif.engine.errors import WhatifError
from whatif.models.responses.store import Merged, ResponseStore, request_key
from whatif.models.responses.tallies import tallies


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "responses.sqlite"


def test_exported_lines_and_stores_merge_into_the_same(path: Path, tmp_path: Path) -> None:
    other, third = tmp_path / "other.sqlite", tmp_path / "third.sqlite"
    with ResponseStore(path) as store:
        for number in range(20):
            put(store, f"question {number}", f"here {number}\u2028\n")
        assert store.export(tmp_path / "here.jsonl") == 20
    with ResponseStore(other) as store:
        for number in range(15, 30):
            put(store, f"question {number}", f"there {number}" if number < 18 else f"here {number}\u2028\n")
        assert store.merge([tmp_path / "here.jsonl"]) == Merged(added=15, known=5, different=3)
        assert store.summary().answers == {"api m": 30}
    with ResponseStore(third) as store:
        assert store.merge([path, other, path]) == Merged(added=30, known=40, different=3)
        assert store.export(tmp_path / "third.jsonl") == 30
    assert (tmp_path / "third.jsonl").read_bytes().startswith((tmp_path / "here.jsonl").read_bytes())
    lines = [json.loads(line) for line in (tmp_path / "third.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]
    assert all(request_key(line["request"]) == line["key"] for line in lines)


def _cut(line: str) -> str:
    return line[:-5]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_cut, "line 2: is not a stored answer"),
        (lambda line: "[]", "line 2: is not a stored answer"),
        (lambda line: line.replace("question 1", "question 9"), "row 2: its key"),
        (lambda line: line.replace('"ok"', '"error"'), "row 2: its answer has no status"),
    ],
)
def test_a_damaged_file_is_refused_as_a_whole(path: Path, damage: Callable[[str], str], message: str) -> None:
    lines = path.parent / "lines.jsonl"
    with ResponseStore(path) as store:
        for number in range(3):
            put(store, f"question {number}", "yes")
        store.export(lines)
    text = lines.read_text(encoding="utf-8").splitlines()
    lines.write_text("\n".join([text[0], damage(text[1]), text[2]]), encoding="utf-8")
    with ResponseStore(path.parent / "another.sqlite") as store:
        with pytest.raises(WhatifError, match=message) as error:
            store.merge([lines])
        assert str(error.value).startswith(f"{lines}: ")
        assert store.summary().answers == {}
        assert put(store, "question", "goes on") == answer_of("goes on")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"status": "ok", "option_scores": 5}, "has option_scores that are not a list"),
        ({"status": "ok", "option_scores": [{"log_likelihood": "x", "tokens": 1}]}, "has option_scores"),
        ({"status": "ok", "option_scores": [{"log_likelihood": -1.0, "tokens": 0}]}, "has option_scores"),
        ({"status": "ok", "response": 3}, "has a response that is not text: 3"),
        (
            {"status": "ok", "response": "3", "prompt_tokens": 10**30},
            "has prompt_tokens that are not a number of tokens: 1000",
        ),
        (
            {"status": "ok", "response": "3", "response_tokens": -5},
            "has response_tokens that are not a number of tokens: -5",
        ),
        ({"status": "ok", "response": "3", "prompt_tokens": True}, "has prompt_tokens that are not a number"),
        ({"status": "ok", "response": "3", "cut_off": "no"}, "has a cut_off that is neither true nor false"),
        ({"status": "passed"}, "has no status"),
        (["ok"], "is not an object"),
    ],
)
def test_an_answer_of_other_types_is_refused_by_a_merge_and_named_when_it_is_there(
    path: Path, answer: Any, message: str
) -> None:
    request = request_of("question")
    lines = path.parent / "lines.jsonl"
    lines.parent.mkdir()
    lines.write_text(json.dumps({"key": request_key(request), "request": request, "answer": answer}), encoding="utf-8")
    with ResponseStore(path) as store:
        with pytest.raises(WhatifError, match=message) as error:
            store.merge([lines])
        assert str(error.value).startswith(f"{lines}: row 1: its answer has") or "is not an object" in message
        with closing(sqlite3.connect(path)) as connection, connection:
            row = (request_key(request), json.dumps(request), json.dumps(answer))
            connection.execute("INSERT INTO responses VALUES (NULL, ?, ?, ?)", row)
        with pytest.raises(WhatifError, match=message) as error:
            store.get([request_key(request)])
        assert str(error.value).startswith(f"{path}: the answer to {request_key(request)} ")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"key":"a","request":{"identity":{},"prompt":"\\ud800"},"answer":{}}',
            "row 1: contains a lone surrogate",
        ),
        (
            '{"key":"KEY","request":{"identity":{}},"answer":{"status":"ok","response":"\\ud800"}}',
            "row 1: contains a lone",
        ),
        ("[" * 100_000, "line 1: is not a stored answer"),
        ('{"key":"NONE","request":{},"answer":{"status":"ok"}}', "row 1: its request does not identify the model"),
        ('{"key":"TEXT","request":{"identity":"m"},"answer":{"status":"ok"}}', "row 1: its request does not identify"),
    ],
)
def test_a_hostile_line_is_refused_and_named(path: Path, line: str, message: str) -> None:
    requests: dict[str, dict[str, Any]] = {"KEY": {"identity": {}}, "NONE": {}, "TEXT": {"identity": "m"}}
    for name, request in requests.items():
        line = line.replace(name, request_key(request))
    lines = path.parent / "lines.jsonl"
    lines.parent.mkdir()
    lines.write_text(line, encoding="utf-8")
    with ResponseStore(path) as store, pytest.raises(WhatifError, match=message):
        store.merge([lines])


def test_answers_that_differ_in_their_time_alone_are_the_same(path: Path, tmp_path: Path) -> None:
    for name, seconds in (("one", 1.5), ("two", 2.5)):
        with ResponseStore(tmp_path / f"{name}.sqlite") as store:
            request = request_of("question")
            store.put(request_key(request), request, answer_of("yes") | {"seconds": seconds})
    with ResponseStore(path) as store:
        files = [tmp_path / "one.sqlite", tmp_path / "two.sqlite"]
        assert store.merge(files) == Merged(added=1, known=1, different=0)
        assert tallies(store.path)[0].seconds == 1.5, "the first one stays"


@pytest.mark.parametrize("seconds", ["1", -1, True, 1e999])
def test_a_time_that_is_none_is_refused(path: Path, tmp_path: Path, seconds: object) -> None:
    request = request_of("question")
    row = {"key": request_key(request), "request": request, "answer": answer_of("yes") | {"seconds": seconds}}
    (tmp_path / "lines.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with ResponseStore(path) as store, pytest.raises(WhatifError, match=r"lines\.jsonl"):
        store.merge([tmp_path / "lines.jsonl"])
