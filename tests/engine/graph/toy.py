"""A benchmark of four small steps, for tests of the graph itself. Every call is noted in CALLS."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic import Field

from whatif.engine.artifacts.schemas import REJECTIONS
from whatif.engine.graph.dimensions import Dimension, part_dimension
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.params.base import BenchmarkSettings, Settings

CALLS: list[str] = []
DURING: dict[str, Callable[[Task[Any]], object]] = {}  # what a test adds to the work of a stage, by its name


class GenerateToy(Settings):
    """How many parts there are, and what is added to each value."""

    shards: int = Field(ge=1, le=999)
    image_size: int = Field(ge=1)


class ToySettings(BenchmarkSettings):
    """The sections of the toy."""

    generate: GenerateToy


_step = StepsOf(ToySettings)
PART = part_dimension(lambda params, benchmark: params.section(benchmark, ToySettings).generate.shards)
MODEL = Dimension("model", lambda params, benchmark: sorted(params.models), "Only this model.", is_model=True)


def _values(task: Task[Any]) -> list[int]:
    return [int(row["detail"]) for row in task.rows("rows")]


def _write(task: Task[Any], values: list[int]) -> None:
    rows = [{"item_id": f"{number:04d}", "reason": "-", "detail": str(value)} for number, value in enumerate(values)]
    task.outputs.write("rows", rows)


@_step("extract", seed=True, outputs={"rows": REJECTIONS})
def extract(task: Task[None]) -> None:
    CALLS.append("extract")
    _write(task, [task.seed])


@_step(
    "generate",
    reads=lambda s: s.generate,
    divided_by=(PART,),
    inputs={"rows": extract["rows"]},
    outputs={"rows": REJECTIONS},
)
def generate(task: Task[GenerateToy]) -> None:
    CALLS.append(f"generate {task.part}")
    DURING.get("generate", str)(task)
    _write(task, [value + task.settings.image_size // 100 for value in _values(task)])


@_step("evaluate", divided_by=(MODEL,), inputs={"rows": generate["rows"]}, outputs={"rows": REJECTIONS})
def evaluate(task: Task[None]) -> None:
    CALLS.append(f"evaluate {task.wildcards['model']}")
    if task.model.name == "fails":
        task.outputs.writer("rows").write([{"item_id": "0", "reason": "-", "detail": "half"}])
        raise RuntimeError("the model broke down")
    DURING.get("evaluate", str)(task)
    _write(task, _values(task))


@_step("aggregate", inputs={"rows": evaluate["rows"]}, publishes=())
def aggregate(task: Task[None]) -> None:
    CALLS.append("aggregate")
    task.outputs.publish("metrics/toy.json", json.dumps({"sum": sum(_values(task))}).encode())
    for model in task.summarized:
        task.outputs.publish(f"metrics/toy/summary/{model}.json", json.dumps({"score": len(model)}).encode())


TOY = Benchmark("toy", ToySettings, steps=(extract, generate, evaluate, aggregate))
