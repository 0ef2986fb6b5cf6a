"""The witnesses of hostile programs are real: in a bare interpreter, the harmless ones of them succeed."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.tables import names
from tests.defaults import ROOT
from tests.models.programs.hostile.__main__ import BLOCK
from tests.models.programs.hostile.catalogue import WITNESS, HostileProgram, load
from tests.models.programs.hostile.harness import INTERFACE, LIMITS, Tools
from tests.models.programs.hostile.surroundings import Surroundings
from whatif.models.programs.sandbox.pool import Sandbox

PROGRAMS = load()
BARE = [one for one in PROGRAMS if one.bare]
# They need system calls that the filter refuses even where there is no bubblewrap.
READS = [
    one for one in BARE if one.id in {"open-home-file", "io-file-io", "os-open-home-file", "proc-test-command-line"}
]
_TOOLS = """
def call_tool(name, /, **arguments):
    return {"patch": 0} if name == "image" else "an answer"
"""


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    with Surroundings(tmp_path_factory.mktemp("surroundings")) as planted:
        yield planted


def test_there_are_enough_programs_of_distinct_names() -> None:
    assert len(PROGRAMS) >= 150
    assert [one for one, count in Counter(program.id for program in PROGRAMS).items() if count > 1] == []
    assert len(BARE) >= 30


@pytest.mark.process
@pytest.mark.parametrize("program", BARE, ids=lambda one: one.id)
def test_a_program_succeeds_in_a_bare_interpreter(
    program: HostileProgram, surroundings: Surroundings, tmp_path: Path
) -> None:
    code = _TOOLS + INTERFACE + surroundings.fill(program.code) + "\nprint(execute_command(start()))"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert WITNESS in ended.stdout, ended.stderr


@pytest.mark.process
@pytest.mark.parametrize("program", READS, ids=lambda one: one.id)
def test_without_bubblewrap_files_can_be_read(program: HostileProgram, surroundings: Surroundings) -> None:
    """The kind `none` promises no protection of files; the static check still refuses what no program needs."""
    code = surroundings.fill(program.code)
    with Sandbox("none", LIMITS["long"], INTERFACE, checks=False) as sandbox:
        assert WITNESS in str(sandbox.run(code, Tools()).value)
    with Sandbox("none", LIMITS["long"], INTERFACE) as sandbox:
        assert sandbox.run(code, Tools()).outcome == "forbidden"


def test_the_docs_show_the_programs_there_are() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    pages = [text for text in texts if BLOCK in names(text)]
    assert len(pages) == 1
    number, kinds = len(PROGRAMS), len({one.kind for one in PROGRAMS})
    shown = (
        f"{number} programs of {kinds} kinds, {number} are contained with the check of their source, "
        f"and {number} without it"
    )
    assert f"<!-- {BLOCK} -->{shown}<!-- /{BLOCK} -->" in pages[0], (
        "run `python -m tests.models.programs.hostile` to write the sentence"
    )
