"""The versions of libraries in footers: recorded by the code that a job reaches, and named when they change."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.benchmarks.cvqa_synthetic.small import small
from tests.defaults import PARAMS
from tests.projects import Project
from whatif import benchmarks
from whatif.commands.cli import main
from whatif.engine import artifacts
from whatif.engine.graph import libraries

pytestmark = pytest.mark.slow


def test_a_job_records_the_libraries_of_its_own_code() -> None:
    graph = benchmarks.graph(benchmarks.load_params(PARAMS))
    found = {job.name: set(libraries.of(job)) for job in graph.jobs}
    of_checkpoints = {"torch", "transformers", "tokenizers"}
    assert found["extract cvqa-synthetic"] == {"numpy", "pillow"}
    assert of_checkpoints <= found["evaluate cvqa-synthetic llava-original part-000-of-002"]
    assert of_checkpoints | {"diffusers"} <= found["generate scenes part-000-of-001"]
    assert not of_checkpoints & found["evaluate cvqa-synthetic random part-000-of-002"]
    assert "scikit-learn" in found["aggregate cvqa-synthetic shortcuts original"]


def test_a_library_that_whatif_does_not_know_is_recorded_by_its_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = benchmarks.graph(benchmarks.load_params(PARAMS))
    used = ("psutil", "snakemake_interface_common", "pkg_resources_of_nobody", "dateutil", "tqdm")
    monkeypatch.setattr(libraries, "libraries", lambda roots: used)
    assert set(libraries.of(graph.jobs[0])) == {"psutil", "snakemake_interface_common", "python-dateutil"}


def test_another_version_is_named_and_makes_nothing_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = small(Project(tmp_path / "project"))
    monkeypatch.chdir(project.folder)
    project.run("extract", "generate")
    project.write_params()
    (path, *_) = Path("data/generate").rglob("questions/*.parquet")
    recorded = artifacts.footer_of(path).libraries
    assert set(recorded) == {"numpy", "pillow"}
    assert CliRunner().invoke(main, ["status"]).stderr == ""
    versions = {**recorded, "numpy": "99.1"}
    monkeypatch.setattr(libraries, "_installed", lambda name: versions.get(name, "1"))
    result = CliRunner().invoke(main, ["status"])
    assert result.stderr.startswith(f"warning: made with numpy {recorded['numpy']}, installed is 99.1: ")
    assert result.stderr.count("\n") == 1 and "numpy" not in result.stdout
    assert "stale" not in result.stdout
