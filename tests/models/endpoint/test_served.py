"""The adapter `served` with a real `transformers serve`, and with engines that have a fault."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.models.endpoint.odd_engine_settings import ENGINE, odd
from tests.models.endpoint.server import TOKENS, question
from tests.served_model import greedy
from tests.tiny_checkpoints import tiny_llava
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.endpoints import ServedModel
from whatif.models import Answer, Question, load
from whatif.models.endpoint import server
from whatif.models.endpoint.served import ServedAnswers, grouped_by_images
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llava(tmp_path_factory.mktemp("served") / "tiny")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working directory for logs, without a hub, and with a proxy that does not answer."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "hub").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("HF_HUB_CACHE", str(folder / "hub"))
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.delenv("NO_PROXY", raising=False)
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            patch.setenv(name, "http://127.0.0.1:9")  # nothing listens there
        yield folder


def settings_of(checkpoint: Path, **changes: Any) -> ServedModel:
    serve = f"{Path(sys.executable).with_name('transformers')} serve {{checkpoint}} --device cpu"
    values = {"adapter": "served", "command": serve, "checkpoint": str(checkpoint), "max_new_tokens": TOKENS}
    return ServedModel.model_validate(values | {"startup_seconds": 300.0, "retries": 1} | changes)


@pytest.fixture(scope="module")
def model(checkpoint: Path, here: Path) -> Iterator[ServedAnswers]:
    """One real server for all tests of this module that need one."""
    loaded = load("served", settings_of(checkpoint), 0)
    assert isinstance(loaded, ServedAnswers)
    yield loaded
    loaded.close()


def running(named: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline"]):
        command = " ".join(process.info["cmdline"] or [])
        if named in command and process.pid != os.getpid():
            found.append(process)
    return found


# A real server


def test_answers_are_those_of_generate_in_the_order_of_the_questions(model: ServedAnswers, checkpoint: Path) -> None:
    questions = [question(number % 8) for number in range(16)]
    answers = list(model.answer(questions))
    expected = greedy(checkpoint, [(one.encoded_images()[0], one.prompt) for one in questions], TOKENS)
    assert len(set(expected)) == 8, "the answers depend on the images"
    assert [answer.response for answer in answers] == expected
    assert {(answer.status, answer.response_tokens) for answer in answers} == {("ok", TOKENS)}
    assert model.spent.response_tokens >= 16 * TOKENS


def test_the_server_is_started_once_and_its_log_is_deleted_when_it_is_stopped(
    model: ServedAnswers, checkpoint: Path, here: Path
) -> None:
    list(model.answer([question(0)]))
    started = running(f"serve {checkpoint}")
    list(model.answer([question(1)]))
    assert running(f"serve {checkpoint}") == started != []
    (log,) = (here / "logs/served").glob("*-tiny-*.log")
    assert "Uvicorn running on http://127.0.0.1:" in log.read_text()
    model.close()
    assert running(f"serve {checkpoint}") == []
    assert not log.exists()


@pytest.mark.soak
def test_another_model_than_its_own_is_refused(checkpoint: Path, here: Path) -> None:
    before = running(f"serve {checkpoint}")
    other = load("served", settings_of(checkpoint, model="other/model"), 0)
    with pytest.raises(WhatifError) as raised:
        list(other.answer([question(0)]))
    assert "does not serve other/model: " in str(raised.value)
    assert f"Server is pinned to '{checkpoint}'; requested 'other/model'." in str(raised.value)
    assert "\n" not in str(raised.value)
    assert running(f"serve {checkpoint}") == before


# Identity


def test_identity_names_engine_version_flags_and_weights_but_no_place(checkpoint: Path, tmp_path: Path) -> None:
    found = load("served", settings_of(checkpoint), 0).identity
    assert found is not None
    assert json.loads(json.dumps(found)) == found
    import transformers

    assert found["engine"] == "transformers"
    assert found["version"] == f"transformers {transformers.__version__}"
    assert found["flags"] == ["transformers", "serve", "{checkpoint}", "--device", "cpu"]
    assert (found["adapter"], found["max_new_tokens"], found["temperature"]) == ("served", TOKENS, 0.0)
    assert str(checkpoint) not in json.dumps(found)
    moved = Path(shutil.copytree(checkpoint, tmp_path / "moved"))
    same = {"concurrency": 3, "startup_seconds": 5.0, "retries": 0, "name": "Another", "device": "cpu"}
    command = "transformers serve {checkpoint} --device cpu --port={port} --host {host}"
    assert load("served", settings_of(moved, command=command, **same), 0).identity == found


def test_what_changes_answers_changes_the_identity(checkpoint: Path, tmp_path: Path) -> None:
    found = load("served", settings_of(checkpoint), 0).identity
    command = settings_of(checkpoint).command
    for change in (
        {"command": f"{command} --dtype bfloat16"},
        {"engine_version": "a build of our own"},
        {"max_new_tokens": TOKENS + 1},
        {"model": "alias"},
        {"decoding": {"temperature": 0.5}},
        {"system": "Answer briefly."},
        {"extra_body": {"top_p": 0.9}},
    ):
        assert load("served", settings_of(checkpoint, **change), 0).identity != found
    other = tiny_llava(tmp_path / "other", seed=5)
    assert load("served", settings_of(other), 0).identity != found


def test_a_gguf_file_is_identified_by_its_bytes(tmp_path: Path) -> None:
    file, copy, other = (tmp_path / name for name in ("a.gguf", "b.gguf", "c.gguf"))
    for path, data in ((file, b"GGUF of a"), (copy, b"GGUF of a"), (other, b"GGUF of c")):
        path.write_bytes(data)
    identity = load("served", settings_of(file, model="local"), 0).identity or {}
    assert "files" in identity and str(file) not in json.dumps(identity)
    assert load("served", settings_of(copy, model="local"), 0).identity == identity
    assert load("served", settings_of(other, model="local"), 0).identity != identity
    with pytest.raises(WhatifError, match=r"nothing.gguf: no such file; give the path of a GGUF file"):
        load("served", settings_of(tmp_path / "nothing.gguf"), 0)


def test_a_model_of_the_hub_is_named(here: Path) -> None:
    hub = settings_of(Path("some/checkpoint"))
    assert (load("served", hub, 0).identity or {})["checkpoint"] == "some/checkpoint"
    assert (odd("healthy").identity or {})["model"] == "tiny/model"


def test_a_folder_must_be_given_as_checkpoint(checkpoint: Path) -> None:
    with pytest.raises(WhatifError, match=r"^model .*: is a folder; give it as `checkpoint` and write \{checkpoint\}"):
        load(
            "served",
            ServedModel(adapter="served", command=f"transformers serve {checkpoint}", model=str(checkpoint)),
            0,
        )


def test_stored_answers_need_no_server(here: Path, tmp_path: Path) -> None:
    questions = [question(number) for number in range(6)]
    with ResponseStore(tmp_path / "r.sqlite") as store:
        model = odd("healthy")
        first = list(stored(model, store).answer(questions))
        assert {answer.status for answer in first} == {"ok"}
        model.close()
        again = odd("healthy", command=f"{ENGINE} healthy", startup_seconds=1e-9)
        assert list(stored(again, store).answer(questions)) == first
        with pytest.raises(WhatifError, match="does not answer within startup_seconds"):
            list(stored(again, store).answer([question(7)]))


# Faults


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            "exits",
            r"ended with exit code 3; the last line of logs/served/tiny-model-\d+-\d+\.log is: RuntimeError: no GPU",
        ),
        ("loading", r"does not answer within startup_seconds \(2\); the last line of logs/served/\S+ is: .*503"),
        ("no-routes", r"does not answer within startup_seconds \(2\); the last line of logs/served/\S+ is: .*404"),
        ("other-model", r"serves other/model, not tiny/model; correct model or command$"),
        ("no-list", r"serves no model, not tiny/model; correct model or command$"),
    ],
)
def test_a_server_that_cannot_be_asked_is_one_line(here: Path, tmp_path: Path, fault: str, message: str) -> None:
    with ResponseStore(tmp_path / "r.sqlite") as store:
        seconds = 2.0 if "startup" in message else 300.0
        model = odd(fault, startup_seconds=seconds)
        with pytest.raises(WhatifError) as raised:
            list(stored(model, store).answer([question(0)]))
        assert re.search(message, str(raised.value)), raised.value
        assert str(raised.value).startswith(f"{ENGINE} {fault} --host 127.0.0.1 --port ")
        assert "\n" not in str(raised.value)
        assert store.summary().answers == {}
    assert running(f"odd_engine.py {fault}") == []
    log = re.search(r"logs/served/\S+\.log", str(raised.value))
    assert log is None or (here / log[0]).is_file(), "the log that the message names is kept"


def test_an_engine_without_a_health_route(here: Path) -> None:
    model = odd("no-health")
    assert next(model.answer([question(0)])).response == f"to {question(0).prompt}"
    model.close()


@pytest.mark.parametrize("retries", [0, 3])
def test_a_server_that_dies_in_the_middle(here: Path, tmp_path: Path, retries: int) -> None:
    questions = [question(number) for number in range(24)]
    with ResponseStore(tmp_path / "r.sqlite") as store:
        with pytest.raises(WhatifError) as raised:
            list(stored(odd("dies 7", retries=retries, concurrency=4), store).answer(questions))
        assert re.search(
            r"ended with exit code 9; the last line of logs/served/\S+ is: CUDA error: an illegal memory access; "
            "stored answers are kept, run again to continue$",
            str(raised.value),
        ), raised.value
        (kept,) = store.summary().answers.values()
        assert 3 <= kept <= 7, "seven requests were answered; the others of the last four may have broken off"
        for _, answer in stored(odd("dies 7"), store).known(questions):  # type: ignore[attr-defined]
            assert answer is None or answer.status == "ok"
    assert running("odd_engine.py dies") == []


@pytest.mark.parametrize("program", ["no-such-engine serve", "./no/engine serve", "env A=1 no-such-engine"])
def test_an_engine_that_is_not_installed(program: str) -> None:
    name = program.rsplit(maxsplit=1)[-1] if program.startswith("env") else program.split(maxsplit=1)[0]
    with pytest.raises(
        WhatifError, match=rf"^command: {re.escape(name)}: no such program; install the engine, or give"
    ):
        odd("", command=program)


def test_an_engine_of_unknown_version_needs_one() -> None:
    command = f"{sys.executable} -m no_such_engine serve"
    with pytest.raises(
        WhatifError, match=r"^command: the version of no_such_engine cannot be found out; give engine_v"
    ):
        odd("", command=command)
    assert (odd("", command=command, engine_version="1.2").identity or {})["version"] == "1.2"


def test_a_port_that_another_program_takes_first(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    ports = [taken.getsockname()[1], server.free_port()]
    monkeypatch.setattr(server, "free_port", lambda: ports.pop(0))
    model = odd("healthy", timeout_seconds=5.0)
    assert next(model.answer([question(0)])).status == "ok"
    model.close()
    ports[:] = [taken.getsockname()[1]] * 3
    with pytest.raises(WhatifError, match=r"already in use \(the last of 3 ports, which other processes took\)$"):
        next(model.answer([question(0)]))
    taken.close()


# Grouping


def asked(*image_ids: str) -> Question:
    return Question("q", "g", "original", one_turn("?", image_ids))


def test_questions_about_the_same_images_are_asked_one_after_the_other() -> None:
    questions = [
        asked("b"),
        asked("a"),
        asked(),
        asked("b", "x"),
        asked("a"),
        asked("b", "y"),
        asked("b", "x"),
        asked(),
    ]
    assert grouped_by_images(questions) == [0, 3, 6, 5, 1, 4, 2, 7]


def test_answers_have_the_order_of_the_questions(here: Path) -> None:
    model = odd("healthy", concurrency=3)
    questions = [question(number % 5) for number in range(20)]
    questions = [replace(one, messages=one_turn(f"{n}", one.image_ids)) for n, one in enumerate(questions)]
    answers: list[Answer] = list(model.answer(questions))
    assert [answer.response for answer in answers] == [f"to {number}" for number in range(20)]
    model.close()
    assert next(model.answer(questions)).response == "to 0", "a question starts it again"
    model.close()
