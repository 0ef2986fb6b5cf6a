"""What the logger plugin shows of a run of Snakemake: here of a small workflow of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]
_COLUMNS = 160
_WORKFLOW = """
rule all:
    input: expand("made/{part}", part=["a", "b"]), "whole"

rule generate_toy:
    output: "made/{part}"
    log: "logs/generate/toy/{part}.log"
    shell:
        "(echo 'a library: be warned'; echo 'warning: generate toy {wildcards.part}: only 1 of 9 pairs is left'; "
        "touch {output}; echo 'generate toy {wildcards.part}: computed in 0.1 s') > {log} 2>&1"

rule filter_toy:
    input: "made/a", "made/b"
    output: "whole"
    log: "logs/filter/toy.log"
    shell: "(COMMAND) > {log} 2>&1"
"""


def run(folder: Path, command: str, *options: str, on_terminal: bool = False, awaited: str = "") -> tuple[int, str]:
    """Runs the workflow; returns the exit code and all that was printed.

    The file `awaited` is made as soon as the terminal shows a match of this pattern.
    """
    (folder / "Snakefile").write_text(_WORKFLOW.replace("COMMAND", command), encoding="utf-8")
    words = [sys.executable, "-m", "snakemake", "--cores", "1", "--logger", "whatif", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    if not on_terminal:
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, _COLUMNS, 0, 0))
    with subprocess.Popen(words, cwd=folder, env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        while chunk := _read(ours):
            said += chunk
            if awaited and re.search(awaited, said.decode(errors="ignore")):
                (folder / "awaited").touch()
    os.close(ours)
    return process.returncode, said.decode()


def left_standing(said: str) -> list[str]:
    """The lines that a terminal shows in the end: without what was drawn over."""
    lines = said.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return [re.sub(r"\x1b\[\w+", "", line.split("\r")[-1]) for line in lines]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def test_each_job_has_a_line_and_only_warnings_of_whatif_come_from_its_log(tmp_path: Path) -> None:
    code, said = run(tmp_path, "touch {output}; echo 'filter toy: taken from the stash in 0.0 s'")
    assert code == 0
    *lines, last = said.splitlines()
    # Which part comes first is Snakemake's choice.
    assert [re.sub(r"toy [ab]", "toy x", line) for line in lines] == [
        "warning: generate toy x: only 1 of 9 pairs is left",
        "1 of 3  generate toy x: computed in 0.1 s",
        "warning: generate toy x: only 1 of 9 pairs is left",
        "2 of 3  generate toy x: computed in 0.1 s",
        "3 of 3  filter toy: taken from the stash in 0.0 s",
    ]
    assert re.fullmatch(r"3 of 3 jobs done in 0:00:\d\d; logs are in logs/", last)
    full = (tmp_path / "logs/snakemake.log").read_text()
    assert "Finished jobid" in full and "rule filter_toy:" in full


@pytest.mark.parametrize("on_terminal", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_a_failed_job_is_shown_with_its_message_and_its_log(tmp_path: Path, on_terminal: bool) -> None:
    code, said = run(tmp_path, "echo noise; echo 'whatif: x.csv: no such file'; false", on_terminal=on_terminal)
    assert code == 1
    shown = left_standing(said)
    assert shown[-3:-1] == ["failed: filter toy; its log is logs/filter/toy.log", "whatif: x.csv: no such file"]
    assert re.fullmatch(r"2 of 3 jobs done, 1 failed in 0:00:\d\d; logs are in logs/", shown[-1])
    assert "noise" not in said and "Traceback" not in said


def test_a_failure_that_is_no_message_of_whatif_shows_the_end_of_the_log(tmp_path: Path) -> None:
    _, said = run(tmp_path, "seq 1 30; {PYTHON} -c 'raise ValueError(7)'".replace("{PYTHON}", sys.executable))
    assert "ValueError: 7" in said and "\n30\n" in said and "\n5\n" not in said


@pytest.mark.soak
def test_a_terminal_has_one_live_line_with_the_stage_the_jobs_and_the_time_left(tmp_path: Path) -> None:
    progress = "filter toy: 3 of 9 questions in 00:01, 00:02 left"
    line = rf"filter: 2 of 3 jobs \|\S+ *\| 00:\d\d, about 00:\d\d left, filter toy: {progress}"
    ends = "until test -e awaited; do sleep 0.1; done; touch {output}"
    code, said = run(tmp_path, f"echo '{progress}'; {ends}", on_terminal=True, awaited=line)
    assert code == 0
    last = left_standing(said)[-1]
    assert re.fullmatch(r"3 of 3 jobs done in 0:00:\d\d; logs are in logs/", last)
    assert not any(" of 3  " in line for line in left_standing(said))


@pytest.mark.parametrize(
    ("option", "wanted"),
    [
        ("--dry-run", "rule filter_toy:"),
        pytest.param("--printshellcmds", "touch whole", marks=pytest.mark.soak),
        pytest.param("--list", "all", marks=pytest.mark.soak),
    ],
)
def test_options_that_ask_for_more_print_what_snakemake_prints(tmp_path: Path, option: str, wanted: str) -> None:
    code, said = run(tmp_path, "touch {output}", option)
    assert code == 0
    assert wanted in said
