"""A benchmark that one YAML file declares runs through both entry points, in a project without any other settings."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import yaml

from tests.benchmarks.from_yaml.files import SCENES, write
from tests.pipeline.checkouts import ENTRY_POINTS, Checkout, copy_of_sources

pytestmark = pytest.mark.pipeline

PARAMS = {
    "seed": 5,
    "benchmarks": ["small"],
    "models": {"random": {"adapter": "random"}, "first": {"adapter": "first-option", "name": "The first"}},
}


def test_both_entry_points_make_the_same_bytes_and_an_edit_makes_what_it_concerns(tmp_path: Path) -> None:
    by_dvc = Checkout(tmp_path / "by-dvc")
    by_dvc.path.mkdir()
    copy_of_sources(by_dvc.path)
    by_dvc.run("git", "init", "--quiet", "--initial-branch", "main")
    write(by_dvc.path, SCENES)
    (by_dvc.path / "params.yaml").write_text(yaml.safe_dump(PARAMS, sort_keys=False), encoding="utf-8")
    by_dvc.run("whatif", "dvc-yaml")
    by_snakemake = by_dvc.copied_to(tmp_path / "by-snakemake")

    made = by_dvc.jobs(ENTRY_POINTS["dvc"])
    assert set(made.values()) == {"computed"}
    assert {"extract small", "verify small answers", "aggregate small shortcuts original"} <= set(made)
    by_snakemake.run(*ENTRY_POINTS["snakemake"])
    assert by_dvc.results() == by_snakemake.results()
    assert "Small scenes: accuracy in percent" in by_dvc.run("whatif", "show", "small").stdout
    page = (by_dvc.path / "site" / "index.html").read_text(encoding="utf-8")
    assert SCENES["about"] in page

    edited = copy.deepcopy(SCENES)
    edited["aggregate"]["confidence"] = 0.9
    write(by_dvc.path, edited)
    stale = [line for line in by_dvc.run("whatif", "status").stdout.splitlines() if line.startswith("stale")]
    assert [line.split()[1:3] for line in stale] == [["aggregate", "small"]]
    assert by_dvc.jobs(ENTRY_POINTS["dvc"]) == {"aggregate small": "computed"}
    assert by_dvc.jobs(ENTRY_POINTS["dvc"]) == {}

    write(by_dvc.path, {**SCENES, "filter": {"pairs": 40, "drawn": 2}})
    failed = by_dvc.run("whatif", "status", check=False)
    assert failed.returncode == 2
    assert "benchmarks/small.yaml:" in failed.stderr
    assert "filter.drawn: unknown key; did you mean `draws`?" in failed.stderr
