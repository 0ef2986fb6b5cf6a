"""Programs that a model behind an endpoint, or a checkpoint on this machine, writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.chat_server import text_of
from tests.models.programs.viper.server import PROGRAM, CodeServer
from tests.tiny_checkpoints.text import tiny_text_model
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.programs import Writer
from whatif.models import Question
from whatif.models.programs.interfaces import ProgramWriter, Written
from whatif.models.programs.writers.loading import load_writer
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored

pytestmark = pytest.mark.process


def question(text: str, number: int = 0) -> Question:
    return Question(f"q{number}", "direct", "original", one_turn(f"{text} Answer shortly.", ["a"]), text=text)


def writer(entry: dict[str, Any], prompt_file: Path | None = None) -> ProgramWriter:
    settings: Any = TypeAdapter(Writer).validate_python(entry)
    return load_writer(settings, "python", None if prompt_file is None else str(prompt_file), 0)


def written(one: ProgramWriter, texts: Sequence[str]) -> list[Written]:
    return list(one.write([question(text, number) for number, text in enumerate(texts)]))


def test_the_prompt_has_the_interface_and_the_question_alone() -> None:
    with CodeServer(lambda prompt: f"```python\n{PROGRAM}```") as server:
        (first,) = written(writer(server.entry()), ["How many\ndogs?"])
    assert first == Written(PROGRAM, response=f"```python\n{PROGRAM}```", prompt_tokens=100, response_tokens=10)
    (messages,) = server.conversations
    prompt = text_of(messages[-1])
    assert prompt.endswith("# Question: How many dogs?\ndef execute_command(image):\n")
    assert "class ImagePatch" in prompt
    assert "Answer shortly" not in prompt, "the words of a strategy are not for programs"


def test_a_reply_without_a_program_and_one_that_was_cut_off_say_so() -> None:
    with CodeServer(lambda prompt: "I see no image.") as server:
        (first,) = written(writer(server.entry()), ["How many dogs?"])
    assert (first.code, first.failed) == (None, False)
    assert "no function" in (first.reason or "")
    with CodeServer(lambda prompt: PROGRAM[:-9], finish="length") as server:
        (first,) = written(writer(server.entry()), ["How many dogs?"])
    assert first.code is not None
    assert "cut off at the limit of tokens" in (first.reason or "")


@pytest.mark.parametrize(("status", "transient"), [(503, True), (400, False)])
def test_a_failed_request_is_no_program_and_not_a_reply_without_one(status: int, transient: bool) -> None:
    with CodeServer(lambda prompt: status) as server:
        (first,) = written(writer(server.entry()), ["How many dogs?"])
    assert (first.code, first.failed, first.transient) == (None, True, transient)
    assert str(status) in (first.reason or "")


def test_replies_are_stored_under_the_identity_of_the_model_that_writes(tmp_path: Path) -> None:
    with CodeServer(lambda prompt: PROGRAM) as server, ResponseStore(tmp_path / "store.sqlite") as store:
        for _ in range(2):
            one = writer(server.entry())
            before = one.identity
            one.store_parts(lambda part: stored(part, store))
            assert one.identity == before
            assert [row.code for row in written(one, ["How many dogs?", "How many cats?"])] == [PROGRAM, PROGRAM]
        assert len(server.conversations) == 2


def test_a_prompt_of_the_user_replaces_the_built_in_one(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.txt", tmp_path / "theirs.prompt"
    ours.write_text("Interface.\n{question}\nCode:", encoding="utf-8")
    theirs.write_text("Doc {x: 1}\n# INSERT_QUERY_HERE\ndef execute_command(INSERT_TYPE_HERE):", encoding="utf-8")
    with CodeServer(lambda prompt: PROGRAM) as server:
        for path in (ours, theirs):
            written(writer(server.entry(), path), ["How many {dogs}?"])
        identities = {str(writer(server.entry(), path).identity) for path in (None, ours, theirs)}
    assert [text_of(messages[-1]) for messages in server.conversations] == [
        "Interface.\nHow many {dogs}?\nCode:",
        "Doc {x: 1}\n# How many {dogs}?\ndef execute_command(image):",
    ]
    assert len(identities) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no place", "has 0 places"),
        (b"{question} {question}", "has 2 places"),
        (b"\xff", "UTF-8"),
        (None, "cannot be read"),
    ],
)
def test_a_prompt_without_one_place_for_the_question_is_refused(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "prompt.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(WhatifError, match=f"prompt.txt: .*{words}"):
        writer({"adapter": "api", "model": "m", "base_url": "http://127.0.0.1:1/v1"}, path)


def test_a_checkpoint_on_this_machine_writes_with_the_decoding_of_its_entry(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = tiny_text_model(tmp_path / "tiny")
    entry = {
        "adapter": "blind",
        "checkpoint": str(folder),
        "decoding": {"temperature": 0.1, "top_p": 0.9},
        "max_new_tokens": 8,
        "batch_size": 2,
    }
    texts = ["How many dogs?", "How many cats?", "Is it night?"]
    rows = written(writer(entry), texts)
    assert [row.response_tokens for row in rows] == [8, 8, 8], "random weights have no end"
    assert all(row.code is None and row.reason and not row.failed for row in rows)
    assert rows == written(writer(entry | {"batch_size": 3}), texts), "sampling depends on the question alone"
    assert writer(entry).identity == writer(entry | {"batch_size": 3, "name": "Tiny"}).identity
    assert writer(entry).identity != writer(entry | {"max_new_tokens": 9}).identity


def test_a_program_may_have_512_tokens_where_the_entry_says_nothing() -> None:
    entry = {"adapter": "api", "model": "m", "base_url": "http://127.0.0.1:1/v1"}
    assert writer(entry).identity == writer(entry | {"max_new_tokens": 512}).identity
    assert writer(entry).identity != writer(entry | {"max_new_tokens": 64}).identity


def test_steps_have_a_prompt_of_their_own() -> None:
    steps = "BOX0=LOC(image=IMAGE,object='dog')\nANSWER0=COUNT(box=BOX0)\nFINAL_RESULT=RESULT(var=ANSWER0)\n"
    with CodeServer(lambda prompt: f"{steps}\nQuestion: Another?\n{steps}") as server:
        settings: Any = TypeAdapter(Writer).validate_python(server.entry())
        (first,) = load_writer(settings, "steps", None, 0).write([question("How many dogs?")])
    assert first.code == steps
    assert text_of(server.conversations[0][-1]).endswith("Question: How many dogs?\nProgram:\n")
