"""The store of answers: stored answers persist, once each, with concurrent writers and killed writers."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tests.defaults import puzzles_and_baselines
from tests.models.responses.answers import answer_of, put, request_of
from whatif.commands.cli import main
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.models.responses.store import ResponseStore, Run, request_key

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
