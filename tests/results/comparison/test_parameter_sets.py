"""The run of a set of parameters: its artifacts in place or in the stash, by fingerprint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.graph.conftest import Project
from whatif.engine.graph.stash import STASH
from whatif.results.comparison.parameter_sets import of_graph


@pytest.fixture
def project(folder: Path) -> Iterator[Project]:
    """The toy benchmark, made with 448 pixels and then with 512."""
    made = Project()
    made.run()
    made.values["generate"]["toy"]["image_size"] = 512
    made.run()
    return made


def test_artifacts_in_place_and_in_the_stash_are_found(project: Project) -> None:
    now = of_graph(project.graph, "now")
    assert now.lacking == ()
    assert all(path == Path(name) for name, path in now.files.items())
    project.values["generate"]["toy"]["image_size"] = 448
    before = of_graph(project.graph, "before")
    assert before.lacking == ()
    assert set(before.files) == set(now.files)
    moved = {name for name, path in before.files.items() if path.is_relative_to(STASH)}
    assert moved == {name for name in now.files if not name.startswith("data/extract/")}
    contents = [{name: run.footer(name) for name in sorted(moved)} for run in (now, before)]
    assert all(contents[0][name] != contents[1][name] for name in moved)


def test_what_was_never_made_is_lacking_with_all_that_follows(project: Project) -> None:
    project.values["generate"]["toy"]["image_size"] = 777
    run = of_graph(project.graph, "never")
    assert set(run.files) == {"data/extract/toy/rows.parquet"}
    assert len(run.lacking) == len(of_graph(project.graph, "never").lacking) > 4
    assert "data/evaluate/first/toy/rows.parquet" in run.lacking
