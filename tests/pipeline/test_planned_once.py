"""What runs cost when nothing is to be computed: one plan, no Snakemake, and no stage that acts for another."""

from __future__ import annotations

import subprocess

import pytest

from tests.defaults import ROOT
from tests.pipeline.checkouts import ENTRY_POINTS, Checkout

pytestmark = pytest.mark.pipeline

DVC, SNAKEMAKE = ENTRY_POINTS["dvc"], ENTRY_POINTS["snakemake"]
SEED = "seed"
FROM_STASH = {"taken from the stash"}


def snakemake_runs(checkout: Checkout) -> int:
    """How often Snakemake was started in a checkout: it writes a log each time."""
    return len(list((checkout.path / ".snakemake/log").glob("*.log")))


@pytest.mark.soak
def test_dvc_starts_no_snakemake_for_what_was_made_before_and_a_stage_takes_back_its_own_files_alone(
    finished_checkout: Checkout, checkout: Checkout
) -> None:
    first_seed = finished_checkout.results()
    checkout.set({SEED: 7})
    jobs = checkout.jobs(SNAKEMAKE)
    assert set(jobs.values()) == {"computed"}
    results, runs = checkout.results(), snakemake_runs(checkout)

    # What Snakemake has made, DVC records.
    assert checkout.jobs(DVC) == {}
    assert checkout.results() == results
    assert "up to date" in checkout.run("dvc", "status").stdout
    assert snakemake_runs(checkout) == runs

    # Back to the first seed: a dry run changes nothing, a single stage restores its files, DVC all.
    checkout.set({SEED: 2024})
    assert "Nothing to be done" in checkout.run("snakemake", "--dry-run").stdout
    assert checkout.results() == results
    runs = snakemake_runs(checkout)
    checkout.run("dvc", "repro", "--single-item", "generate")
    changed = {path for path, data in checkout.results().items() if results.get(path) != data}
    assert changed and all(path.startswith("data/generate/") for path in changed)
    assert set(checkout.jobs(DVC).values()) == FROM_STASH
    assert checkout.results() == first_seed
    assert "up to date" in checkout.run("dvc", "status").stdout
    assert snakemake_runs(checkout) == runs

    # And again to the second, by Snakemake.
    checkout.set({SEED: 7})
    assert set(checkout.jobs(SNAKEMAKE).values()) == FROM_STASH
    assert checkout.results() == results


def test_make_runs_the_code_of_the_checkout_and_names_what_it_knows(checkout: Checkout) -> None:
    source = checkout.path / "src/whatif/commands/make.py"
    source.write_text(source.read_text().replace("is neither a stage nor", "is here neither a stage nor"))
    done = subprocess.run(
        ["whatif", "make", "evaluate-nobody"],
        cwd=checkout.path,
        env={**checkout.environment, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("whatif: evaluate-nobody: is here neither a stage nor evaluate-MODEL; there are extract, ")


@pytest.mark.soak
def test_ready_jobs_are_looked_at_when_one_ends_and_not_every_second_unless_new_jobs_are_limited(
    checkout: Checkout,
) -> None:
    with (checkout.path / "Snakefile").open("a", encoding="utf-8") as file:
        file.write('\n\nonsuccess:\n    print("limit:", workflow.scheduler.job_rate_limiter)\n')
    command = ("snakemake", "--cores", "1", "--forceall", "extract")
    assert "limit: None" in checkout.run(*command).stdout
    assert "limit: <" in checkout.run(*command, "--max-jobs-per-timespan", "50/1s").stdout
