"""What the stash holds comes back while a run is planned, without a job; a run that only looks changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engine.graph import toy
from tests.engine.graph.conftest import ALL, PART, Project
from whatif.engine import artifacts
from whatif.engine.graph import stash
from whatif.engine.graph.freshness import Condition
from whatif.engine.graph.prologue import Prologue, prepare
from whatif.engine.processes import locks

pytestmark = pytest.mark.slow

EARLIER = {"sum": 2 * 2 * (2024 + 4)}
TEXT = Path("metrics/toy.json")


def went_away_and_back(project: Project) -> None:
    """Runs with one seed and then with another; the first one is wanted again, and the stash holds it."""
    project.run()
    project.values["seed"] = 1
    project.run()
    project.values["seed"] = 2024
    toy.CALLS.clear()


def conditions(prologue: Prologue) -> dict[str, Condition]:
    return {job.name: state.condition for job, state in prologue.found.items()}


def everything() -> dict[str, tuple[bytes, int]]:
    files = [*Path("data").rglob("*.parquet"), *Path("metrics").rglob("*.json")]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_planning_takes_back_what_the_stash_holds_and_no_job_is_due(project: Project) -> None:
    went_away_and_back(project)
    prologue = prepare(project.graph, project.messages.append)
    assert set(conditions(prologue).values()) == {Condition.FRESH}
    assert [job.name for job in prologue.taken] == [job.name for job in project.graph.jobs]
    prologue.end()
    assert toy.CALLS == []
    assert json.loads(TEXT.read_text()) == EARLIER
    assert "evaluate toy first: taken from the stash" in project.messages
    logged = [json.loads(line) for line in Path(".whatif/log.jsonl").read_text().splitlines()[-len(ALL) :]]
    assert {entry["outcome"] for entry in logged} == {"taken from the stash"}


def test_what_was_taken_back_is_in_the_order_of_times_that_snakemake_wants(project: Project) -> None:
    went_away_and_back(project)
    prepare(project.graph, project.messages.append).end()
    for job in project.graph.jobs:
        inputs = [path.stat().st_mtime_ns for path in job.input_paths]
        outputs = [path.stat().st_mtime_ns for path in (*job.outputs.values(), *job.published)]
        assert min(outputs) >= max(inputs, default=0)


def test_what_comes_after_a_job_that_is_due_is_not_taken_back(project: Project) -> None:
    went_away_and_back(project)
    for path in stash.STASH.rglob("rows.parquet"):
        if artifacts.footer_of(path).made_from["step"] == "generate toy":
            path.unlink()
    prologue = prepare(project.graph, project.messages.append)
    found = conditions(prologue)
    assert found["extract toy"] is Condition.FRESH
    assert [name for name, condition in found.items() if condition is Condition.FRESH] == ["extract toy"]
    prologue.end()
    assert project.run() == ["generate part-000-of-002", "generate part-001-of-002"]
    assert json.loads(TEXT.read_text()) == EARLIER


def test_only_the_jobs_that_are_asked_for_are_taken_back(project: Project) -> None:
    went_away_and_back(project)
    before = TEXT.read_bytes()
    prologue = prepare(project.graph, project.messages.append, take_back=lambda job: job.step.stage != "aggregate")
    prologue.end()
    assert conditions(prologue)["evaluate toy first"] is Condition.FRESH
    assert conditions(prologue)["aggregate toy"] is not Condition.FRESH
    assert TEXT.read_bytes() == before, "put back as it was"


def test_a_run_that_only_looks_leaves_every_file_as_it_was(project: Project) -> None:
    went_away_and_back(project)
    before = everything()
    prologue = prepare(project.graph, project.messages.append)
    assert set(conditions(prologue).values()) == {Condition.FRESH}, "it shows what a real run would find"
    prologue.end(only_looked=True)
    after = everything()
    artifacts_before, artifacts_after = (
        {path: state for path, state in files.items() if path.endswith(".parquet")} for files in (before, after)
    )
    assert artifacts_after == artifacts_before
    assert {path: data for path, (data, _) in after.items()} == {path: data for path, (data, _) in before.items()}
    assert project.run() == []
    assert json.loads(TEXT.read_text()) == EARLIER


def test_what_another_process_is_making_is_left_to_it(project: Project) -> None:
    went_away_and_back(project)
    with locks.hold_job("extract toy", project.messages.append):
        prologue = prepare(project.graph, project.messages.append)
        assert prologue.taken == []
        prologue.end()
    assert project.run() == []


def test_untouched_artifacts_are_not_read_again_when_they_move(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    went_away_and_back(project)
    monkeypatch.setattr(artifacts, "content_of", lambda path, table=None: pytest.fail(f"read the rows of {path}"))
    prepare(project.graph, project.messages.append).end(only_looked=True)
    prepare(project.graph, project.messages.append).end()
    assert json.loads(TEXT.read_text()) == EARLIER


def test_a_job_that_is_needed_for_another_is_found(project: Project) -> None:
    graph = project.graph
    (second,) = [job for job in graph.jobs if job.name == "evaluate toy second"]
    assert [job.name.replace(" toy", "") for job in graph.needed_for([second])] == [*ALL[:3], "evaluate second"]
    (part,) = [job for job in graph.jobs if PART in job.outputs.values()]
    assert [job.name for job in graph.needed_for([part])] == ["extract toy", part.name]
