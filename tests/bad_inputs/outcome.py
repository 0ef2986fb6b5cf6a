"""Runs a reader like a command, and checks the properties that all refusals share."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from click.testing import CliRunner

from whatif.commands.cli import LazyGroup

_PROGRESS = ("Loading weights", "Converting and de-quantizing")  # the beginnings of progress bars of transformers


class _OneCommand(LazyGroup):
    """A command line with a single command, under any name."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__("whatif")
        self._work = work

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return click.Command(cmd_name, callback=lambda: self._work() and None)


def refusal(work: Callable[[], object], *, lines: int = 1) -> str:
    """The error message of the command line when `work` rejects its input, without `whatif: `.

    Asserts exit code 2, `lines` lines, of which the first begins with `whatif: `, and no traceback.
    """
    result = CliRunner().invoke(_OneCommand(work), ["probe"])
    assert isinstance(result.exception, SystemExit), f"no refusal: {result.exception!r}\n{result.output}"
    assert result.exit_code == 2, result.output
    said = "\n".join(line for line in result.stderr.splitlines() if line and not line.startswith(_PROGRESS))
    assert said.startswith("whatif: ") and "Traceback" not in said, said
    assert len(said.splitlines()) == lines, said
    assert said.isprintable() or lines > 1, ascii(said)
    return said.removeprefix("whatif: ")


@contextmanager
def nothing_written(folder: Path) -> Iterator[None]:
    """Asserts that the files in `folder` are the same afterwards."""
    before = _files(folder)
    yield
    assert _files(folder) == before


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        found[ascii(path)] = (status.st_mode, status.st_size if stat.S_ISREG(status.st_mode) else 0)
    return found
