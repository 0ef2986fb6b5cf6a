"""Blocks of parts: how many jobs are planned, what the first part stands for, and what a job makes again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.graph import toy
from tests.engine.graph.conftest import Project
from whatif.commands.snakemake import paths_of, targets
from whatif.commands.stages import _run_block
from whatif.engine.graph.blocks import VARIABLE, is_first, made_by, parts_per_job
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.prologue import prepare

_PARTS = 10
_SIZE = 4


@pytest.fixture
def graph(project: Project) -> Graph:
    """The toy in ten parts, which are all made: 14 jobs."""
    project.values["generate"]["toy"]["shards"] = _PARTS
    project.run()
    return project.graph


def part(number: int) -> Path:
    return Path(f"data/generate/toy/rows/part-{number:03d}-of-{_PARTS:03d}.parquet")


def there() -> list[int]:
    return [number for number in range(_PARTS) if part(number).exists()]


@pytest.mark.parametrize(("most", "size"), [(2000, 1), (14, 1), (13, 2), (9, 2), (8, 3), (7, 4), (5, 10), (1, 10)])
def test_as_few_parts_are_joined_as_suffice(graph: Graph, most: int, size: int) -> None:
    assert parts_per_job(graph.jobs, most) == size
    planned = sum(is_first(job, size) for job in graph.jobs)
    assert planned <= most or size == _PARTS


def test_snakemake_knows_the_first_parts_alone(graph: Graph) -> None:
    pattern = "data/generate/toy/rows/{part}.parquet"
    firsts = [str(part(number)) for number in (0, 4, 8)]
    assert paths_of(graph, pattern, together=_SIZE) == targets(graph, _SIZE)["generate"] == firsts
    assert len(paths_of(graph, pattern)) == len(targets(graph)["generate"]) == _PARTS


@pytest.mark.parametrize("stashed", [False, True])
def test_the_first_part_is_away_while_another_of_its_block_is_due(graph: Graph, stashed: bool) -> None:
    before = part(4).read_bytes()
    part(6).unlink()
    if stashed:  # it is taken from there, and is back there after a look
        prologue = prepare(graph, str)
        prologue.end()
    prologue = prepare(graph, str, parts_per_job=_SIZE)
    assert there() == [0, 1, 2, 3, 5, 7, 8, 9]
    prologue.end(only_looked=True)
    assert there() == [0, 1, 2, 3, 4, 5, 7, 8, 9]
    assert part(4).read_bytes() == before


def test_a_job_makes_what_is_due_of_its_block_and_its_first_part_last(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {number: part(number).read_bytes() for number in range(_PARTS)}
    for number in (6, 9):
        part(number).unlink()
    toy.CALLS.clear()
    job = graph.producer[part(4)]
    assert made_by(graph, job) == [job]
    monkeypatch.setenv(VARIABLE, str(_SIZE))
    block = made_by(graph, job)
    assert [one.wildcards["part"][:8] for one in block] == ["part-005", "part-006", "part-007", "part-004"]
    assert made_by(graph, graph.producer[part(6)]) == [graph.producer[part(6)]]
    assert made_by(graph, graph.jobs[0]) == [graph.jobs[0]]
    prologue = prepare(graph, str, parts_per_job=_SIZE)
    _run_block(block, str)
    prologue.end()
    assert [f"generate part-006-of-{_PARTS:03d}"] == toy.CALLS
    assert {number: part(number).read_bytes() for number in there()} == {
        number: data for number, data in before.items() if number != 9
    }


def test_a_part_that_fails_keeps_only_the_first_from_being_made(
    graph: Graph, monkeypatch: pytest.MonkeyPatch, fails_at: Callable[[int], None]
) -> None:
    for number in range(4, 8):
        part(number).unlink()
    monkeypatch.setenv(VARIABLE, str(_SIZE))
    block = made_by(graph, graph.producer[part(4)])
    fails_at(5)
    said: list[str] = []
    with pytest.raises(RuntimeError, match="broke down"):
        _run_block(block, said.append)
    assert there() == [0, 1, 2, 3, 6, 7, 8, 9]
    assert f"generate toy part-005-of-{_PARTS:03d}: failed: broke down" in said
    fails_at(-1)
    toy.CALLS.clear()
    _run_block(block, said.append)
    assert [f"generate part-{number:03d}-of-{_PARTS:03d}" for number in (5, 4)] == toy.CALLS
    assert there() == list(range(_PARTS))


@pytest.fixture
def fails_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lets one part of the toy fail."""

    def set_to(number: int) -> None:
        def during(task: object) -> None:
            if toy.CALLS[-1].startswith(f"generate part-{number:03d}-"):
                raise RuntimeError("broke down")

        monkeypatch.setitem(toy.DURING, "generate", during)

    return set_to
