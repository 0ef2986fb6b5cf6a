"""The display names of models."""

from __future__ import annotations

from tests.projects import Project
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.tasks import names_of


def test_models_of_the_same_name_are_told_apart_by_their_keys(project: Project) -> None:
    project.select("mucr")
    project.section("evaluate")["fine_tuning"]["models"] = []
    project.values["models"] = {
        "one": {"adapter": "random", "name": "Chance"},
        "two": {"adapter": "first-option", "name": "Chance"},
        "three": {"adapter": "majority", "name": "Frequent"},
    }
    task = project.jobs("aggregate")[-1].task(None, print)
    assert names_of(task, CHOOSER) == {"one": "Chance (one)", "two": "Chance (two)", "three": "Frequent"}
