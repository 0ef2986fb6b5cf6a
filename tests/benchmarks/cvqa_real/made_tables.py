"""Tables of the steps of C-VQA-Real, written by hand, and the task of the report that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.benchmarks.cvqa_real import rows
from tests.benchmarks.cvqa_real.rows import a_pair, source_row
from whatif.benchmarks.cvqa_real.settings import AggregateCvqaReal, ReportSettings, Writers
from whatif.benchmarks.cvqa_real.steps import TABLES, aggregate
from whatif.benchmarks.cvqa_real.tables.table3 import accuracies
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.task import Input, Task
from whatif.engine.looked_up import looked_up
from whatif.engine.params.resolution import Resolution
from whatif.results.reporting.table import Table

Row = dict[str, Any]


def source(source_id: str, group: str, answer: str, image: int = 1) -> Row:
    question = f"How many cats are in {source_id}?" if group == "numerical" else f"Is the cat of {source_id} red?"
    return source_row(source_id, question, answer, f"image-{image}", img_path=f"{image}.png")


def written(source_id: str, group: str, writer: str, answer: str) -> Row:
    return rows.written(source_id, group, writer, answer, f"How many cats would be in {source_id} if 2 came?")


def pairs(sources: Sequence[Row], counterfactuals: Sequence[Row]) -> list[Row]:
    by_id = {row["pair_id"]: row for row in sources}
    return [row for one in counterfactuals for row in reversed(a_pair(by_id[one["source_id"]], one, img_path="1.png"))]


def rejected(reasons: Mapping[str, str]) -> list[Row]:
    """Rows of `rejections` from reasons by item."""
    return [{"item_id": item, "reason": reason, "detail": ""} for item, reason in reasons.items()]


def judged(item: str, annotator: str = "ann", decision: str = "accept") -> Row:
    return {
        "item_id": item,
        "annotator": annotator,
        "decision": decision,
        "corrected": "{}",
        "comment": "",
        "time": None,
        "seconds": None,
    }


def declared(name: str, **fields: Any) -> Table:
    """The declared table of this name, from results that have only the given fields."""
    table: Table = looked_up(TABLES.tables[name]).table(name, SimpleNamespace(**fields))
    return table


def accuracy_table(
    number: int, predictions: Sequence[Row], questions: Sequence[Row], models: Mapping[str, str]
) -> Table:
    """One of Tables 3 to 6, from the answers of some models without a judge."""
    found = SimpleNamespace(
        questions=questions,
        settings=SimpleNamespace(confidence=0.95),
        level="95%",
        judged=None,
        predictions_of=lambda strategy, models: predictions,
        beside_reported=lambda strategy: "",
    )
    return accuracies(found, number, "Accuracy", "C-VQA-Real", strategy="plain", models=models)


def report_task(
    folder: Path, tables: Mapping[str, Sequence[Row]], writers: Writers, released: str | None = None
) -> Task[ReportSettings]:
    """The task of the report, without models; inputs that are not given are empty."""
    unknown = sorted(set(tables) - set(aggregate.inputs))
    assert not unknown, unknown
    inputs = {}
    for number, (role, output) in enumerate(aggregate.inputs.items()):
        path = folder / f"{number}.parquet"
        key = itemgetter(*output.table.key)
        write_artifact(path, output.table, sorted(tables.get(role, []), key=key))
        inputs[role] = Input(output.table, (path,), ({},))
    settings = AggregateCvqaReal(confidence=0.95, resamples=100, audit_folds=2, shown_items=1)
    single = Resolution(rule="single")
    return Task(
        settings=ReportSettings(settings, ["plain"], 0.1, [], None, None, single, released, writers),
        inputs=inputs,
        outputs=None,  # type: ignore[arg-type]
        wildcards={},
        name="aggregate cvqa-real",
        benchmark="cvqa-real",
        say=print,
        given_seed=0,
        shown={"model": {}},
    )
