"""`whatif weaknesses`: what it says of a model, the ids that it writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import whatif
from tests.results.comparison.made_up import BENCHMARK, asked, write_run

pytestmark = pytest.mark.slow
PAIRS = 100


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models: one is wrong about every counterfactual question, the other about every third question."""
    questions = asked(PAIRS)
    worse = [one.variant == "original" for one in questions]
    same = [number % 3 > 0 for number in range(2 * PAIRS)]
    monkeypatch.chdir(tmp_path)
    return write_run(tmp_path, questions, {"worse": worse, "same": same})


def test_a_line_for_each_model_and_the_ids_of_the_kind(run: Path) -> None:
    done = whatif("weaknesses", BENCHMARK, "--ids", "kind.txt")
    text = " ".join(done.stdout.split())
    assert "same plain: wrong in 33.5% of 200; no kind of questions is worse than the others" in text
    assert "worse plain: wrong in 100.0% of " in text and "where variant is " in text
    assert "in 0.0% elsewhere (+100 points [" in text and "such as pair-000-counterfactual" in text
    ids = (run / "kind.txt").read_text(encoding="utf-8").splitlines()
    assert ids == [f"worse plain\tpair-{number:03d}-counterfactual" for number in range(PAIRS)]
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_without_answers_it_says_what_asks(run: Path) -> None:
    refused = whatif("weaknesses", BENCHMARK, "--model", "third")
    assert refused.exit_code == 2
    assert "toys: data/evaluate has no answers of third; `whatif evaluate toys` asks" in refused.stderr
