"""What a run prints, how many lines, and that one `dvc repro` runs the jobs of all stages side by side."""

from __future__ import annotations

import json
import re
import shutil

import pytest
import yaml

from tests.pipeline.checkouts import ENTRY_POINTS, Checkout

pytestmark = pytest.mark.pipeline

DVC, SNAKEMAKE = ["dvc", "repro", "--quiet"], ENTRY_POINTS["snakemake"]
_A_JOB = re.compile(
    r" ?\d+ of \d+  (?P<job>\w+ cvqa-synthetic.*|aggregate site): (computed in \d+\.\d s|taken from the stash.*)"
)
_BESIDES_JOBS = 8  # lines
_BROKEN = {"adapter": "replay", "predictions": "no/such/answers.jsonl"}


@pytest.fixture
def unmade(checkout: Checkout) -> Checkout:
    """A checkout as a new clone has it: nothing was run."""
    for folder in ("data", "metrics", "logs", ".whatif", ".snakemake"):
        shutil.rmtree(checkout.path / folder)
    return checkout


def snakemake_runs(checkout: Checkout) -> int:
    """How often Snakemake ran jobs or looked for some: it writes a log each time."""
    return len(list((checkout.path / ".snakemake/log").glob("*.log")))


def prints_a_line_for_each_job(unmade: Checkout, command: list[str]) -> None:
    """Runs a command that makes everything: it prints a line for each job, and the rest is in logs."""
    done = unmade.run(*command)
    lines = (done.stdout + done.stderr).splitlines()
    told = [match["job"] for line in lines if (match := _A_JOB.fullmatch(line))]
    logged = [json.loads(line)["job"] for line in (unmade.path / ".whatif/log.jsonl").read_text().splitlines()]
    assert sorted(told) == sorted(logged)
    assert len(lines) - len(told) <= _BESIDES_JOBS, "\n".join(lines)
    assert f"{len(told)} of {len(told)} jobs done in 0:0" in lines[-1]
    logs = [path for path in (unmade.path / "logs").glob("*/**/*.log") if path.read_text().endswith(" s\n")]
    assert len(logs) == len(told)
    assert "Finished jobid: 0 (Rule: " in (unmade.path / "logs/snakemake.log").read_text()


def test_snakemake_prints_a_line_for_each_job(unmade: Checkout) -> None:
    prints_a_line_for_each_job(unmade, SNAKEMAKE)


def test_dvc_repro_prints_a_line_for_each_job_starts_snakemake_once_and_records_its_stages(
    finished_checkout: Checkout, unmade: Checkout
) -> None:
    prints_a_line_for_each_job(unmade, DVC)
    assert snakemake_runs(unmade) == 1
    assert unmade.results() == finished_checkout.results()
    assert "up to date" in unmade.run("dvc", "status").stdout


def test_a_job_that_fails_fails_its_own_stage_and_is_tried_once(unmade: Checkout) -> None:
    unmade.set({"models.broken": _BROKEN})
    (unmade.path / "dvc.lock").unlink()
    done = unmade.run("dvc", "repro", check=False)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    failures = [line for line in said.splitlines() if line.startswith("failed: ")]
    assert sorted(failures) == [
        f"failed: evaluate cvqa-synthetic broken {part}; its log is logs/evaluate/cvqa-synthetic/broken/{part}.log"
        for part in ("part-000-of-002", "part-001-of-002")
    ]
    assert said.count("whatif: no/such/answers.jsonl: ") == 2
    assert "failed to reproduce 'evaluate@broken'" in said
    # Whatever does not wait for it was made, and DVC has recorded the stages before it.
    assert (unmade.path / "data/evaluate/majority/cvqa-synthetic/predictions/part-001-of-002.parquet").is_file()
    recorded = yaml.safe_load((unmade.path / "dvc.lock").read_text())["stages"]
    assert {"extract", "generate", "filter", "verify"} <= set(recorded) and "aggregate" not in recorded
    unmade.set({"models.broken": None})
    unmade.run(*DVC)
    assert "up to date" in unmade.run("dvc", "status").stdout
