"""The tables that only CFMM has, and the names in its tables."""

from __future__ import annotations

import pyarrow as pa

from whatif.engine.artifacts.schemas import NULLABLE, Table, schema_of
from whatif.formats import cfmm_items

BASIC, COUNTERFACTUAL = cfmm_items.WRITTEN  # by an annotator
EXPANDED = cfmm_items.EXPANDED  # by a chat model; the paper's keys (CFMM B)
COUNTERFACTUALS = (COUNTERFACTUAL, *EXPANDED)
VARIANTS = (BASIC, *COUNTERFACTUALS)

CANDIDATES = Table(
    name="candidates",
    version=1,
    key=("item_id",),
    schema=schema_of(
        ("item_id", pa.string()),  # of an image and the questions about it
        ("image_id", pa.string()),
        ("objects", pa.int32()),  # number of annotated objects
        ("object_categories", pa.list_(pa.string())),  # their categories, sorted
        ("captions", pa.list_(pa.string())),
        ("provenance", pa.string()),  # JSON object with sorted keys: further information from the source
    ),
)

EXAMPLES = Table(
    name="examples",
    version=1,
    key=("example_id",),
    schema=schema_of(
        ("example_id", pa.string()),
        ("group", pa.string()),  # the category of the questions before which it is shown
        ("question", pa.string()),
        ("choices", pa.list_(pa.string())),
        ("answer", pa.string()),  # a letter
        ("rationale", pa.string()),  # the reasons for the answer
        ("image_ids", pa.list_(pa.string())),
        ("provenance", pa.string()),
    ),
)

REPLIES = Table(
    name="replies",
    version=1,
    key=("item_id", "attempt"),
    schema=schema_of(
        ("item_id", pa.string()),
        # 0: for new questions, 1: to repair that reply; 2: for wrong options, 3: to repair that reply
        ("attempt", pa.int32()),
        ("model", pa.string()),  # key in params.yaml
        ("prompt", pa.string()),  # SHA-256 of the file of the system prompt
        ("response", pa.string(), NULLABLE),
        ("status", pa.string()),  # `ok`, `refused` (the reply is not in the format) or `error` (there is no reply)
        ("reason", pa.string(), NULLABLE),  # why, when the status is not `ok`
        ("request_key", pa.string(), NULLABLE),
        ("prompt_tokens", pa.int64(), NULLABLE),
        ("response_tokens", pa.int64(), NULLABLE),
        ("finish", pa.string(), NULLABLE),
    ),
)
