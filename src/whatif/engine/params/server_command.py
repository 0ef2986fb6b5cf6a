"""The command of a served model: its words, its placeholders, and what it must not contain."""

from __future__ import annotations

import re
import shlex
from typing import Annotated

from pydantic import AfterValidator

HOST, PORT, CHECKPOINT = "{host}", "{port}", "{checkpoint}"
_ADDRESS = {"--host": HOST, "--port": PORT}
_OF_A_SHELL = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1"})
_PLACEHOLDER = re.compile(r"\{[A-Za-z_]+\}")
_NAMES_SECRET = r"[\w-]*(?:api[-_]?key|password|secret|(?:access|auth|hf)[-_]?token)"
# An option with its value here or in the next word, or an assignment after `env`.
_SECRET = re.compile(rf"--?{_NAMES_SECRET}(?:=.*)?|{_NAMES_SECRET}=.*", re.IGNORECASE)


def words_of(command: str) -> list[str]:
    """The words of a command, split as a POSIX shell does, with nothing expanded. Raises ValueError for open quotes."""
    return shlex.split(command)


def has_secret(command: str) -> bool:
    """Whether one of the words gives a secret; the command may be invalid."""
    try:
        words = words_of(command)
    except ValueError:
        words = command.replace("'", " ").replace('"', " ").split()
    return any(_SECRET.fullmatch(word) for word in words)


def started_as(command: str, host: str, port: int, checkpoint: str | None) -> list[str]:
    """The words with host, port and checkpoint in place of their placeholders.

    A command without a placeholder for host or port gets `--host` or `--port` at its end.
    """
    words = words_of(command)
    for flag, placeholder in _ADDRESS.items():
        if not any(placeholder in word for word in words):
            words += [flag, placeholder]
    values = {HOST: host, PORT: str(port), **({} if checkpoint is None else {CHECKPOINT: checkpoint})}
    for placeholder, value in values.items():
        words = [word.replace(placeholder, value) for word in words]
    return words


def without_address(command: str) -> list[str]:
    """The words without the options `--host` and `--port`, which change no answer."""
    words = words_of(command)
    kept: list[str] = []
    while words:
        word = words.pop(0)
        flag, _, value = word.partition("=")
        if flag not in _ADDRESS:
            kept.append(word)
        elif not value and words:
            words.pop(0)
    return kept


def _checked(command: str) -> str:
    try:
        words = words_of(command)
    except ValueError as error:
        raise ValueError(f"cannot be split into words: {error}") from None
    if not words:
        raise ValueError("it must name a program, for example `vllm serve Qwen/Qwen2.5-VL-7B-Instruct`")
    for word, following in zip(words, [*words[1:], ""], strict=True):
        flag, has_value, value = word.partition("=")
        if flag in _ADDRESS and (value if has_value else following) != _ADDRESS[flag]:
            raise ValueError(f"leave out `{flag}`, or write `{flag} {_ADDRESS[flag]}`: each job chooses a free port")
        if unknown := [name for name in _PLACEHOLDER.findall(word) if name not in (HOST, PORT, CHECKPOINT)]:
            raise ValueError(f"{unknown[0]} is no placeholder; there are {HOST}, {PORT} and {CHECKPOINT}")
        if word in _OF_A_SHELL:
            raise ValueError(f"no shell reads it, so `{word}` has no meaning; put the commands into a script")
        if _SECRET.fullmatch(word):
            raise ValueError(
                f"`{flag}` would show a secret in params.yaml and in the list of processes; set the environment "
                "variable that the engine reads, and set key_variable to its name"
            )
    return command


ServerCommand = Annotated[str, AfterValidator(_checked)]
