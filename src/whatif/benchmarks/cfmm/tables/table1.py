"""Table 1 of CFMM (2): sizes of counterfactual question sets as reported, and ours."""

from __future__ import annotations

import json
from collections.abc import Iterator

from whatif.benchmarks.cfmm.measures import Row
from whatif.benchmarks.cfmm.report import Cfmm
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import OURS, REPORTED, Column, View

_MANUAL = {"annotator": "Human", "scenes": "Computed", "file": "Imported"}


def _rows(found: Cfmm) -> Iterator[Row]:
    for row in published("whatif.benchmarks.cfmm", "table1"):
        yield {
            "name": row["dataset"],
            "source": REPORTED,
            "task": row["task"],
            "images": row["data_source"],
            "questions": row["question_source"],
            "measure": row["metric"],
            "value": int(row["value"]),
        }
    used = {image for row in found.questions for image in row["image_ids"]}
    images = found.task.rows("images", ["image_id", "source"], image_id=used)
    origins = {json.loads(row["provenance"]).get("origin", "unknown") for row in found.questions}
    ours = {
        "name": "CFMM of whatif",
        "source": OURS,
        "task": "visual-qa",
        "images": " & ".join(sorted({_kind_of_source(row["source"]) for row in images})),
        "questions": " & ".join(sorted({_MANUAL.get(origin, "Auto.") for origin in origins}, reverse=True)),
    }
    yield {**ours, "measure": "question_types", "value": len({row["group"] for row in found.questions})}
    yield {**ours, "measure": "questions", "value": len(found.questions)}


def _kind_of_source(source: str) -> str:
    return "Drawn scenes" if source.startswith("drawn:") else "Photographs"


TABLE: Declared[Cfmm] = Declared(
    position=60,
    title="Question sets",
    identity=("name", "source", "task", "images", "questions", "measure"),
    numbers=("value",),
    rows=_rows,
    views=lambda found: (
        View(
            "Counterfactual question sets (CFMM Table 1): sizes as the paper reports them, and ours.",
            {
                "name": "Set",
                "source": "From",
                "task": "Task",
                "images": "Source of data",
                "questions": "Source of questions",
            },
            (Column("Types", "question_types", write=count), Column("Questions", "questions", write=count)),
        ),
    ),
)
