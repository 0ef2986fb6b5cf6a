"""A benchmark that one YAML file declares runs through both entry points, in a project without any other settings."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import yaml

from tests.benchmarks.from_yaml.files import SCENES, write
from tests.pipeline.checkouts import ENTRY_POINTS, Checkout, new_project

pytestmark = pytest.mark.pipeline

PARAMS = {
    "seed": 5,
    "benchmarks": ["small"],
    "models": {"random": {"adapter": "random"}, "first": {"adapter": "first-option", "name": "The first"}},
}


@pytest.fixture
def unmade(tmp_path: Path) -> Checkout:
    """A project with the benchmark alone, nothing made."""
    checkout = new_project(Checkout(tmp_path / "project"), {})
    write(checkout.path, SCENES)
    (checkout.path / "params.yaml").write_text(yaml.safe_dump(PARAMS, sort_keys=False), encoding="utf-8")
    checkout.run("whatif", "dvc-yaml")
    return checkout


def test_both_entry_points_run_it_and_an_edit_makes_what_it_concerns(
    unmade: Checkout, entry_points: tuple[list[str], list[str]]
) -> None:
    first, second = entry_points
    made = unmade.jobs(first)
    assert set(made.values()) == {"computed"}
    assert {"extract small", "verify small answers", "aggregate small shortcuts original"} <= set(made)
    assert "Small scenes: accuracy in percent" in unmade.run("whatif", "show", "small").stdout
    page = (unmade.path / "site" / "index.html").read_text(encoding="utf-8")
    assert SCENES["about"] in page

    edited = copy.deepcopy(SCENES)
    edited["aggregate"]["confidence"] = 0.9
    write(unmade.path, edited)
    stale = [line for line in unmade.run("whatif", "status").stdout.splitlines() if line.startswith("stale")]
    assert [line.split()[1:3] for line in stale] == [["aggregate", "small"]]
    assert unmade.jobs(second) == {"aggregate small": "computed"}

    write(unmade.path, {**SCENES, "filter": {"pairs": 40, "drawn": 2}})
    failed = unmade.run("whatif", "status", check=False)
    assert failed.returncode == 2
    assert "benchmarks/small.yaml:" in failed.stderr
    assert "filter.drawn: unknown key; did you mean `draws`?" in failed.stderr


@pytest.mark.soak
def test_both_entry_points_make_the_same_bytes_of_it(unmade: Checkout) -> None:
    unmade.run(*ENTRY_POINTS["dvc"])
    by_dvc = unmade.results()
    unmade.forget()
    unmade.run(*ENTRY_POINTS["snakemake"])
    assert unmade.results() == by_dvc
