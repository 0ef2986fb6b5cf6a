"""Artifacts, the store of answers, and imports into it."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.bad_inputs.outcome import nothing_written, refusal
from tests.command_line import refused, whatif
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import QUESTIONS, REJECTIONS
from whatif.engine.artifacts.verified import verified_footer
from whatif.engine.artifacts.writer import write_artifact
from whatif.models.responses.store import ResponseStore, request_key

ROWS = [{"item_id": f"{number:03d}", "reason": "r", "detail": "d"} for number in range(300)]
OTHER = pa.table({"item_id": ["1"]})
INCOMPLETE = ": is not a complete Parquet file"


def changed(data: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data(path.read_bytes()))


def with_footer(path: Path, **entries: bytes | None) -> None:
    """The same rows with other entries in the footer; None removes one."""
    table = pq.read_table(path)
    kept = {**pq.read_metadata(path).metadata, **{name.encode(): value for name, value in entries.items()}}
    kept = {name: value for name, value in kept.items() if value is not None and name != b"ARROW:schema"}
    pq.write_table(table.replace_schema_metadata(kept), path)


def other_columns(path: Path) -> None:
    """Declares itself a table of rejections without being one."""
    metadata = {key: value for key, value in pq.read_metadata(path).metadata.items() if key != b"ARROW:schema"}
    pq.write_table(OTHER.replace_schema_metadata(metadata), path)


ARTIFACTS: list[tuple[str, Callable[[Path], object], str]] = [
    ("missing", Path.unlink, ": no such artifact"),
    ("empty", lambda path: path.write_bytes(b""), INCOMPLETE),
    ("text", lambda path: path.write_text("item_id,reason"), INCOMPLETE),
    ("its first half", changed(lambda data: data[: len(data) // 2]), INCOMPLETE),
    ("all but a byte", changed(lambda data: data[:-1]), INCOMPLETE),
    ("its signature twice", lambda path: path.write_bytes(b"PAR1PAR1"), INCOMPLETE),
    ("a footer of 4 GB", changed(lambda data: data[:-8] + struct.pack("<I", 2**32 - 1) + b"PAR1"), INCOMPLETE),
    ("a footer of noise", changed(lambda data: data[:-60] + bytes(range(52)) + data[-8:]), INCOMPLETE),
    ("JSON", lambda path: path.write_text("{}" * 100), INCOMPLETE),
    ("another's Parquet", lambda path: pq.write_table(OTHER, path), "was not written by whatif"),
    ("its first bytes", changed(lambda data: data[:100]), INCOMPLETE),
    ("no table named", lambda path: with_footer(path, table=None), ": its footer has no"),
    ("no content named", lambda path: with_footer(path, content=None), ": its footer has no"),
    ("provenance of no JSON", lambda path: with_footer(path, made_from=b"{"), ": was altered"),
    ("name that is no UTF-8", lambda path: with_footer(path, table=b"\xff"), ": its footer has no"),
    ("another table", lambda path: with_footer(path, table=b"questions/1"), ": contains the table questions/1, but"),
    ("a table of tomorrow", lambda path: with_footer(path, table=b"rejections/99"), ": contains the table"),
    ("other columns", other_columns, ": unreadable"),
    ("rows of noise", changed(lambda data: data[:4] + bytes(200) + data[204:]), ": unreadable"),
    ("a folder", lambda path: (path.unlink(), path.mkdir()), INCOMPLETE),
    ("a named pipe", lambda path: (path.unlink(), os.mkfifo(path)), INCOMPLETE),
    ("a device", lambda path: (path.unlink(), path.symlink_to("/dev/zero")), INCOMPLETE),
    ("a link to itself", lambda path: (path.unlink(), path.symlink_to(path)), INCOMPLETE),
]


@pytest.mark.parametrize(("spoil", "words"), [pytest.param(*rest, id=name) for name, *rest in ARTIFACTS])
def test_an_artifact_that_is_none(spoil: Callable[[Path], object], words: str, tmp_path: Path) -> None:
    path = tmp_path / "rejections.parquet"
    write_artifact(path, REJECTIONS, ROWS)
    spoil(path)
    with nothing_written(tmp_path):
        line = refusal(lambda: artifacts.read(path, REJECTIONS))
    assert line.startswith(str(path)) and words in line, line


def test_edited_rows_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("rejections.parquet")
    write_artifact(path, REJECTIONS, ROWS)
    table = pq.read_table(path)
    reasons = pa.array(["another"] * len(ROWS))
    metadata = {key: value for key, value in pq.read_metadata(path).metadata.items() if key != b"ARROW:schema"}
    pq.write_table(table.set_column(1, "reason", reasons).replace_schema_metadata(metadata), path)
    assert "was edited" in refusal(lambda: verified_footer(path))


@pytest.mark.parametrize("command", [("show",), ("audit",), ("compare",), ("export", "c-vqa-csv", "out.csv")], ids=str)
@pytest.mark.parametrize("kind", ["missing", "text", "pipe", "another table"])
def test_a_command_that_is_given_one(
    command: tuple[str, ...], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("questions.parquet")
    if kind == "text":
        path.write_text("question_id")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "another table" and command[0] == "show":
        with_other = pa.table({"a": [1]})
        pq.write_table(with_other, path)
    elif kind == "another table":
        write_artifact(path, REJECTIONS, ROWS)
    given = {"compare": (path, path), "export": ("--questions", path)}.get(command[0], (path,))
    with nothing_written(tmp_path):
        line = refused(whatif(*command, *given))
    assert line.startswith("questions.parquet: "), line


REQUEST: dict[str, Any] = {"identity": {"adapter": "api", "model": "m"}, "prompt": "q", "options": [], "image_ids": []}
ANSWER: dict[str, Any] = {"status": "ok", "response": "yes"}


def a_store(path: Path, *statements: str) -> None:
    """A store with one answer, after statements that its own code never runs."""
    with ResponseStore(path) as store:
        store.put(request_key(REQUEST), REQUEST, ANSWER)
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def cut(path: Path, length: int) -> None:
    a_store(path)
    changed(lambda data: data[:length])(path)


def overwritten(path: Path) -> None:
    a_store(path)
    changed(lambda data: data[:200] + b"\xff" * (len(data) - 200))(path)


def answered(text: str) -> Callable[[Path], object]:
    """A store whose answer is this text, which its triggers would not allow."""
    return lambda path: a_store(path, *UNGUARDED, f"UPDATE responses SET answer = '{text}'")


UNGUARDED = ("DROP TRIGGER responses_stay", "DROP TRIGGER responses_last")
OTHER_COLUMNS = ("CREATE TABLE responses (a)", "PRAGMA user_version = 1")
STORES: list[tuple[str, Callable[[Path], object], str]] = [
    ("text", lambda path: path.write_text("answers " * 100), "file is not a database"),
    ("a picture", lambda path: path.write_bytes(b"\x89PNG" * 200), "file is not a database"),
    ("cut off in its header", lambda path: cut(path, 50), ": cannot be used as a store of answers"),
    ("cut off behind its header", lambda path: cut(path, 4096), ": cannot be used as a store of answers"),
    ("overwritten", overwritten, ": cannot be used as a store of answers"),
    ("a database of something else", lambda path: a_database(path, "CREATE TABLE t (a)"), "is not a store of answers"),
    ("a store of tomorrow", lambda path: a_store(path, "PRAGMA user_version = 99"), "is not a store of answers"),
    ("a table of other columns", lambda path: a_database(path, *OTHER_COLUMNS), "no such column"),
    ("a folder", lambda path: path.mkdir(), "Is a directory"),
    ("a named pipe", os.mkfifo, "it is a named pipe, not a regular file"),
    ("a device", lambda path: path.symlink_to("/dev/zero"), "it is a device, not a regular file"),
    ("a link to itself", lambda path: path.symlink_to(path.name), ": cannot be used as a store of answers"),
    ("an answer of no JSON", answered("{"), ": the answer to "),
    ("an answer of a list", answered("[]"), ": the answer to "),
    ("an answer of another type", answered('{"status": "ok", "response": 7}'), ": the answer to "),
    ("an answer 100,000 deep", answered("[" * 100_000), ": the answer to "),
]


def a_database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def ask(path: Path) -> None:
    with ResponseStore(path) as store:
        store.get([request_key(REQUEST)])


@pytest.mark.parametrize(("make", "words"), [pytest.param(*rest, id=name) for name, *rest in STORES])
def test_a_store_that_is_none(make: Callable[[Path], object], words: str, tmp_path: Path) -> None:
    path = tmp_path / "responses.sqlite"
    make(path)
    with nothing_written(tmp_path):
        line = refusal(lambda: ask(path))
    assert line.startswith(str(path)) and words in line, line


@pytest.mark.parametrize(("make", "words"), [pytest.param(*rest, id=name) for name, *rest in STORES])
def test_a_store_that_is_none_is_not_taken_in(make: Callable[[Path], object], words: str, tmp_path: Path) -> None:
    make(tmp_path / "theirs.sqlite")
    with ResponseStore(tmp_path / "ours.sqlite") as ours:
        line = refusal(lambda: ours.merge([tmp_path / "theirs.sqlite"]))
        assert ours.summary().answers == {}
    assert line.startswith(str(tmp_path / "theirs.sqlite")), line


def exported(**changes: Any) -> bytes:
    text = artifacts.canonical_json(REQUEST)
    row = {"key": hashlib.sha256(text.encode()).hexdigest(), "request": REQUEST, "answer": ANSWER}
    return json.dumps({**row, **changes}).encode() + b"\n"


WITHOUT = {key: value for key, value in REQUEST.items() if key != "identity"}
EXPORTS: list[tuple[str, bytes, str]] = [
    ("no JSON", b"{\n", ": line 1: is not a stored answer"),
    ("a list", b"[]\n", ": line 1: is not a stored answer"),
    ("a number", b"7\n", ": line 1: is not a stored answer"),
    ("an empty line", b"\n", ": line 1: is not a stored answer"),
    ("without a key", b'{"request": {}, "answer": {}}\n', ": line 1: is not a stored answer"),
    ("100,000 deep", b"[" * 100_000 + b"\n", ": line 1: is not a stored answer"),
    ("the second cut off", exported() + exported()[:30], ": line 2: is not a stored answer"),
    ("Latin-1", b'{"key": "\xe9"}\n', ": is not UTF-8"),
    ("another key", exported(key="0" * 64), ": row 1: its key 000"),
    ("key of a number", exported(key=7), ": row 1: is not a stored answer"),
    ("half a surrogate pair", exported(answer={**ANSWER, "response": "\ud83d"}), ": row 1: contains a lone surrogate"),
    ("an answer of null", exported(answer=None), ": row 1: "),
    ("an unknown status", exported(answer={"status": "fine"}), ": row 1: "),
    ("a response of a number", exported(answer={"status": "ok", "response": 7}), ": row 1: "),
    ("no number", exported(answer={**ANSWER, "prompt_tokens": float("nan")}), ": line 1: is not a stored answer"),
    ("nobody asked", exported(request=WITHOUT, key=request_key(WITHOUT)), ": row 1: its request does not identify the"),
    ("a line of 65 MiB", b"", ": line 1: is longer than 67,108,864 bytes"),
]


@pytest.mark.parametrize(("data", "words"), [pytest.param(*rest, id=name) for name, *rest in EXPORTS])
def test_an_export_that_is_none_is_not_taken_in(data: bytes, words: str, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.jsonl"
    theirs.write_bytes(data)
    if not data:
        os.truncate(theirs, 65 * 1024**2)
    with ResponseStore(tmp_path / "ours.sqlite") as ours:
        line = refusal(lambda: ours.merge([theirs]))
        assert ours.summary().answers == {}
    assert line.startswith(str(theirs)) and words in line, line


@pytest.mark.parametrize("kind", ["a folder", "a named pipe", "a device", "below a file", "nowhere", "no text"])
@pytest.mark.parametrize("command", ["show", "export", "merge"])
def test_whatif_responses_names_no_store(
    command: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(b"")
    Path("more.jsonl").write_bytes(exported())
    Path("folder").mkdir()
    os.mkfifo("pipe")
    named = {
        "a folder": "folder",
        "a named pipe": "pipe",
        "a device": "/dev/zero",
        "below a file": "file/responses.sqlite",
        "nowhere": "/proc/nowhere/responses.sqlite",
        "no text": "/proc/\udcff/x",
    }[kind]
    monkeypatch.setenv("WHATIF_RESPONSES", named)
    given = {"show": (), "export": ("out.jsonl",), "merge": ("more.jsonl",)}[command]
    with nothing_written(tmp_path):
        line = refused(whatif("responses", command, *given))
    assert line.startswith(named.replace("\udcff", "\\udcff").split("/responses")[0]), line


def test_questions_are_no_rejections(tmp_path: Path) -> None:
    write_artifact(tmp_path / "questions.parquet", QUESTIONS, [])
    assert "contains the table questions/" in refusal(
        lambda: artifacts.read(tmp_path / "questions.parquet", REJECTIONS)
    )
