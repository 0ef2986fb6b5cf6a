"""A benchmark in a package of its own, installed beside whatif, runs and edits no file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.defaults import ROOT
from tests.pipeline.checkouts import Checkout, new_project
from whatif.engine.params.base import STAGES

# `test_new_project` proves outside the soak that a package of its own runs, as its author makes it.
pytestmark = [pytest.mark.pipeline, pytest.mark.soak]

PACKAGE = ROOT / "tests" / "toy_package"
PARAMS = {
    "seed": 5,
    "benchmarks": ["coins"],
    "generate": {"coins": {"tables": 40, "shards": 2}},
    "filter": {"coins": {"fewest_heads": 1}},
    "models": {"random": {"adapter": "random"}, "first": {"adapter": "first-option", "name": "The first"}},
}


@dataclass
class WithPackages(Checkout):
    """A checkout whose commands also find what is installed in a folder."""

    installed: Path = Path()

    @property
    def environment(self) -> dict[str, str]:
        """That of the checkout, with the folder."""
        before = super().environment
        return {**before, "PYTHONPATH": os.pathsep.join([before["PYTHONPATH"], str(self.installed)])}


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the package is installed, as pip installs it."""
    folder = tmp_path_factory.mktemp("installed")
    source = tmp_path_factory.mktemp("source") / "package"  # pip builds in the folder of the sources
    subprocess.run(["cp", "-r", str(PACKAGE), str(source)], check=True)
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True, capture_output=True)
    return folder


def with_coins(path: Path, coins: Path) -> WithPackages:
    """A project of which nothing is made yet."""
    checkout = WithPackages(path, coins)
    new_project(checkout, {})
    checkout.commit("as it ships")
    (checkout.path / "params.yaml").write_text(yaml.safe_dump(PARAMS, sort_keys=False), encoding="utf-8")
    checkout.run("whatif", "dvc-yaml")
    return checkout


@pytest.fixture(scope="module")
def made_by_snakemake(coins: Path, tmp_path_factory: pytest.TempPathFactory) -> WithPackages:
    """A project that was run by Snakemake, one stage of it by name; no test changes it."""
    made = with_coins(tmp_path_factory.mktemp("by-snakemake") / "project", coins)
    made.run("snakemake", "--cores", "2", "filter")
    done = made.run("whatif", "evaluate", "coins", "--model", "first")
    assert "evaluate coins first: computed" in done.stderr
    made.run("snakemake", "--cores", "2")
    return made


def test_it_runs_and_edits_no_file(made_by_snakemake: WithPackages) -> None:
    made = made_by_snakemake
    assert sorted(path for path in made.results() if not path.startswith("data/evaluate/")) == [
        "data/aggregate/coins/files.parquet",
        *(f"data/aggregate/site/{role}.parquet" for role in ("files", "pictures")),
        "data/filter/coins/questions.parquet",
        "data/filter/coins/rejections.parquet",
        *(f"data/generate/coins/images/part-00{number}-of-002.parquet" for number in (0, 1)),
        *(f"data/generate/coins/questions/part-00{number}-of-002.parquet" for number in (0, 1)),
        "metrics/coins.json",
        "metrics/coins/report.md",
    ]
    metrics = json.loads((made.path / "metrics" / "coins.json").read_text(encoding="utf-8"))
    assert set(metrics) == {"random", "first"}
    assert 0 < metrics["random"]["accuracy"] < 100
    changed = made.run("git", "status", "--porcelain", "--untracked-files=all").stdout.split("\n")
    assert sorted(filter(None, changed)) == [
        " M dvc.yaml",  # written by `whatif dvc-yaml`
        " M params.yaml",  # the settings of a project
        *(f" M stages/{stage}.smk" for stage in sorted(STAGES)),  # written with dvc.yaml
        "?? metrics/coins.json",
        "?? metrics/coins/report.md",
    ]


def test_both_entry_points_make_the_same_bytes_of_it(
    coins: Path, made_by_snakemake: WithPackages, tmp_path: Path
) -> None:
    by_dvc = with_coins(tmp_path / "project", coins)
    by_dvc.run("dvc", "repro")
    assert by_dvc.results() == made_by_snakemake.results()


def test_its_settings_and_metrics_are_known(made_by_snakemake: WithPackages, tmp_path: Path) -> None:
    declared = yaml.safe_load((made_by_snakemake.path / "dvc.yaml").read_text(encoding="utf-8"))
    assert declared["metrics"] == ["metrics/coins.json"]
    assert "- The first: " in made_by_snakemake.run("whatif", "show", "coins").stdout
    assert "coins                                 accuracy" in made_by_snakemake.run("whatif", "summary").stdout
    mistaken = WithPackages(tmp_path, made_by_snakemake.installed)
    (tmp_path / "src").symlink_to(made_by_snakemake.path / "src")
    (tmp_path / "params.yaml").write_text(yaml.safe_dump({**PARAMS, "filter": {"coins": {"fewest_head": 1}}}))
    failed = mistaken.run("whatif", "status", check=False)
    assert failed.returncode == 2
    assert "filter.coins.fewest_head: unknown key; did you mean `fewest_heads`?" in failed.stderr


def test_a_change_of_its_code_makes_its_results_stale(made_by_snakemake: WithPackages, tmp_path: Path) -> None:
    installed = shutil.copytree(made_by_snakemake.installed, tmp_path / "installed")
    project = WithPackages(made_by_snakemake.path, installed)
    assert project.run("whatif", "status", "--check").returncode == 0
    module = installed / "whatif_coins" / "__init__.py"
    module.write_text(module.read_text(encoding="utf-8").replace("3 - heads", "heads"), encoding="utf-8")
    said = project.run("whatif", "status").stdout
    assert "code of whatif_coins" in said
    assert "stale     generate coins part-000-of-002" in said
