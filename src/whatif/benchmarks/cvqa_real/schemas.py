"""The tables that only C-VQA-Real has, and the names in its tables."""

from __future__ import annotations

import re

import pyarrow as pa

from whatif.engine.artifacts.schemas import NULLABLE, Table, schema_of

ORIGINAL, COUNTERFACTUAL = "original", "counterfactual"
VARIANTS = (ORIGINAL, COUNTERFACTUAL)
DIRECT, INDIRECT, BOOLEAN = "direct", "indirect", "boolean"
GROUPS = (DIRECT, INDIRECT, BOOLEAN)
NUMERICAL = "numerical"  # the group of a source question; its counterfactuals are direct or indirect
SOURCE_GROUPS = {DIRECT: NUMERICAL, INDIRECT: NUMERICAL, BOOLEAN: BOOLEAN}
PEOPLE, RULES, OPEN, SCENES = "people", "rules", "open", "scenes"
NO_MODELS = (RULES, OPEN, SCENES, PEOPLE)  # writers that are no models

WRITTEN = Table(
    name="written-questions",
    version=1,
    key=("written_id",),
    schema=schema_of(
        ("written_id", pa.string()),  # "<source_id>-<group>-<writer>"
        ("source_id", pa.string()),  # `pair_id` of the source question
        ("group", pa.string()),
        ("writer", pa.string()),  # one of `NO_MODELS`, or a key of `models`
        ("question", pa.string()),  # the counterfactual question
        ("answer", pa.string()),  # a whole number in figures, `yes` or `no`; before the filter it may be anything
        ("step1", pa.string(), NULLABLE),  # the steps of C-VQA B; null if people wrote none
        ("step2", pa.string(), NULLABLE),
        ("examples", pa.list_(pa.string())),  # ids of the seeds in the prompt, in order
        ("attempt", pa.int32(), NULLABLE),  # number of the request of a chat model, from 0
        ("request_key", pa.string(), NULLABLE),  # of the reply in the response store
        ("provenance", pa.string()),  # JSON object with sorted keys: further information from the writer
    ),
)

REPLIES = Table(
    name="written-replies",
    version=1,
    key=("batch_id", "attempt"),
    schema=schema_of(
        ("batch_id", pa.string()),  # of the questions that were asked about in one conversation
        ("attempt", pa.int32()),  # 0: the first request; 1: the request to repair its reply
        ("group", pa.string()),
        ("source_ids", pa.list_(pa.string())),  # the source questions of the request
        ("model", pa.string()),  # key in params.yaml
        ("prompt", pa.string()),  # SHA-256 of the file of the prompts
        ("examples", pa.list_(pa.string())),  # ids of the seeds that it shows
        ("response", pa.string(), NULLABLE),
        ("status", pa.string()),  # `ok`, `refused` (at least one question cannot be read) or `error` (no reply)
        ("reason", pa.string(), NULLABLE),  # why, when the status is not `ok`; and how many entries were ignored
        ("request_key", pa.string(), NULLABLE),
        ("prompt_tokens", pa.int64(), NULLABLE),
        ("response_tokens", pa.int64(), NULLABLE),
        ("finish", pa.string(), NULLABLE),
    ),
)

POLISHED = Table(
    name="polished-questions",
    version=1,
    key=("question_id",),
    schema=schema_of(
        ("question_id", pa.string()),
        ("before", pa.string()),
        ("after", pa.string()),  # the same text if the model found nothing to change
        ("polisher", pa.string()),  # a key of `models`
        ("request_key", pa.string(), NULLABLE),
    ),
)

WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
ANSWER_FORMS = {  # answer kind -> its form, in words and as a pattern; any other answer cannot be compared exactly
    "number": ("a whole number in figures", WHOLE_NUMBER),
    "boolean": ("yes or no", re.compile("yes|no")),
}
