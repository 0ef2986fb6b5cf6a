"""The tables of the site: items with their pictures, questions and answers, named views of them, printed tables."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from whatif.engine.artifacts.schemas import Table, schema_of

ITEM_PICTURE = pa.struct(
    [
        pa.field("image_id", pa.string(), nullable=False),
        pa.field("caption", pa.string(), nullable=False),
        pa.field("side", pa.string(), nullable=False),  # `original`, `counterfactual`, or empty for another role
    ]
)
ITEM_PROGRAM = pa.struct(
    [
        pa.field("code", pa.string(), nullable=False),
        pa.field("category", pa.string(), nullable=False),  # why it is wrong, for readers; empty if it is right
        pa.field("calls", pa.list_(pa.string()), nullable=False),  # one line for each call of a tool
    ]
)
ITEM_ANSWER = pa.struct(
    [
        pa.field("system", pa.string(), nullable=False),  # display name: the model, and its strategy
        pa.field("answer", pa.string()),  # the extracted answer as shown; null if there is none
        pa.field("correct", pa.bool_(), nullable=False),
        pa.field("status", pa.string(), nullable=False),  # of the prediction: `ok`, `ambiguous`, `none` or `error`
        pa.field("why", pa.string(), nullable=False),  # why it was judged so: a reason, a rule or a judge; may be empty
        pa.field("response", pa.string()),  # what the model wrote, with its reasoning; null if it only ranked
        pa.field("turns", pa.list_(pa.string()), nullable=False),  # earlier responses of a strategy with several turns
        pa.field("samples", pa.list_(pa.string()), nullable=False),  # responses of which the majority counts
        pa.field("program", ITEM_PROGRAM),
        pa.field("prompt_tokens", pa.int64()),
        pa.field("response_tokens", pa.int64()),
        pa.field("cost", pa.float64()),  # in the currency of the model's prices; null without prices
    ]
)
ITEM_QUESTION = pa.struct(
    [
        pa.field("question_id", pa.string(), nullable=False),
        pa.field("side", pa.string(), nullable=False),  # `original` or `counterfactual`; empty if it is of neither
        pa.field("label", pa.string(), nullable=False),  # its heading for readers, such as `basic`; may be empty
        pa.field("text", pa.string(), nullable=False),
        pa.field("choices", pa.list_(pa.string()), nullable=False),  # texts of the options A, B, ...; empty when open
        pa.field("right", pa.string(), nullable=False),  # the right answer as shown
        pa.field("answers", pa.list_(ITEM_ANSWER), nullable=False),
    ]
)

ITEMS = Table(
    name="items",
    version=1,
    key=("position",),
    schema=schema_of(
        ("position", pa.int64()),  # from 0, in the order of the site
        ("item_id", pa.string()),  # unique in its benchmark
        ("group", pa.string()),  # the group that tables break results down by
        ("title", pa.string()),
        ("notes", pa.list_(pa.string())),  # paragraphs for readers
        ("views", pa.list_(pa.string())),  # names of the views that show it
        ("pictures", pa.list_(ITEM_PICTURE)),
        ("questions", pa.list_(ITEM_QUESTION)),
    ),
    row_group_rows=1_024,
)

ITEM_VIEWS = Table(
    name="item-views",
    version=1,
    key=("position",),
    schema=schema_of(
        ("position", pa.int64()),  # from 0, in the order of the site
        ("view", pa.string()),  # its name: lower-case words joined by hyphens, such as `figure-9`
        ("heading", pa.string()),
        ("text", pa.string()),  # explains the view
    ),
)

PRINTED = Table(
    name="printed-tables",
    version=1,
    key=("position",),
    schema=schema_of(
        ("position", pa.int64()),  # from 0, in the order of the report
        ("table", pa.string()),  # its name, that of its CSV file
        ("title", pa.string()),
        ("html", pa.string()),  # every view of the table; escaped
        ("figure", pa.string()),  # file name of the figure above it; empty if there is none
    ),
)

# What a step that publishes results makes for the site, by role.
SITE_OUTPUTS: Mapping[str, Table] = {"items": ITEMS, "views": ITEM_VIEWS, "printed": PRINTED}
