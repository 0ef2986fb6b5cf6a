"""A step that reads an output of another benchmark: in order, fresh by the same rules, and empty without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engine.graph import toy
from whatif.commands.snakemake import inputs_from_others
from whatif.engine.artifacts.schemas import REJECTIONS
from whatif.engine.graph.dimensions import Dimension
from whatif.engine.graph.freshness import Condition, states
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.run import run
from whatif.engine.graph.staleness import remarks
from whatif.engine.graph.steps import Benchmark, OutputOf, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.params.whole import check
from whatif.engine.workflow.dvc_yaml import dvc_yaml

pytestmark = pytest.mark.slow

_step = StepsOf(toy.ToySettings)


@_step("extract", outputs={"rows": REJECTIONS})
def extract(task: Task[None]) -> None:
    task.outputs.write("rows", [])


@_step(
    "aggregate",
    inputs={
        "rows": extract["rows"],
        "others": toy.evaluate["rows"].of("toy"),
        "sums": toy.aggregate["files"].of("toy"),
    },
    outputs={"seen": REJECTIONS},
)
def aggregate(task: Task[None]) -> None:
    details = [row["detail"] for row in task.rows("others")] + [str(task.count("sums"))]
    rows = [{"item_id": str(place), "reason": "-", "detail": detail} for place, detail in enumerate(details)]
    task.outputs.write("seen", rows)


READER = Benchmark("reader", toy.ToySettings, steps=(extract, aggregate))


def graph(*names: str, **generate: Any) -> Graph:
    """The graph of some benchmarks, in the order given."""
    known = {"toy": toy.TOY, "reader": READER}
    section = {"shards": 2, "image_size": 448, **generate}
    values = {
        "seed": 2024,
        "benchmarks": list(names),
        "generate": dict.fromkeys(names, section),
        "models": {"first": {"adapter": "random"}, "second": {"adapter": "majority"}},
    }
    return Graph(check(values, dict.fromkeys(known, toy.ToySettings), list(known)), [known[name] for name in names])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(made: Graph) -> list[str]:
    """Runs the jobs that are not fresh, in order; their names."""
    due = [job for job, state in states(made).items() if state.condition is not Condition.FRESH]
    return [job.name for job in due if run(job, lambda line: None) == "computed"]


def seen() -> list[str]:
    from whatif.engine import artifacts

    return [row["detail"] for row in artifacts.rows_of([Path("data/aggregate/reader/seen.parquet")], REJECTIONS)]


@pytest.mark.parametrize("names", [("reader", "toy"), ("toy", "reader")])
def test_the_benchmark_that_is_read_comes_first_whatever_the_order(names: tuple[str, ...]) -> None:
    made = graph(*names)
    jobs = [job.name for job in made.jobs]
    assert jobs.index("aggregate toy") < jobs.index("aggregate reader")
    assert list(made.benchmarks) == list(names)  # the order of everything that is shown
    assert set(make(made)) == set(jobs)
    assert seen() == ["2028", "2028", "2028", "2028", "1"]
    assert make(made) == []


def test_without_the_other_benchmark_the_input_is_empty() -> None:
    made = graph("reader")
    assert make(made) == ["extract reader", "aggregate reader"]
    assert seen() == ["0"]
    (job,) = (job for job in made.jobs if job.step.stage == "aggregate")
    assert job.input_paths == (Path("data/extract/reader/rows.parquet"),)
    assert inputs_from_others(made, job.step) == []
    assert "data/evaluate" not in dvc_yaml(made, ())


def test_a_benchmark_that_is_selected_later_makes_the_reader_stale_and_nothing_else_of_it() -> None:
    make(graph("reader"))
    both = graph("reader", "toy")
    assert [name for name in make(both) if "reader" in name] == ["aggregate reader"]
    alone = {job.name: state.condition for job, state in states(graph("reader")).items()}
    assert alone == {"extract reader": Condition.FRESH, "aggregate reader": Condition.STALE}
    make(graph("reader"))
    assert seen() == ["0"]


def test_what_changes_in_the_other_benchmark_reaches_the_reader_alone() -> None:
    make(graph("reader", "toy"))
    changed = graph("reader", "toy", image_size=600)
    found = {job.name: state for job, state in states(changed).items()}
    assert found["extract reader"].condition is Condition.FRESH
    assert found["aggregate reader"].condition is Condition.UNKNOWN
    assert [name for name in make(changed) if "reader" in name] == ["aggregate reader"]
    assert seen()[0] == "2030"


def test_an_input_that_the_settings_do_not_need_is_empty_and_makes_nothing_stale() -> None:
    wanted = [False]

    @_step(
        "aggregate",
        inputs={"others": toy.evaluate["rows"].of("toy", lambda params: wanted[0])},
        outputs={"seen": REJECTIONS},
    )
    def choosy(task: Task[None]) -> None: ...

    reader = Benchmark("choosy", toy.ToySettings, steps=(choosy,))

    def paths() -> tuple[Path, ...]:
        made = Graph(graph("toy").params, [toy.TOY, reader])
        return next(job for job in made.jobs if job.step.benchmark == "choosy").input_paths

    assert paths() == ()
    wanted[0] = True
    assert paths() == (Path("data/evaluate/first/toy/rows.parquet"), Path("data/evaluate/second/toy/rows.parquet"))


def test_a_job_exists_only_for_values_that_go_together() -> None:
    kind = Dimension(
        "kind",
        lambda params, benchmark: ["large", "small"],
        "Only this kind.",
        exists=lambda params, benchmark, wildcards: wildcards != {"model": "first", "kind": "large"},
    )

    @_step("evaluate", name="kinds", divided_by=(toy.MODEL, kind), outputs={"rows": REJECTIONS})
    def kinds(task: Task[None]) -> None: ...

    @_step("aggregate", inputs={"rows": kinds["rows"]}, outputs={"seen": REJECTIONS})
    def gather(task: Task[None]) -> None: ...

    made = Graph(graph("toy").params, [Benchmark("toy", toy.ToySettings, steps=(kinds, gather))])
    names = [job.name for job in made.jobs if job.step.name == "kinds"]
    assert names == [f"evaluate toy kinds {pair}" for pair in ("first small", "second large", "second small")]
    (last,) = (job for job in made.jobs if job.step.stage == "aggregate")
    assert len(last.input_paths) == 3


def test_the_standing_of_a_reader_includes_what_it_reads_and_no_more() -> None:
    both = graph("reader", "toy")
    make(both)
    assert remarks(both, "reader") == remarks(both, "toy") == []
    changed = graph("reader", "toy", image_size=600)
    heading, reason = remarks(changed, "reader")
    assert heading.startswith("STALE: ") and "generate.toy.image_size: 448 -> 600" in reason
    make(changed)
    Path("data/aggregate/reader/seen.parquet").unlink()
    assert remarks(changed, "toy") == []
    assert remarks(changed, "reader")[0].startswith("NOT CHECKED")


def test_rules_and_stages_follow_from_the_declaration() -> None:
    made = graph("reader", "toy")
    (step,) = READER.steps_of("aggregate")
    assert inputs_from_others(made, step) == [
        "data/evaluate/first/toy/rows.parquet",
        "data/evaluate/second/toy/rows.parquet",
        "data/aggregate/toy/files.parquet",
    ]
    assert "- data/evaluate" in dvc_yaml(made, ())
    needed = {job.name for job in made.needed_for(made.jobs_of(step))}
    assert {"generate toy part-000-of-002", "aggregate toy", "aggregate reader"} <= needed


def test_an_output_that_the_other_benchmark_does_not_make_is_an_error() -> None:
    @_step("aggregate", inputs={"x": OutputOf("filter", "", "x", REJECTIONS, "toy")}, outputs={"y": REJECTIONS})
    def wrong(task: Task[None]) -> None: ...

    broken = Benchmark("broken", toy.ToySettings, steps=(wrong,))
    with pytest.raises(ValueError, match="aggregate_broken: no earlier step makes its input x"):
        Graph(graph("toy").params, [toy.TOY, broken])


def test_benchmarks_that_read_each_other_are_an_error() -> None:
    @_step("extract", outputs={"rows": REJECTIONS}, inputs={"x": OutputOf("extract", "", "rows", REJECTIONS, "two")})
    def one(task: Task[None]) -> None: ...

    @_step("extract", outputs={"rows": REJECTIONS}, inputs={"x": OutputOf("extract", "", "rows", REJECTIONS, "one")})
    def two(task: Task[None]) -> None: ...

    both = [Benchmark("one", toy.ToySettings, steps=(one,)), Benchmark("two", toy.ToySettings, steps=(two,))]
    with pytest.raises(ValueError, match="one -> two -> one: benchmarks read each other's outputs"):
        Graph(graph("toy").params, both)
