"""`whatif subset`: what it prints, the files that it writes, and what it refuses."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import whatif
from tests.results.comparison.made_up import BENCHMARK, asked, write_run

pytestmark = pytest.mark.slow
PAIRS = 60
SHARES = {"a": 0.9, "b": 0.7, "c": 0.5, "d": 0.2}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four models of known accuracy, of which one is also there under another name."""
    draw = np.random.default_rng(1)
    right = {name: (draw.random(2 * PAIRS) < share).tolist() for name, share in SHARES.items()}
    monkeypatch.chdir(tmp_path)
    return write_run(tmp_path, asked(PAIRS), {**right, "same": right["d"]})


def test_the_ranking_and_the_files(run: Path) -> None:
    done = whatif("subset", BENCHMARK, "--items", "20", "--output", "subset.txt", "--questions", "questions.csv")
    lines = done.stdout.splitlines()
    assert lines[0] == "same plain: left out, because it is right exactly where d plain is"
    assert [line.split()[0] for line in lines[2:6]] == list("abcd")
    assert [line.split()[-3] for line in lines[2:6]] == ["1", "2", "3", "4"]
    assert lines[6] == "First by the 60 items (120 of 120 questions) that all models answered,"
    assert all(0.9 < float(found) <= 1 for found in lines[9].split()[-2:])
    assert lines[10].startswith("  200 random subsets, mean [95% of them]")
    assert lines[11].endswith("% of the random subsets rank the models at least as well.")
    assert max(map(len, lines)) <= 100
    ids = (run / "subset.txt").read_text(encoding="utf-8").splitlines()
    assert len(set(ids)) == 20 and ids == sorted(ids)
    with (run / "questions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * PAIRS
    assert {row["pair_id"] for row in rows if row["chosen"] == "yes"} == set(ids)
    assert {row["models"] for row in rows} == {"4"}
    some = rows[0]
    assert 0 <= float(some["low"]) <= float(some["right"]) <= float(some["high"]) <= 1
    assert {row["discrimination"] for row in rows if float(row["right"]) in (0, 1)} == {""}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--items", "60"], "--items 60: must be less than the 60 items that all models answered"),
        (
            ["--items", "9", "--model", "d", "--model", "same"],
            "toys: 4 models with different answers to the same questions are needed to test a ranking, and there are 1",
        ),
        (["--items", "9", "--model", "z"], "toys: data/evaluate has no answers of z; `whatif evaluate toys` asks"),
    ],
)
def test_what_cannot_be_said_is_one_line(run: Path, arguments: list[str], said: str) -> None:
    refused = whatif("subset", BENCHMARK, *arguments)
    assert refused.exit_code == 2
    assert said in refused.stderr and len(refused.stderr.splitlines()) == 1
