"""Runs the fenced blocks of a tutorial in their order, in one folder, and compares what they print with the page.

| fence | what happens |
|---|---|
| `sh` | runs in bash; a `cd` holds for the blocks after it |
| `python` | runs in one namespace for the whole page |
| `yaml title="params.yaml"` (any language with a title) | is written to that file |
| `text` | what the block before it prints, errors included; `...` stands for anything |
| `shell` and others | shown to readers only: it installs something, or needs a GPU or an account |

`python -m tests.tutorials.runner PAGE FOLDER` runs a page and prints the outputs, to write one.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TUTORIALS = ROOT / "docs" / "tutorials"
_FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', flags=re.MULTILINE | re.DOTALL)
_PROGRESS = re.compile(r": [\d,]+ of [\d,]+ .* in [\d:]+, [\d:]+ left")
LONGEST = 480.0  # seconds for a block; those of Slurm wait for its queue
RUN = ("sh", "python")
_ANY_LINES = r"(?:[^\n]*\n)*?"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file that it is written to, its text, and its line on the page."""

    language: str
    title: str
    text: str
    line: int


class TutorialError(AssertionError):
    """A block failed, or printed something else than the page says."""


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page in their order."""
    return [
        Block(found[1], found[2] or "", found[3], page.count("\n", 0, found.start()) + 1)
        for found in _FENCE.finditer(page)
    ]


def run_page(page: Path, folder: Path, source: Path = ROOT) -> int:
    """Runs a page in a folder, with the code of a checkout; returns the number of outputs that were compared.

    Raises TutorialError with the line of the page.
    """
    found = blocks(page.read_text(encoding="utf-8"))
    session = Session(folder, source)
    compared = 0
    for block, next_block in zip(found, [*found[1:], None], strict=True):
        where = f"{page.name}, line {block.line}"
        if block.title:
            session.write(block)
        elif block.language in RUN:
            with _named(where, block):
                printed = session.run(block)
            if next_block and next_block.language == "text":
                compare(next_block.text, printed, where)
                compared += 1
    return compared


class Session:
    """The state that the blocks of a page share: a folder, and the names of Python."""

    def __init__(self, folder: Path, source: Path = ROOT) -> None:
        self.folder = folder
        self.source = source
        self.names: dict[str, Any] = {"__name__": "tutorial"}

    def write(self, block: Block) -> None:
        """Writes a block to the file that it names."""
        path = self.folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def run(self, block: Block) -> str:
        """Runs a block; returns what it printed. Raises what it raised, or CalledProcessError."""
        return self._python(block.text) if block.language == "python" else self._shell(block.text)

    def _python(self, code: str) -> str:
        printed = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed):
            exec(compile(code, "<tutorial>", "exec"), self.names)
        return printed.getvalue()

    def _shell(self, commands: str) -> str:
        """In a process group of its own, of which nothing stays when it takes too long."""
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as place:
            process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", f"{commands}\npwd > {shlex.quote(place.name)}"],
                cwd=self.folder,
                env=environment(self.source),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            try:
                printed, _ = process.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired as error:
                os.killpg(process.pid, signal.SIGKILL)
                printed, _ = process.communicate()
                raise TutorialError(f"{commands}: not finished after {LONGEST:g} s\n{printed}") from error
            if process.returncode:
                raise subprocess.CalledProcessError(process.returncode, commands, printed)
            self.folder = Path(place.read().strip())
        return printed


def environment(source: Path = ROOT) -> dict[str, str]:
    """In which commands are those of a checkout, lines have the same width everywhere, and git knows who commits."""
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(source / "src"),
        "COLUMNS": "100",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_NAME": "reader" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "reader@localhost" for who in ("AUTHOR", "COMMITTER")},
    }


def compare(expected: str, printed: str, where: str) -> None:
    """Raises TutorialError unless `printed` is what the page says, but for times and the width of spaces.

    A line `...` of the page stands for any number of lines, and `...` in a line for any text.
    """
    wanted = (_ANY_LINES if line == "..." else _pattern(line) for line in _lines(expected))
    if not re.fullmatch("".join(wanted), "".join(f"{line}\n" for line in _lines(printed))):
        raise TutorialError(f"{where}: the page says\n{expected}\nit printed\n{printed}")


def _pattern(line: str) -> str:
    return re.escape(line).replace(re.escape("..."), ".*") + "\n"


def _lines(text: str) -> list[str]:
    """Without what depends on the machine's speed: seconds, and lines of progress, which only long work prints."""
    lines = (" ".join(line.split()) for line in re.sub(r"\d+\.\d s\b", "0.0 s", text).strip().splitlines())
    return [line for line in lines if not _PROGRESS.search(line)]


@contextlib.contextmanager
def _named(where: str, block: Block) -> Iterator[None]:
    try:
        yield
    except TutorialError as error:
        raise TutorialError(f"{where}: {error}") from error
    except subprocess.CalledProcessError as error:
        raise TutorialError(f"{where}: {error.cmd}\nended with {error.returncode}\n{error.output}") from error
    except Exception as error:
        raise TutorialError(f"{where}: {block.text}\n{type(error).__name__}: {error}") from error


def main() -> None:
    """Runs a page in a folder and prints each block with what it printed, whatever the page says of it."""
    page, folder = (Path(argument).resolve() for argument in sys.argv[1:3])
    session = Session(folder)
    found = blocks(page.read_text(encoding="utf-8"))
    for block in found:
        if block.title:
            session.write(block)
        elif block.language in RUN:
            print(f"=== line {block.line}\n{block.text}--- prints\n{session.run(block)}")


if __name__ == "__main__":
    main()
