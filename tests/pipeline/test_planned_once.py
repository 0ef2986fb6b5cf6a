"""What `dvc repro` costs when nothing is to be computed: one plan, no Snakemake, and no stage that acts for another."""

from __future__ import annotations

import subprocess

import pytest

from tests.defaults import ROOT
from tests.pipeline.checkouts import ENTRY_POINTS, Checkout

pytestmark = pytest.mark.pipeline

DVC, SNAKEMAKE = ENTRY_POINTS["dvc"], ENTRY_POINTS["snakemake"]
SEED = "seed"


def snakemake_runs(checkout: Checkout) -> int:
    """How often Snakemake was started in a checkout: it writes a log each time."""
    return len(list((checkout.path / ".snakemake/log").glob("*.log")))


def of_stage(checkout: Checkout, stage: str) -> dict[str, bytes]:
    return {path: data for path, data in checkout.results().items() if path.startswith(f"data/{stage}/")}


@pytest.fixture
def gone_and_back(with_another_seed: Checkout) -> Checkout:
    """A checkout that was run with another seed, and in which the first one is wanted again."""
    with_another_seed.set({SEED: 2024})
    return with_another_seed


def test_dvc_after_snakemake_starts_no_snakemake(with_another_seed: Checkout) -> None:
    checkout = with_another_seed
    results, before = checkout.results(), snakemake_runs(checkout)
    assert checkout.jobs(DVC) == {}
    assert snakemake_runs(checkout) == before
    assert checkout.results() == results
    assert "up to date" in checkout.run("dvc", "status").stdout


def test_dvc_takes_back_an_earlier_value_without_snakemake(gone_and_back: Checkout) -> None:
    checkout = gone_and_back
    before = snakemake_runs(checkout)
    jobs = checkout.jobs(DVC)
    assert set(jobs.values()) == {"taken from the stash"}
    assert snakemake_runs(checkout) == before
    assert "up to date" in checkout.run("dvc", "status").stdout
    checkout.set({SEED: 7})
    checkout.run(*SNAKEMAKE)
    checkout.set({SEED: 2024})
    again = checkout.jobs(SNAKEMAKE)
    assert again == jobs


def test_a_single_stage_takes_back_its_own_files_alone(gone_and_back: Checkout) -> None:
    later = {stage: of_stage(gone_and_back, stage) for stage in ("filter", "verify", "evaluate", "aggregate")}
    generated = of_stage(gone_and_back, "generate")
    gone_and_back.run("dvc", "repro", "--single-item", "generate")
    assert of_stage(gone_and_back, "generate") != generated
    assert {stage: of_stage(gone_and_back, stage) for stage in later} == later


def test_a_dry_run_shows_what_is_due_and_changes_nothing(gone_and_back: Checkout) -> None:
    before = gone_and_back.results()
    assert "Nothing to be done" in gone_and_back.run("snakemake", "--dry-run").stdout
    assert gone_and_back.results() == before
    assert set(gone_and_back.jobs(SNAKEMAKE).values()) == {"taken from the stash"}


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
