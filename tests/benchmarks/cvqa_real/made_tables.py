"""Tables of the steps of C-VQA-Real, written by hand, and the task of the report that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from whatif.artifacts.reader import canonical_json
from whatif.artifacts.writer import write_artifact
from whatif.benchmarks.cvqa_real.schemas import SOURCE_GROUPS
from whatif.benchmarks.cvqa_real.settings import AggregateCvqaReal, ReportSettings, Writers
from whatif.benchmarks.cvqa_real.steps import aggregate
from whatif.graph.task import Input, Task
from whatif.params.resolution import Resolution

Row = dict[str, Any]
KINDS = {"numerical": "number", "boolean": "boolean"}


def source(source_id: str, group: str, answer: str, image: int = 1) -> Row:
    """A source question."""
    return {
        "question_id": f"{source_id}-original",
        "pair_id": source_id,
        "group": group,
        "variant": "original",
        "question": f"How many cats are in {source_id}?" if group == "numerical" else f"Is the cat of {source_id} red?",
        "choices": None,
        "answer": answer,
        "answer_kind": KINDS[group],
        "image_ids": [f"image-{image}"],
        "provenance": canonical_json({"img_path": f"{image}.png"}),
    }


def written(source_id: str, group: str, writer: str, answer: str) -> Row:
    """A counterfactual question to a source question."""
    return {
        "written_id": f"{source_id}-{group}-{writer}",
        "source_id": source_id,
        "group": group,
        "writer": writer,
        "question": f"How many cats would be in {source_id} if 2 came?",
        "answer": answer,
        "step1": None,
        "step2": None,
        "examples": [],
        "attempt": None,
        "request_key": None,
        "provenance": "{}",
    }


def pairs(sources: Sequence[Row], counterfactuals: Sequence[Row], **provenance: Any) -> list[Row]:
    """The pairs of written questions."""
    by_id = {row["pair_id"]: row for row in sources}
    found = []
    for one in counterfactuals:
        original = by_id[one["source_id"]]
        assert SOURCE_GROUPS[one["group"]] == original["group"]
        for variant, asked in (("original", original), ("counterfactual", one)):
            found.append(
                {
                    **original,
                    "question_id": f"{one['written_id']}-{variant}",
                    "pair_id": one["written_id"],
                    "group": one["group"],
                    "variant": variant,
                    "question": asked["question"],
                    "answer": asked["answer"],
                    "provenance": canonical_json(
                        {"img_path": "1.png", "source_id": one["source_id"], "writer": one["writer"], **provenance}
                    ),
                }
            )
    return found


def rejected(reasons: Mapping[str, str]) -> list[Row]:
    """Rows of `rejections` from reasons by item."""
    return [{"item_id": item, "reason": reason, "detail": ""} for item, reason in reasons.items()]


def judged(item: str, annotator: str = "ann", decision: str = "accept") -> Row:
    """A judgement of a person."""
    return {
        "item_id": item,
        "annotator": annotator,
        "decision": decision,
        "corrected": "{}",
        "comment": "",
        "time": None,
        "seconds": None,
    }


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
