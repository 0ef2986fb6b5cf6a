"""The tables that only benchmarks in YAML files have: rows with their attributes, and candidates of questions."""

from __future__ import annotations

import pyarrow as pa

from whatif.engine.artifacts.schemas import Table, schema_of

ROWS = Table(
    name="attribute-rows",
    version=1,
    key=("row_id",),
    schema=schema_of(
        ("row_id", pa.string()),
        ("image_ids", pa.list_(pa.string())),
        ("attributes", pa.string()),  # JSON object with sorted keys: what expressions can name
    ),
)

CANDIDATES = Table(
    name="question-candidates",
    version=1,
    key=("template", "row_id", "blanks"),
    schema=schema_of(
        ("template", pa.string()),
        ("row_id", pa.string()),
        ("blanks", pa.string()),  # JSON object with sorted keys: blank -> the word in its place
        ("image_ids", pa.list_(pa.string())),
        ("original", pa.string()),  # the text of the question
        ("counterfactual", pa.string()),
        ("presupposition", pa.string()),  # what is in the place of `{if}`
        ("answer_original", pa.string()),  # as the text of an option
        ("answer_counterfactual", pa.string()),
        ("kind", pa.string()),  # which kind of pair it is, for the tables; empty if the template has no `kind`
    ),
)
