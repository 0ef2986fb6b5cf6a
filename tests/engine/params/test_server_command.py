"""The command of a served model: how it is split and completed, and what is refused in `params.yaml`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from whatif.engine.params.endpoints import ServedModel
from whatif.engine.params.server_command import started_as, without_address

VLLM = "vllm serve Qwen/Qwen2.5-VL-7B-Instruct --limit-mm-per-prompt '{\"image\": 8}'"


def settings(command: str, **more: Any) -> ServedModel:
    return ServedModel.model_validate({"adapter": "served", "command": command, "model": "m", **more})


def test_host_and_port_are_added_where_no_placeholder_is() -> None:
    words = ["vllm", "serve", "Qwen/Qwen2.5-VL-7B-Instruct", "--limit-mm-per-prompt", '{"image": 8}']
    assert started_as(VLLM, "127.0.0.1", 71, None) == [*words, "--host", "127.0.0.1", "--port", "71"]
    assert without_address(VLLM) == words


@pytest.mark.parametrize(
    ("command", "words", "flags"),
    [
        ("e --port {port} -x --host {host}", "e --port 71 -x --host h", "e -x"),
        ("e --port={port} -x", "e --port=71 -x --host h", "e -x"),
        ("e --listen {host}:{port}", "e --listen h:71", "e --listen {host}:{port}"),
        ("e {checkpoint} -x", "e c/d -x --host h --port 71", "e {checkpoint} -x"),
    ],
)
def test_placeholders(command: str, words: str, flags: str) -> None:
    assert started_as(command, "h", 71, "c/d") == words.split()
    assert without_address(command) == flags.split()


def test_a_value_stays_one_word_and_is_expanded_by_nobody() -> None:
    assert started_as("e {checkpoint} '$HOME' *", "h", 1, "a b;c")[:4] == ["e", "a b;c", "$HOME", "*"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "it must name a program"),
        ("vllm 'serve", "cannot be split into words: No closing quotation"),
        ("vllm serve m --port 8000", "leave out `--port`, or write `--port {port}`: each job chooses a free port"),
        ("vllm serve m --port=8000", "leave out `--port`, or write `--port {port}`"),
        ("vllm serve m --host 0.0.0.0", "leave out `--host`, or write `--host {host}`"),
        ("vllm serve m --host", "leave out `--host`, or write `--host {host}`"),
        ("cd /x && vllm serve m", "no shell reads it, so `&&` has no meaning; put the commands into a script"),
        ("vllm serve {model}", "{model} is no placeholder; there are {host}, {port} and {checkpoint}"),
        ("vllm serve m --listen=0:{Port}", "{Port} is no placeholder"),
        ("vllm serve m > log", "no shell reads it, so `>` has no meaning"),
        ("vllm serve m --api-key abc", "`--api-key` would show a secret"),
        ("vllm serve m --api_key=abc", "`--api_key` would show a secret"),
        ("vllm serve m --hf-token abc", "`--hf-token` would show a secret"),
        ("env A=1 HF_TOKEN=abc vllm serve m", "`HF_TOKEN` would show a secret"),
        ("env VLLM_API_KEY=abc vllm serve m", "`VLLM_API_KEY` would show a secret"),
    ],
)
def test_commands_that_are_refused(command: str, message: str) -> None:
    with pytest.raises(ValidationError) as raised:
        settings(command)
    assert message in str(raised.value)
    assert "abc" not in str(raised.value).replace(f"input_value={command!r}", "")


@pytest.mark.parametrize(
    "command",
    [
        "vllm serve m --max-model-len 8192",
        "serve --tokenizer t",
        "e --api-keys-file f",
        "env TOKENIZERS_PARALLELISM=false e no-secret",
    ],
)
def test_commands_that_are_taken(command: str) -> None:
    assert settings(command).command == command


def test_checkpoint_and_its_placeholder_belong_together() -> None:
    for command, checkpoint in (("e serve", "c/d"), ("e {checkpoint}", None)):
        with pytest.raises(ValidationError, match=r"give both checkpoint and its placeholder \{checkpoint\}"):
            settings(command, checkpoint=checkpoint)
    with pytest.raises(ValidationError, match="give model, the name of the model that the server lists"):
        settings("e serve", model=None)
    assert settings("e {checkpoint}", checkpoint="c/d", model=None).checkpoint == "c/d"
