"""`whatif power`: from answers, from assumptions, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import whatif
from tests.results.comparison.made_up import BENCHMARK, Asked, asked, write_run

# Of 40 pairs, 10 are lost and 4 are gained.
RIGHT = [right for pair in range(40) for right in (pair < 30, pair < 20 or pair >= 36)]


def test_from_the_answers_of_each_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path, asked(40), {"one": RIGHT, "two": [True] * 80})
    lines = whatif("power", BENCHMARK, "--drop", "15").stdout.splitlines()
    assert (
        lines[0].split() == "  ".join(["pairs", "gained %", "design effect", "smallest drop", "pairs for 15"]).split()
    )
    assert lines[1].split()[:5] == ["one", "plain", "40", "10.0", "1.00"]
    assert lines[2].split()[:5] == ["two", "plain", "40", "0.0", "1.00"]
    assert len(whatif("power", BENCHMARK, "--model", "two").stdout.splitlines()) == 3


def test_from_assumptions() -> None:
    told = whatif("power", "--gained", "4", "--pairs", "500", "--drop", "5").stdout.splitlines()
    assert told[1].split() == ["500", "4.0", "1.00", "4.6", "430"]
    alike = whatif("power", "--gained", "4", "--pairs-per-image", "5", "--correlation", "0.1").stdout.splitlines()
    assert alike[1].split() == ["4.0", "1.40", "588"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a benchmark with results, or give --gained"),
        ([BENCHMARK, "--pairs", "5"], "its answers say how many are gained; leave out --gained and --pairs"),
        ([BENCHMARK, "--model", "two"], "data/evaluate has no answers of two to pairs of questions"),
        (["--gained", "4", "--pairs-per-image", "5", "--correlation", "-0.5"], "--correlation: a correlation of -0.5"),
    ],
)
def test_what_cannot_be_said_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path, [Asked(0), Asked(1)], {"one": [True, False]})
    refused = whatif("power", *arguments)
    assert refused.exit_code == 2
    assert said in refused.stderr and len(refused.stderr.splitlines()) == 1
