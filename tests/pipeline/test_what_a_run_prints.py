"""What a run prints, how many lines, and that one `dvc repro` runs the jobs of all stages side by side."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.pipeline.checkouts import Checkout, said

pytestmark = pytest.mark.pipeline

_A_JOB = re.compile(
    r" ?\d+ of \d+  (?P<job>\w+ cvqa-synthetic.*|aggregate site): (computed in \d+\.\d s|taken from the stash.*)"
)
_BESIDES_JOBS = 8  # lines
_BROKEN = {"adapter": "replay", "predictions": "no/such/answers.jsonl"}


@pytest.mark.parametrize("made", ["finished_checkout", pytest.param("made_by_snakemake", marks=pytest.mark.soak)])
def test_a_run_prints_a_line_for_each_job_and_starts_snakemake_once(made: str, request: pytest.FixtureRequest) -> None:
    checkout: Checkout = request.getfixturevalue(made)
    lines = said(checkout)
    told = [match["job"] for line in lines if (match := _A_JOB.fullmatch(line))]
    assert sorted(told) == sorted(entry["job"] for entry in checkout.logged())
    assert len(lines) - len(told) <= _BESIDES_JOBS, "\n".join(lines)
    assert f"{len(told)} of {len(told)} jobs done in 0:0" in lines[-1]
    logs = [path for path in (checkout.path / "logs").glob("*/**/*.log") if path.read_text().endswith(" s\n")]
    assert len(logs) == len(told)
    assert "Finished jobid: 0 (Rule: " in (checkout.path / "logs/snakemake.log").read_text()
    assert len(list((checkout.path / ".snakemake/log").glob("*.log"))) == 1


@pytest.mark.soak
def test_a_job_that_fails_fails_its_own_stage_and_is_tried_once(checkout: Checkout) -> None:
    by_majority = checkout.path / "data/evaluate/majority/cvqa-synthetic/predictions/part-001-of-002.parquet"
    by_majority.unlink()
    checkout.set({"models.broken": _BROKEN})
    (checkout.path / "dvc.lock").unlink()
    done = checkout.run("dvc", "repro", check=False)
    assert done.returncode != 0
    printed = done.stdout + done.stderr
    failures = [line for line in printed.splitlines() if line.startswith("failed: ")]
    assert sorted(failures) == [
        f"failed: evaluate cvqa-synthetic broken {part}; its log is logs/evaluate/cvqa-synthetic/broken/{part}.log"
        for part in ("part-000-of-002", "part-001-of-002")
    ]
    assert printed.count("whatif: no/such/answers.jsonl: ") == 2
    assert "failed to reproduce 'evaluate@broken'" in printed
    # Whatever does not wait for it was made, and DVC has recorded the stages before it.
    assert by_majority.is_file()
    recorded = yaml.safe_load((checkout.path / "dvc.lock").read_text())["stages"]
    assert {"extract", "generate", "filter", "verify"} <= set(recorded) and "aggregate" not in recorded
