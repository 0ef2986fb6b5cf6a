"""A new project runs with the wheel alone: both entry points, its tests, and a change of its code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.defaults import ROOT
from tests.pipeline.real_installations import Installation

# With the installation of packages, where a test is the first that needs them.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(1200)]

NAME = "balls-on-shelves"


def jobs(project: Path) -> list[dict[str, str]]:
    """What was done for each job so far."""
    log = project / ".whatif" / "log.jsonl"
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def project(pipeline_installation: Installation, tmp_path: Path) -> Iterator[Path]:
    """A new project, installed in its environment and run once by Snakemake."""
    run = pipeline_installation.run
    where = run(tmp_path, "python", "-c", "import whatif; print(whatif.__file__)").stdout.strip()
    assert Path(where).is_relative_to(pipeline_installation.path)
    assert "pip install -e ." in run(tmp_path, "whatif", "new", NAME).stdout
    project = tmp_path / NAME
    early = run(project, "whatif", "make", "extract", check=False)
    assert early.returncode == 2 and f"benchmark {NAME}: is in this project but not installed" in early.stderr
    try:
        run(project, "python", "-m", "pip", "install", "--quiet", "--editable", ".", "pytest")
        run(project, "snakemake", "--cores", "2")
        yield project
    finally:
        run(tmp_path, "python", "-m", "pip", "uninstall", "--quiet", "--yes", NAME)


def test_what_snakemake_made_dvc_finds_fresh_and_the_project_passes_its_own_tests(
    pipeline_installation: Installation, project: Path
) -> None:
    run = pipeline_installation.run
    assert "Nothing to be done" in run(project, "snakemake", "--dry-run").stdout
    assert {job["outcome"] for job in jobs(project)} == {"computed"}
    before = len(jobs(project))
    run(project / "src", "dvc", "repro", "../dvc.yaml")
    assert len(jobs(project)) == before
    assert "is up to date" in run(project, "whatif", "dvc-yaml", "--check").stdout
    shown = run(project / "src", "whatif", "show", NAME).stdout
    assert "Accuracy in percent" in shown and "First option" in shown
    assert run(project / "src", "whatif", "site").stdout.startswith("../site/index.html: ")
    assert run(project, "whatif", "status", "--check").stdout.startswith("10 fresh")
    run(project, "pytest", "--quiet")
    assert (project / f"metrics/{NAME}/paired.csv").is_file()
    assert (project / f"data/aggregate/{NAME}/items.parquet").is_file()
    ignored = run(project, "git", "status", "--short", "--ignored").stdout.split()
    assert {"data/extract/", "site/", ".whatif/", ".snakemake/", "logs/"} <= set(ignored)


@pytest.mark.soak
def test_it_passes_its_linters_and_after_a_change_of_its_code_what_it_reaches_is_stale_and_nothing_else(
    pipeline_installation: Installation, project: Path
) -> None:
    run = pipeline_installation.run
    run(project, "python", "-m", "pip", "install", "--quiet", "--editable", ".[dev]")
    for command in (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",)):
        run(project, *command)
    run(project, "dvc", "repro")
    assert run(project, "dvc", "status").stdout == "Data and pipelines are up to date.\n"  # by Snakemake's files
    before = len(jobs(project))
    package = NAME.replace("-", "_")
    module = project / "src" / package / "questions.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(f"# a comment\n{text}", encoding="utf-8")
    assert run(project, "whatif", "status", "--check").stdout.startswith("10 fresh")
    module.write_text(text.replace("were taken away", "were removed"), encoding="utf-8")
    said = run(project, "whatif", "status").stdout
    assert f"code of {package}.questions" in said and said.rstrip().splitlines()[-1].startswith("1 fresh, 1 stale")
    params = project / "params.yaml"
    change = re.search(r"[Ss]et `(most_balls: \d+)`", (ROOT / "docs" / "new-benchmark.md").read_text(encoding="utf-8"))
    assert change is not None
    params.write_text(re.sub(r"most_balls: \d+", change[1], params.read_text(encoding="utf-8")), encoding="utf-8")
    run(project, "dvc", "repro")
    made = [job["job"] for job in jobs(project)[before:]]
    assert f"generate {NAME}" in made and f"extract {NAME}" not in made
    assert run(project, "whatif", "status", "--check").stdout.startswith("10 fresh")
