"""The report of training with counterfactuals, from the artifacts of all steps: files, headline and funnel."""

from __future__ import annotations

import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.coco_counterfactuals_training.trained import classified, made_inputs, project_of
from tests.outputs import Published
from tests.projects import Project
from whatif.benchmarks.coco_counterfactuals_training.report import publish_report
from whatif.benchmarks.coco_counterfactuals_training.steps import TABLES
from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow


@pytest.fixture
def project(project: Project) -> Project:
    return project_of(project)


def published(project: Project, **others: Any) -> dict[str, Any]:
    task = made_inputs(project, **others).task(Published(), project.messages.append)  # type: ignore[arg-type]
    publish_report(task, TABLES)
    return project.metrics


def test_the_job_of_the_graph_publishes_what_it_declares(project: Project) -> None:
    job = made_inputs(project)
    project.run_jobs([job])
    declared = set(map(str, job.published))
    assert {str(path) for path in Path("metrics").rglob("*") if path.is_file()} == declared
    assert "metrics/coco-counterfactuals-training/losses.svg" in declared
    first = {path: Path(path).read_bytes() for path in declared}
    for path in declared:
        Path(path).unlink()
    published(project)
    assert {path: Path(path).read_bytes() for path in declared} == first


def test_the_headline_is_the_gain_of_a_mixture_that_was_fixed_before(project: Project) -> None:
    numbers = published(project)
    assert numbers["clip"]["counterfactual_gain"] == 10.0
    assert (numbers["clip"]["pre_trained"], numbers["clip"]["ms_coco"]) == (50.0, 70.0)
    assert 0 < numbers["clip"]["counterfactual_gain_p"] < 0.001


def test_one_seed_has_a_headline_without_a_test(project: Project) -> None:
    project_of(project, [108])
    assert set(published(project)["clip"]) == {"counterfactual_gain", "pre_trained", "ms_coco"}
    assert "ours" in project.published("table3.md")


def test_without_trainings_there_are_only_reported_numbers(project: Project) -> None:
    numbers = published(project, retrieved=[], classified=[], losses=[])
    assert numbers["clip"] == {}
    for name in ("table3", "table4", "table5", "table6", "table11", "table12"):
        assert "reported" in project.published(f"{name}.csv") and ",ours," not in project.published(f"{name}.csv")


def test_the_funnel_counts_samples_and_answers(project: Project) -> None:
    published(project)
    lines = project.published("funnel.csv").splitlines()
    assert "extract,captions of photographs,rejected because,no photograph,1" in lines
    assert "mix,samples,in,,10" in lines and "mix,samples,out,,8" in lines
    assert "mix,samples,rejected because,an odd sample,1" in lines
    assert any(line.endswith("queries,rejected because,no answer,120") for line in lines)
    assert any(line.endswith("images,rejected because,no answer,50") for line in lines)


def test_a_pair_that_is_refused_takes_both_samples_out(project: Project) -> None:
    published(project, unused=[{"item_id": "p2", "reason": "image missing", "detail": ""}])
    assert "mix,samples,rejected because,image missing,2" in project.published("funnel.csv").splitlines()


def test_imported_predictions_are_rows_of_table_4(project: Project) -> None:
    place = {"model": "Imported", "mixture": "pre-trained", "division": "published", "seed": "pre-trained"}
    rows = [{**row, "data_set": "cifar10"} for row in classified(place, ["cifar-10"])]
    names = [{"data_set": "cifar10", "label": n, "name": name, "prompt": ""} for n, name in enumerate(("cat", "dog"))]
    published(project, **{"imported": rows, "imported-classes": names})
    (line,) = [one for one in project.published("table4.csv").splitlines() if "Imported" in one and ",accuracy," in one]
    assert line.startswith("Imported,Imported,recomputed,none,pre-trained,0,0,,CIFAR10,,accuracy,,40.0")


def test_two_imports_of_the_same_predictions_are_refused(project: Project) -> None:
    place = {"model": "clip", "mixture": "all", "division": "published", "seed": "seed-107"}
    with pytest.raises(WhatifError, match="has results of clip all published seed-107 cifar-10"):
        published(project, imported=list(classified(place, ["cifar-10"])))


def test_the_figure_has_a_panel_for_each_mixture_and_a_line_for_each_seed(project: Project) -> None:
    published(project)
    drawing = Path("metrics/coco-counterfactuals-training/losses.svg").read_text(encoding="utf-8")
    root = Xml.fromstring(drawing)
    groups = [str(one.get("id")) for one in root.iter("{http://www.w3.org/2000/svg}g")]
    assert len([one for one in groups if one.startswith("axes_")]) == 7
    assert drawing.count("stroke: #b5541c") >= 3  # the leak-free division
    assert "![Trainings](losses.svg)" in project.published("report.md")
