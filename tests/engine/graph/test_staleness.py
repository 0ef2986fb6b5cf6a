"""What is said above the published numbers of a benchmark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.graph import toy
from tests.engine.graph.conftest import PART, Project
from whatif.engine.errors import WhatifError
from whatif.engine.graph.staleness import remarks
from whatif.engine.graph.task import Task

pytestmark = pytest.mark.slow


def said(project: Project) -> list[str]:
    return remarks(project.graph, "toy")


def test_nothing_is_said_of_fresh_numbers(project: Project, shuffle_times: Callable[[], None]) -> None:
    project.run()
    assert said(project) == []
    shuffle_times()
    assert said(project) == []


def test_a_changed_parameter_is_named_once_with_its_jobs(project: Project) -> None:
    project.run()
    project.values["generate"]["toy"]["image_size"] = 512
    heading, reason = said(project)
    assert heading.startswith("STALE: ")
    assert reason == "  generate.toy.image_size: 448 -> 512 (generate toy part-000-of-002 and 1 more)"


def test_edited_numbers_are_named(project: Project) -> None:
    project.run()
    Path("metrics/toy.json").write_text("{}", encoding="utf-8")
    heading, reason = said(project)
    assert (heading.partition(":")[0], reason) == ("STALE", "  metrics/toy.json was edited (aggregate toy)")


@pytest.mark.parametrize(
    ("configuration", "is_fetched"),
    [
        ("", False),
        ("[core]\n    remote = far\n['remote \"far\"']\n    url = s3://bucket/path\n", True),
        ("['remote \"beside\"']\n    url = ../../nowhere\n", False),
        ("['remote \"beside\"']\n    url = ../data\n", True),
    ],
)
def test_numbers_whose_artifacts_are_not_here_cannot_be_checked(
    project: Project, configuration: str, is_fetched: bool
) -> None:
    project.run()
    Path(".dvc").mkdir()
    Path(".dvc/config").write_text(configuration, encoding="utf-8")
    for path in Path("data").rglob("*.parquet"):
        path.unlink()
    heading, *reasons, more = said(project)
    assert heading.startswith("NOT CHECKED: ") and heading.endswith("`dvc repro` or `snakemake` makes them:")
    assert ("`dvc pull` fetches them, " in heading) is is_fetched
    assert reasons[0] == "  data/extract/toy/rows.parquet is missing (extract toy)"
    assert (len(reasons), more) == (5, "  and 1 more: whatif status")


def test_questions_that_were_given_up_are_counted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(task: Task[Any]) -> None:
        task.outputs.unfinished(12, "token_budget of 5 reached")

    monkeypatch.setitem(toy.DURING, "evaluate", give_up)
    project.run()
    heading, reason = said(project)
    assert heading.startswith("UNFINISHED: ")
    assert reason == "  12 questions given up: token_budget of 5 reached (evaluate toy first and 1 more)"
    PART.unlink()
    project.values["seed"] = 1
    headings = [line.partition(":")[0] for line in said(project) if not line.startswith(" ")]
    assert headings == ["STALE", "NOT CHECKED"], "what comes after these is not judged"


def test_numbers_that_cannot_be_checked_here_have_one_line_that_says_why(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.run()
    why = "checkpoint package:tiny/model: Python package tiny is not installed; install it, for example by pip"

    def refuse(*arguments: object, **options: object) -> None:
        raise WhatifError(why)

    monkeypatch.setattr("whatif.engine.graph.staleness.states", refuse)
    assert said(project) == [f"NOT CHECKED: {why}"]
