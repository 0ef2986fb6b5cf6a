"""The store of answers: stored answers persist, once each, with concurrent writers and killed writers."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tests.defaults import puzzles_and_baselines
from whatif.artifacts.schemas import PREDICTIONS
from whatif.artifacts.writer import write_artifact
from whatif.cli import main
from whatif.errors import WhatifError
from whatif.models.responses.store import Merged, ResponseStore, Run, request_key
from whatif.models.responses.tallies import tallies

WRITER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from whatif.models.responses.store import ResponseStore, request_key

    with ResponseStore(Path(sys.argv[1])) as store:
        for number in range(int(sys.argv[3]), int(sys.argv[4])):
            request = {"identity": {"adapter": "api", "model": "m"}, "prompt": f"question {number}"}
            stands = store.put(request_key(request), request, {"status": "ok", "response": f"{sys.argv[2]} {number}"})
            print(number, stands["response"], flush=True)
    """
)


def request_of(prompt: str, model: str = "m") -> dict[str, Any]:
    return {"identity": {"adapter": "api", "model": model}, "prompt": prompt, "options": [], "image_ids": []}


def answer_of(response: str) -> dict[str, Any]:
    return {"status": "ok", "response": response}


def put(store: ResponseStore, prompt: str, response: str, model: str = "m") -> dict[str, Any]:
    request = request_of(prompt, model)
    return store.put(request_key(request), request, answer_of(response))


def writer(store: Path, name: str, first: int, end: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(store), name, str(first), str(end)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def all_answers(path: Path) -> list[str]:
    """The contents of a file, read without the code under test."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [json.loads(a)["response"] for (a,) in connection.execute("SELECT answer FROM responses")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "responses.sqlite"


def test_what_was_put_is_found_by_its_key_in_another_process_too(path: Path) -> None:
    with ResponseStore(path) as store:
        assert put(store, "Wie viele?", "sieben – 7") == answer_of("sieben – 7")
        keys = [request_key(request_of(prompt)) for prompt in ("Wie viele?", "never asked")]
        assert store.get(keys) == {keys[0]: answer_of("sieben – 7")}
    with ResponseStore(path) as store:
        assert store.get([*keys, keys[0]]) == {keys[0]: answer_of("sieben – 7")}


def test_more_keys_are_looked_up_than_a_statement_takes(path: Path) -> None:
    with ResponseStore(path) as store:
        put(store, "question 1", "one")
        keys = [request_key(request_of(f"question {number}")) for number in range(2_500)]
        assert store.get(keys) == {keys[1]: answer_of("one")}


@pytest.mark.parametrize("part", ["identity", "prompt", "options", "image_ids"])
def test_each_part_of_a_request_changes_its_key(part: str) -> None:
    request = request_of("question")
    keys = {request_key(request), request_key({**request, part: ["other"]})}
    assert len(keys) == 2
    assert request_key(dict(reversed(request.items()))) in keys, "the order of its parts does not"


def test_the_first_answer_stays(path: Path) -> None:
    with ResponseStore(path) as store:
        put(store, "question", "first")
        assert put(store, "question", "second") == answer_of("first")
        assert list(store.get([request_key(request_of("question"))]).values()) == [answer_of("first")]
    for statement in ("UPDATE responses SET answer = '{}'", "DELETE FROM responses"):
        with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="never"):
            connection.execute(statement)


def test_an_error_and_a_wrong_key_are_not_stored(path: Path) -> None:
    with ResponseStore(path) as store:
        request = request_of("question")
        with pytest.raises(ValueError, match="an error is not an answer"):
            store.put(request_key(request), request, {"status": "error", "reason": "time-out"})
        with pytest.raises(ValueError, match="does not match its request"):
            store.put(request_key(request_of("another")), request, answer_of("yes"))
        assert store.summary().answers == {}


@pytest.mark.process
def test_four_processes_write_at_once_and_agree(path: Path) -> None:
    writers = [writer(path, name, 0, 40) for name in "abcd"]
    said = [process.communicate(timeout=120)[0].splitlines() for process in writers]
    assert [process.returncode for process in writers] == [0] * 4
    assert said[0] == said[1] == said[2] == said[3], "each is told the answer that stands"
    assert len(said[0]) == 40
    assert sorted(all_answers(path)) == sorted(line.partition(" ")[2] for line in said[0])


def test_threads_share_a_store(path: Path) -> None:
    with ResponseStore(path) as store, ThreadPoolExecutor(8) as pool:
        prompts = [f"question {number % 50}" for number in range(400)]
        stands = list(pool.map(lambda n: put(store, prompts[n], f"answer {n}")["response"], range(400)))
        assert store.summary().answers == {"api m": 50}
    by_prompt = {(prompt, response) for prompt, response in zip(prompts, stands, strict=True)}
    assert len(by_prompt) == 50


@pytest.mark.process
def test_a_killed_writer_loses_nothing_that_was_put(path: Path) -> None:
    process = writer(path, "a", 0, 1_000_000)
    assert process.stdout is not None
    seen = [process.stdout.readline() for _ in range(30)]
    process.send_signal(signal.SIGKILL)
    seen += process.stdout.readlines()
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    whole = [line.split(" ", 1)[1].rstrip("\n") for line in seen if line.endswith("\n")]
    kept = all_answers(path)
    assert kept[: len(whole)] == whole and len(kept) <= len(whole) + 1
    with ResponseStore(path) as store:
        assert put(store, "after the kill", "goes on") == answer_of("goes on")


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


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text, database = tmp_path / "text.sqlite", tmp_path / "other.sqlite"
    text.write_text("This is no database, but it is long enough to be taken for one." * 20)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE something (x)")
    before = text.read_bytes(), database.read_bytes()
    with pytest.raises(WhatifError, match=r"text\.sqlite: cannot be used as a store"):
        ResponseStore(text)
    with pytest.raises(WhatifError, match=r"other\.sqlite: is not a store of answers"):
        ResponseStore(database)
    with pytest.raises(WhatifError, match=r"text\.sqlite/x: cannot be used"):
        ResponseStore(text / "x")
    assert (text.read_bytes(), database.read_bytes()) == before


@pytest.mark.process
@pytest.mark.parametrize("killed", [False, True])
def test_the_file_alone_is_whole_after_each_answer(path: Path, tmp_path: Path, killed: bool) -> None:
    copy = tmp_path / "copy.sqlite"
    with writer(path, "a", 0, 1_000_000 if killed else 30) as process:
        assert process.stdout is not None
        for _ in range(30):
            process.stdout.readline()
        if killed:
            process.send_signal(signal.SIGKILL)
            process.wait()
            with ResponseStore(path):
                pass  # rolls back the unfinished write
        else:
            process.wait()
    copy.write_bytes(path.read_bytes())
    assert len(all_answers(copy)) >= 30


def test_the_file_alone_is_whole_while_it_is_open(path: Path, tmp_path: Path) -> None:
    with ResponseStore(path) as store:
        for number in range(3):
            put(store, f"question {number}", "yes")
            (tmp_path / "copy.sqlite").write_bytes(path.read_bytes())
            assert len(all_answers(tmp_path / "copy.sqlite")) == number + 1
        assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_store_of_an_earlier_version_leaves_its_write_ahead_log(path: Path) -> None:
    with ResponseStore(path) as store:
        put(store, "question 1", "yes")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE runs (number INTEGER PRIMARY KEY)")
    with ResponseStore(path) as store:
        put(store, "question 2", "yes")
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert len(all_answers(path)) == 2


def test_a_store_that_cannot_be_written_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ResponseStore(path) as store:
        put(store, "question 1", "yes")
    connect = sqlite3.connect
    # As SQLite opens a file that it may not write; who runs the tests may write everything.
    monkeypatch.setattr(sqlite3, "connect", lambda file, **more: connect(f"file:{file}?mode=ro", uri=True, **more))
    monkeypatch.setattr("whatif.models.responses.store.write_whole", _refuse)
    with ResponseStore(path) as store:
        assert len(store.get([request_key(request_of("question 1"))])) == 1
        store.record_run(Run("api m", 1, 0))
        assert store.summary().answers == {"api m": 1}
        assert store.summary().last_run is None
        with pytest.raises(WhatifError, match=r"responses\.sqlite: cannot be used as a store .*readonly"):
            put(store, "question 2", "yes")


def _refuse(path: Path, data: bytes, **more: Any) -> None:
    raise WhatifError(f"{path}: cannot be written")


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


def test_checkpoints_are_told_apart(path: Path) -> None:
    with ResponseStore(path) as store:
        for digest in ("ab" * 32, "cd" * 32):
            request = {"identity": {"adapter": "hf-chat", "files": digest}, "prompt": "question"}
            store.put(request_key(request), request, answer_of("yes"))
        assert store.summary().answers == {"hf-chat files abababababab": 1, "hf-chat files cdcdcdcdcdcd": 1}


# The command


def whatif(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["responses", *arguments], prog_name="whatif")
    return result.exit_code, result.output


def test_the_command_shows_exports_and_merges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    with ResponseStore() as store:
        for number in range(3):
            put(store, f"question {number}", "yes", "gpt" if number else "llava")
        store.record_run(Run("api gpt", 3, 1))
        size = store.summary().size
    code, text = whatif("show")
    assert (code, text.splitlines()[1:]) == (
        0,
        [
            "          2  api gpt",
            "          1  api llava",
            "last run, api gpt: 3 of 4 answers came from the store (75.0%)",
        ],
    )
    assert size > 4096 and text.startswith(".whatif/responses.sqlite: 0.") and "3 answers" in text
    assert whatif("export", "out.jsonl") == (0, "out.jsonl: 3 answers\n")
    monkeypatch.setenv("WHATIF_RESPONSES", "elsewhere/r.sqlite")
    assert whatif("show") == (
        2,
        "whatif: elsewhere/r.sqlite: no such file; it is created when a model is asked for the first time\n",
    )
    assert whatif("merge", "out.jsonl", "none.jsonl") == (2, "whatif: none.jsonl: no such file\n")
    assert not Path("elsewhere").exists()
    merged = "elsewhere/r.sqlite: 3 answers added, 3 already stored\n"
    assert whatif("merge", "out.jsonl", ".whatif/responses.sqlite") == (0, merged)
    assert whatif("export", "out.txt") == (2, "whatif: out.txt: must end in .jsonl\n")


def test_the_command_shows_tokens_cost_time_and_what_was_not_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    identity = {"adapter": "api", "model": "gpt", "base_url": "https://host/v1", "max_new_tokens": 64}
    counts = {"prompt_tokens": 1_000_000, "response_tokens": 2_000}
    answers = [
        {"status": "ok", "response": "yes", **counts, "seconds": 1.5},
        {"status": "ok", "response": "yes", **counts, "seconds": 100},
        {"status": "none", "reason": "refused: I will not.", **counts, "seconds": 2},
        {"status": "none", "reason": "refused: No.", **counts},
        {"status": "ok", "response": "yes"},
    ]
    with ResponseStore() as store:
        for number, answer in enumerate(answers):
            request = {"identity": identity | {"max_new_tokens": 64 + number % 2}, "prompt": f"question {number}"}
            store.put(request_key(request), request, answer)
        put(store, "question", "yes", "local")
    took = "4,000,000 prompt and 8,000 response tokens (of 4 answers)"
    rest = "0:01:44 h (of 3 answers), unanswered (refused: 2)"
    assert whatif("show")[1].splitlines()[1:] == [f"          5  api gpt: {took}, {rest}", "          1  api local"]
    values = puzzles_and_baselines()
    model = {"adapter": "api", "model": "gpt", "base_url": "https://host/v1/"}
    prices = {"price_per_million_prompt_tokens": 2.5, "price_per_million_response_tokens": 10}
    values["models"] = {"gpt": model | prices}
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    assert f"  api gpt: {took}, cost 10.08, {rest}\n" in whatif("show")[1]
    rows = [
        {
            **dict.fromkeys(PREDICTIONS.schema.names),
            "question_id": f"q{number}",
            "model": "gpt",
            "strategy": "direct",
            "status": "error",
            "reason": f"status 500: request {number}",
            "correct": False,
        }
        for number in range(3)
    ]
    write_artifact(Path("data/evaluate/gpt/scenes/direct.parquet"), PREDICTIONS, rows)
    Path("data/evaluate/gpt/scenes/cut.parquet").write_bytes(b"PAR1")
    assert whatif("show")[1].endswith("\nerrors in data/evaluate:\n          3  gpt: status 500: 3\n")


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
