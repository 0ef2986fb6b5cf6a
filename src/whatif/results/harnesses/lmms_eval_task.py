"""Writes a task of lmms-eval for a table of questions: its configuration, and the functions that the tool calls."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from whatif.engine.files.atomic import write_whole
from whatif.results.harnesses import scores

Row = Mapping[str, Any]
_FROM_HUB = "# From the hub: `dataset_path: OWNER/REPOSITORY`, `dataset_name: questions`, and no `dataset_kwargs`.\n"


def write_lmms_eval_task(
    task: str, questions: Collection[Row], files: Sequence[str], folder: Path, *, on_hub: bool = False
) -> Path:
    """Writes `utils.py` and the task's YAML file into `folder`; returns the latter.

    files: the Parquet files with these questions, relative to `folder`. on_hub: whether they are those of a data set of
    the hub. Raises WhatifError when a file cannot be written.
    """
    write_whole(folder / "utils.py", (resources.files("whatif.results.harnesses") / "lmms_eval_utils.py").read_bytes())
    file = folder / f"{task}.yaml"
    write_whole(file, _yaml(task, questions, files, _FROM_HUB if on_hub else "").encode())
    return file


def _yaml(task: str, questions: Collection[Row], files: Sequence[str], remark: str) -> str:
    """The task's configuration; it is written as text because `!function` is the tool's own YAML tag."""
    listed = "".join(f"      - {json.dumps(file)}\n" for file in files)
    kind = "pairs" if scores.is_paired(questions) else "groups"
    metrics = "".join(
        f"  - metric: {name}\n    aggregation: !function utils.{_aggregation(name)}\n    higher_is_better: true\n"
        for name in scores.measures(questions)
    )
    return f"""\
# Run it with `lmms-eval --include_path FOLDER_OF_THIS_FILE --tasks {task}`, after `pip install whatif-bench`.
task: {json.dumps(task)}
{remark}dataset_path: parquet
dataset_kwargs:
  data_files:
    # Looked up beside this file (lmms-eval 0.7.3).
    test:
{listed}test_split: test
process_docs: !function utils.process_docs
output_type: generate_until
doc_to_text: !function utils.doc_to_text
doc_to_visual: !function utils.doc_to_visual
doc_to_target: !function utils.doc_to_target
process_results: !function utils.process_results_of_{kind}
generation_kwargs:
  max_new_tokens: 1024
  temperature: 0
  do_sample: false
  until: []  # by default, the tool ends a response at its first empty line
reasoning_tags: none  # whatif's extraction sets thoughts aside itself
cluster_key: pair_id  # the questions of a pair are not independent
metric_list:
{metrics}lmms_eval_specific_kwargs:
  default:
    pre_prompt: ""
    post_prompt: ""
metadata:
  - version: 1.0
"""


def _aggregation(measure: str) -> str:
    return "pair_accuracy" if measure == scores.PAIR_ACCURACY else "accuracy"
