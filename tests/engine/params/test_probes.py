"""The setting `probes`: what it may be, where it holds, and which jobs there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bad_inputs.outcome import refusal
from tests.defaults import name_no_model
from tests.projects import Project
from whatif.engine.params.probes import OF_OPTIONS, OTHER_IMAGE, PROBES, SHUFFLED, WITHOUT_IMAGE
from whatif.engine.workflow.dvc_yaml import dvc_yaml

BENCHMARKS = ["cvqa-synthetic", "cvqa-real", "scenes", "cfmm", "mucr"]
OPEN = ("cvqa-real", "scenes")
MODELS: dict[str, dict[str, Any]] = {
    "majority": {"adapter": "majority"},
    "blip": {"adapter": "hf-blip", "checkpoint": "a/b"},
    "viper": {"adapter": "vipergpt", "writer": {"adapter": "rules"}, "tools": {"kind": "oracle"}},
    "theirs": {"adapter": "replay", "predictions": "x.csv"},
}


def project_with(folder: Path, probes: Any, **own: Any) -> Project:
    project = Project(folder)
    project.values["benchmarks"] = BENCHMARKS
    name_no_model(project.values)
    project.values |= {"models": MODELS, "probes": probes}
    for benchmark, named in own.items():
        project.values["evaluate"][benchmark.replace("_", "-")]["probes"] = named
    return project


def asked(project: Project, model: str = "majority") -> dict[str, set[str]]:
    """The probes of a model by benchmark."""
    jobs = [job for job in project.graph.jobs if job.step.name == "probes" and job.wildcards["model"] == model]
    return {name: {job.wildcards["probe"] for job in jobs if job.step.benchmark == name} for name in BENCHMARKS}


def test_by_default_there_is_no_probe_and_no_table_of_one(tmp_path: Path) -> None:
    graph = Project(tmp_path).graph
    assert not [job for job in graph.jobs if job.step.name == "probes"]
    assert not [path for job in graph.jobs for path in job.published if path.stem == "probes"]


def test_one_list_is_that_of_every_benchmark_unless_one_names_another_or_none(tmp_path: Path) -> None:
    everywhere = asked(project_with(tmp_path, "all"))
    assert everywhere == {
        name: set(PROBES) - (set(OF_OPTIONS) if name in OPEN else set()) for name in BENCHMARKS
    }  # open questions have no options
    some = project_with(tmp_path, [WITHOUT_IMAGE], cfmm=False, mucr=[OTHER_IMAGE], cvqa_real=[SHUFFLED])
    assert asked(some) == {
        "cvqa-synthetic": {WITHOUT_IMAGE},
        "cvqa-real": set(),
        "scenes": {WITHOUT_IMAGE},
        "cfmm": set(),
        "mucr": {OTHER_IMAGE},
    }
    published = {str(path.parent.name) for job in some.graph.jobs for path in job.published if path.stem == "probes"}
    assert published == {"cvqa-synthetic", "scenes", "mucr"}


def test_a_file_is_not_probed_and_who_needs_an_image_is_not_asked_without_one(tmp_path: Path) -> None:
    project = project_with(tmp_path, "all")
    assert not any(asked(project, "theirs").values())
    for model in ("blip", "viper"):
        assert asked(project, model)["cvqa-synthetic"] == set(PROBES) - {WITHOUT_IMAGE}


@pytest.mark.parametrize(
    ("probes", "told"),
    [
        (["shuffled-option"], "probes: is ['shuffled-option']; 'shuffled-option' is no probe; did you mean `shuffled-"),
        ("whole", "probes: is 'whole'; 'whole' is no probe; there are shuffled-options, without-image, other-image, "),
        ({"without-image": True}, "probes: is {'without-image': True}; input should be a valid list"),
    ],
)
def test_what_is_no_probe_is_one_line(tmp_path: Path, probes: Any, told: str) -> None:
    assert refusal(lambda: project_with(tmp_path, probes).graph).startswith(f"params.yaml: {told}")
    own = project_with(tmp_path, [], cfmm=probes)
    assert refusal(lambda: own.graph).startswith(f"params.yaml: evaluate.cfmm.{told}")


def test_dvc_depends_on_the_probes_where_they_are_named(tmp_path: Path) -> None:
    project = project_with(tmp_path, "all")
    stages = yaml.safe_load(dvc_yaml(project.graph, project.values))["stages"]
    for name in ("evaluate", "aggregate"):
        assert "probes" in stages[name].get("do", stages[name])["params"]
