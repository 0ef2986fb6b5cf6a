"""Engines and their versions, found out without starting them, in this environment and in others."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import sys
from pathlib import Path

import pytest

from whatif.engine.errors import WhatifError
from whatif.models.endpoint.engine import Engine, engine_of

pytestmark = pytest.mark.process

HERE = Path(sys.executable).parent


def script(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def package(name: str) -> str:
    return f"{name} {importlib.metadata.version(name)}"


@pytest.mark.parametrize(
    ("command", "name", "version"),
    [
        ([f"{HERE}/transformers", "serve", "x"], "transformers", "transformers"),
        ([sys.executable, "-m", "transformers.cli", "serve"], "transformers.cli", "transformers"),
        ([sys.executable, "-u", "-X", "dev", "-m", "sklearn.serve"], "sklearn.serve", "scikit-learn"),
        (["/usr/bin/env", "A=1", "B=x y", f"{HERE}/transformers", "serve"], "transformers", "transformers"),
    ],
)
def test_an_engine_of_a_python_package_has_the_version_of_the_package(
    command: list[str], name: str, version: str
) -> None:
    assert engine_of(command) == Engine(name, package(version))


def test_the_version_is_that_of_the_environment_of_the_command(tmp_path: Path) -> None:
    """A console script names its interpreter, here one with another package of the same name."""
    metadata = tmp_path / "lib/vllm-9.8.7.dist-info"
    script(metadata / "METADATA", "Metadata-Version: 2.1\nName: vllm\nVersion: 9.8.7\n")
    script(metadata / "entry_points.txt", "[console_scripts]\nvllm = vllm.cli:main\n")
    python = script(tmp_path / "bin/python3", f'#!/bin/sh\nPYTHONPATH={tmp_path / "lib"} exec {sys.executable} "$@"\n')
    program = script(tmp_path / "bin/vllm", f"#!{python}\nraise SystemExit('it was started')\n")
    assert engine_of([program, "serve", "x"]) == Engine("vllm", "vllm 9.8.7")
    assert engine_of([python, "-m", "vllm.entrypoints.openai.api_server"]) == Engine(
        "vllm.entrypoints.openai.api_server", "vllm 9.8.7"
    )


def test_a_script_has_the_digest_of_its_file(tmp_path: Path) -> None:
    text = f"#!{sys.executable}\nraise SystemExit('it was started')\n"
    program = script(tmp_path / "serve.py", text)
    digest = f"sha256 {hashlib.sha256(text.encode()).hexdigest()}"
    assert engine_of([program]) == engine_of([sys.executable, program]) == Engine("serve.py", digest)


def test_a_console_script_whose_interpreter_has_a_long_path(tmp_path: Path) -> None:
    text = f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\nraise SystemExit('it was started')\n"
    program = script(tmp_path / "transformers", text)
    assert engine_of([program, "serve"]) == Engine("transformers", package("transformers"))


def test_a_shell_script_is_not_run(tmp_path: Path) -> None:
    program = script(tmp_path / "serve.sh", f"#!/bin/sh\ntouch {tmp_path}/started\n")
    digest = f"sha256 {hashlib.sha256(Path(program).read_bytes()).hexdigest()}"
    assert engine_of([program, "x"]) == engine_of(["sh", "-e", program]) == Engine("serve.sh", digest)
    assert not (tmp_path / "started").exists()


def test_another_program_is_asked_for_its_version() -> None:
    found = engine_of(["git", "serve"])
    assert found.name == "git"
    assert re.fullmatch(r"git version \d.*", found.version or "")
    assert engine_of([sys.executable, "-m", "no_such_module"]) == Engine("no_such_module", None)


def test_a_program_that_is_not_installed() -> None:
    with pytest.raises(WhatifError, match=r"^command: no-such-engine: no such program; install the engine"):
        engine_of(["no-such-engine"])
