"""A step that publishes a file for each model: those of the models in params.yaml and no others."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.graph import toy
from tests.engine.graph.conftest import Project as Toy
from tests.engine.graph.conftest import conditions
from whatif.engine.graph.dimensions import Shown
from whatif.engine.graph.freshness import Condition
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.prologue import prepare

*BEFORE, LAST = toy.TOY.steps
SUMMARIZED = replace(
    toy.TOY,
    steps=(*BEFORE, replace(LAST, shown=(Shown(toy.MODEL, ("name",), is_summarized=True),))),
    headline=("sum", "score"),
)
FOLDER = Path("metrics/toy/summary")


class Project(Toy):
    """The toy, whose last step publishes a file for each model."""

    @property
    def graph(self) -> Graph:
        return Graph(super().graph.params, [SUMMARIZED])


def shown() -> list[str]:
    return sorted(path.stem for path in FOLDER.iterdir()) if FOLDER.exists() else []


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project that was run once."""
    monkeypatch.chdir(tmp_path)
    made = Project()
    made.run()
    assert shown() == ["first", "second"]
    yield made


def test_a_file_appears_with_its_model_and_goes_with_it(project: Project) -> None:
    (job,) = project.graph.jobs_of(project.graph.steps("aggregate")[0])
    assert job.step.declared == {"headline": "sum\nscore"}
    project.values["models"]["third"] = {"adapter": "first-option"}
    assert conditions(project)["aggregate toy"] is Condition.UNKNOWN, "for its model, not for a missing file"
    assert project.run() == ["evaluate third", "aggregate"]
    assert shown() == ["first", "second", "third"]
    del project.values["models"]["second"]
    project.values["models"]["first"]["name"] = "Another name"
    assert "aggregate" in project.run()
    assert shown() == ["first", "third"]
    assert set(conditions(project).values()) == {Condition.FRESH}


def test_only_to_look_leaves_the_files_as_they_were(project: Project) -> None:
    project.values["models"]["third"] = {"adapter": "first-option"}
    project.run()
    before = {path: path.read_bytes() for path in Path("metrics").rglob("*.json")}
    del project.values["models"]["third"]  # its artifacts are taken from the stash, and returned to it
    project.values["models"]["fourth"] = {"adapter": "first-option"}
    prepare(project.graph, project.messages.append).end(only_looked=True)
    del project.values["models"]["fourth"]
    prepare(project.graph, project.messages.append).end(only_looked=True)
    assert {path: path.read_bytes() for path in Path("metrics").rglob("*.json")} == before


def test_the_files_stay_if_the_new_model_fails(project: Project) -> None:
    project.values["models"]["third"] = {"adapter": "first-option", "name": "fails"}
    with pytest.raises(RuntimeError):
        project.run()
    assert shown() == ["first", "second"] and Path("metrics/toy.json").exists()


def test_in_a_clone_without_artifacts_the_file_of_a_removed_model_goes(project: Project) -> None:
    for folder in ("data", ".whatif"):
        shutil.rmtree(folder)
    del project.values["models"]["second"]
    project.run()
    assert shown() == ["first"]


def test_an_edited_or_deleted_file_is_made_again(project: Project) -> None:
    before = (FOLDER / "first.json").read_bytes()
    (FOLDER / "first.json").write_text("{}")
    assert conditions(project)["aggregate toy"] is Condition.STALE
    project.run()
    (FOLDER / "second.json").unlink()
    assert conditions(project)["aggregate toy"] is Condition.MISSING
    project.run()
    assert (FOLDER / "first.json").read_bytes() == before and shown() == ["first", "second"]
