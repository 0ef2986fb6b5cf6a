"""Counts the cases by kind of input: `python -m tests.bad_inputs.count`. docs/reliability.md has their number."""

from __future__ import annotations

import importlib
import math
from typing import Any

# Kind of input -> the modules with its cases.
KINDS = {
    "`params.yaml` and other YAML": ("tests.bad_inputs.test_settings",),
    "commands, arguments, environment, paths": ("tests.bad_inputs.test_commands",),
    "prediction files (CSV, TSV, JSON, JSONL, xlsx)": ("tests.bad_inputs.test_predictions",),
    "released C-VQA files": ("tests.bad_inputs.test_released_questions",),
    "annotations (MS-COCO, VQAv2, gender)": ("tests.bad_inputs.test_annotations",),
    "caption sets and labels": ("tests.bad_inputs.test_captions_and_labels",),
    "pictures, in folders and artifacts": ("tests.bad_inputs.test_pictures",),
    "released pairs (folders, zips)": ("tests.bad_inputs.test_released_pairs",),
    "benchmarks that are audited": ("tests.bad_inputs.test_audited_benchmarks", "tests.bad_inputs.test_audited_text"),
    "checkpoints with code": ("tests.bad_inputs.test_checkpoint_code",),
    "checkpoints with broken files": (
        "tests.bad_inputs.test_checkpoint_files",
        "tests.bad_inputs.test_gguf_files",
        "tests.bad_inputs.test_lora_files",
    ),
    "artifacts, stored answers and imports": ("tests.bad_inputs.test_stored_files",),
    "replies of endpoints": (
        "tests.models.endpoint.test_api_faults",
        "tests.models.endpoint.test_api_replies",
        "tests.models.endpoint.test_json_replies",
        "tests.models.endpoint.test_log_probabilities",
    ),
}


def counts() -> dict[str, int]:
    return {kind: sum(map(_cases_of, modules)) for kind, modules in KINDS.items()}


def table() -> str:
    found = counts()
    rows = [("input", "cases"), ("---", "---:"), *found.items(), ("**all**", f"**{sum(found.values()):,}**")]
    return "".join(f"| {kind} | {number} |\n" for kind, number in rows)


def _cases_of(module: str) -> int:
    found = vars(importlib.import_module(module))
    return sum(_cases(value) for name, value in found.items() if name.startswith("test_") and callable(value))


def _cases(test: Any) -> int:
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    return math.prod(len(list(mark.args[1])) for mark in marks)


if __name__ == "__main__":
    print(table(), end="")
