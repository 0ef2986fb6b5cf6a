"""What `dvc repro` costs when nothing is to be computed: one plan, no Snakemake, and no stage that acts for another."""

from __future__ import annotations

import subprocess

import pytest

from tests.pipeline.conftest import ENTRY_POINTS, ROOT, Checkout

pytestmark = pytest.mark.pipeline

DVC, SNAKEMAKE = ENTRY_POINTS["dvc"], ENTRY_POINTS["snakemake"]
SEED = "seed"


def snakemake_runs(project: Checkout) -> int:
    """How often Snakemake was started in a checkout: it writes a log each time."""
    return len(list((project.path / ".snakemake/log").glob("*.log")))


def of_stage(project: Checkout, stage: str) -> dict[str, bytes]:
    return {path: data for path, data in project.results().items() if path.startswith(f"data/{stage}/")}


@pytest.fixture
def gone_and_back(project: Checkout) -> Checkout:
    """A checkout that was run with another seed, and in which the first one is wanted again."""
    project.set({SEED: 7})
    project.run(*SNAKEMAKE)
    project.set({SEED: 2024})
    return project


def test_dvc_after_snakemake_starts_no_snakemake(project: Checkout) -> None:
    project.set({SEED: 7})
    project.run(*SNAKEMAKE)
    results, before = project.results(), snakemake_runs(project)
    assert project.jobs(DVC) == {}
    assert snakemake_runs(project) == before
    assert project.results() == results
    assert "up to date" in project.run("dvc", "status").stdout


def test_dvc_takes_back_an_earlier_value_without_snakemake(gone_and_back: Checkout, project: Checkout) -> None:
    before = snakemake_runs(project)
    jobs = project.jobs(DVC)
    assert set(jobs.values()) == {"taken from the stash"}
    assert snakemake_runs(project) == before
    assert "up to date" in project.run("dvc", "status").stdout
    project.set({SEED: 7})
    project.run(*SNAKEMAKE)
    project.set({SEED: 2024})
    again = project.jobs(SNAKEMAKE)
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


def test_make_runs_the_code_of_the_checkout_and_names_what_it_knows(project: Checkout) -> None:
    source = project.path / "src/whatif/commands/make.py"
    source.write_text(source.read_text().replace("is neither a stage nor", "is here neither a stage nor"))
    done = subprocess.run(
        ["whatif", "make", "evaluate-nobody"],
        cwd=project.path,
        env={**project.environment, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("whatif: evaluate-nobody: is here neither a stage nor evaluate-MODEL; there are extract, ")
