"""A benchmark of four small steps, for tests of the graph itself. Every call is noted in CALLS."""

from __future__ import annotations

import json

from whatif import artifacts
from whatif.artifacts.schemas import FILES, REJECTIONS
from whatif.graph.run import Task
from whatif.graph.steps import Benchmark, Output, Step, parts
from whatif.params.whole import Params

CALLS: list[str] = []


def _values(task: Task) -> list[int]:
    return [
        int(row["detail"])
        for paths in task.inputs.values()
        for path in paths
        for row in artifacts.rows_of(path, REJECTIONS)
    ]


def _write(task: Task, values: list[int]) -> None:
    rows = [{"item_id": f"{number:04d}", "reason": "-", "detail": str(value)} for number, value in enumerate(values)]
    task.outputs.write("rows", rows)


def extract(task: Task) -> None:
    CALLS.append("extract")
    _write(task, [task.parameters["seed"]])


def generate(task: Task) -> None:
    CALLS.append(f"generate {task.wildcards['part']}")
    image_size = task.parameters["generate.cvqa-synthetic"].image_size
    _write(task, [value + image_size // 100 for value in _values(task)])


def evaluate(task: Task) -> None:
    CALLS.append(f"evaluate {task.wildcards['model']}")
    if task.parameters[f"models.{task.wildcards['model']}"].name == "fails":
        task.outputs.writer("rows").write([{"item_id": "0", "reason": "-", "detail": "half"}])
        raise RuntimeError("the model broke down")
    _write(task, _values(task))


def aggregate(task: Task) -> None:
    CALLS.append("aggregate")
    task.outputs.publish("metrics/toy.json", json.dumps({"sum": sum(_values(task))}).encode())


def _wildcards(params: Params) -> dict[str, list[str]]:
    return {"part": parts(params.generate.cvqa_synthetic.shards), "model": sorted(params.models)}


TOY = Benchmark(
    name="toy",
    wildcards=_wildcards,
    steps=(
        Step(
            "extract",
            "toy",
            f"{__name__}:extract",
            {"rows": Output(REJECTIONS, "data/extract/toy.parquet")},
            reads=("seed",),
        ),
        Step(
            "generate",
            "toy",
            f"{__name__}:generate",
            {"rows": Output(REJECTIONS, "data/generate/toy/{part}.parquet")},
            inputs={"rows": "data/extract/toy.parquet"},
            reads=("generate.cvqa-synthetic",),
        ),
        Step(
            "evaluate",
            "toy",
            f"{__name__}:evaluate",
            {"rows": Output(REJECTIONS, "data/evaluate/{model}/toy.parquet")},
            inputs={"rows": "data/generate/toy/{part}.parquet"},
            reads=("models.{model}",),
        ),
        Step(
            "aggregate",
            "toy",
            f"{__name__}:aggregate",
            {"files": Output(FILES, "data/aggregate/toy.parquet")},
            inputs={"rows": "data/evaluate/{model}/toy.parquet"},
            publishes=("metrics/toy.json",),
        ),
    ),
)
