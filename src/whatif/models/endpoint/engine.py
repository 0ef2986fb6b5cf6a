"""The engine that a command starts, and its version, without starting it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from whatif.engine.artifacts.verified import file_digest
from whatif.engine.errors import WhatifError

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_SHELL = re.compile(r"(?:ba|da|k|z)?sh")
_EXEC_LINE = re.compile(r"\'\'\'exec\' \"?([^\"]+?)\"? \"\$0\"")  # how pip names an interpreter with a long path
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_SECONDS = 120.0  # an engine that loads large libraries to print its version, from a slow file system
_LONGEST_VERSION = 200  # characters
# Asked in the interpreter that runs the engine, which may be that of another environment than ours.
_DISTRIBUTION = """
import sys
from importlib import metadata
kind, name = sys.argv[1:]
if kind == "program":
    found = [one for one in metadata.distributions() for entry in one.entry_points
             if entry.group == "console_scripts" and entry.name == name]
else:
    try:
        found = [metadata.distribution(name)]
    except metadata.PackageNotFoundError:
        found = [metadata.distribution(one) for one in metadata.packages_distributions().get(name, [])]
print(found[0].metadata["Name"], found[0].version) if found else None
"""


@dataclass(frozen=True)
class Engine:
    """A program that serves models, by its name without a folder; `version` is None if it cannot be found out."""

    name: str
    version: str | None


def engine_of(words: list[str]) -> Engine:
    """The engine that a command starts.

    For a Python module or a console script of a Python package, the version is the name and version of the package in
    the environment of the command; for another script, the digest of its file, because it might not know `--version`
    and start the server; for another program, the first line that it prints with `--version`. A leading
    `env NAME=VALUE ...` is skipped.

    Raises WhatifError when the program is not installed.
    """
    if Path(words[0]).name == "env":
        words = _after_assignments(words[1:]) or words
    program = shutil.which(words[0])
    if program is None:
        raise WhatifError(f"command: {words[0]}: no such program; install the engine, or give the program's path")
    name = Path(program).name
    if _PYTHON.fullmatch(name) or _SHELL.fullmatch(name):
        kind, target = _interpreted(words[1:])
        if kind == "module":
            return Engine(target, _distribution(program, "module", target.partition(".")[0]))
        if kind == "file":
            return Engine(Path(target).name, _digest(Path(target)))
        return Engine(name, _printed_version(program))
    if not _is_script(Path(program)):
        return Engine(name, _printed_version(program))
    interpreter = _python_of(Path(program))
    known = None if interpreter is None else _distribution(interpreter, "program", name)
    return Engine(name, known or _digest(Path(program)))


def _after_assignments(words: list[str]) -> list[str]:
    while words and _ASSIGNMENT.fullmatch(words[0]):
        words = words[1:]
    return words


def _interpreted(words: list[str]) -> tuple[str, str]:
    """What an interpreter runs with these arguments: a module or a file, and its name."""
    arguments = iter(words)
    for word in arguments:
        if word in ("-m", "-c"):
            return ("module", next(arguments, "")) if word == "-m" else ("code", "")
        if word in ("-X", "-W"):
            next(arguments, None)
        elif not word.startswith("-"):
            return "file", word
    return "nothing", ""


def _is_script(program: Path) -> bool:
    try:
        with program.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def _python_of(script: Path) -> str | None:
    """The Python interpreter that a script names in its first lines; None if it names another program."""
    with script.open("rb") as file:
        first, second = (file.readline(4096).decode("utf-8", "replace") for _ in range(2))
    if found := _EXEC_LINE.match(second):
        words = [found[1]]
    else:
        words = first[2:].split()
        if words[:1] and Path(words[0]).name == "env":
            words = _after_assignments([word for word in words[1:] if word != "-S"])
    return shutil.which(words[0]) if words and _PYTHON.fullmatch(Path(words[0]).name) else None


def _distribution(interpreter: str, kind: str, name: str) -> str | None:
    """Name and version of the distribution that brings a module or a console script."""
    return _first_line([interpreter, "-c", _DISTRIBUTION, kind, name])


def _printed_version(program: str) -> str | None:
    return _first_line([program, "--version"])


def _digest(file: Path) -> str | None:
    try:
        return f"sha256 {file_digest(file)}"
    except OSError:
        return None


def _first_line(command: list[str]) -> str | None:
    """The first line that a program prints on standard output; None if it fails or prints nothing."""
    try:
        asked = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
    with asked:
        try:
            printed, _ = asked.communicate(timeout=_SECONDS)
        except BaseException as error:
            os.killpg(asked.pid, signal.SIGKILL)  # with everything that it started
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise
    if asked.returncode:
        return None
    lines = printed.decode("utf-8", "replace").split("\n")
    return next((" ".join(line.split())[:_LONGEST_VERSION] for line in lines if line.strip()), None)
