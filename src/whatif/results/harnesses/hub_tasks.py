"""Registers a data set as a benchmark of the Hugging Face hub: `eval.yaml`, and the table that it names.

The hub runs such a benchmark with inspect_ai, from the YAML file alone (`inspect eval hf/OWNER/REPOSITORY`). The file
can only name scorers of inspect_ai itself, one text column and one image, which must be a data URI. So the table
repeats the questions with one image or none, a split for each variant, and scores are those of an answer in a fixed
form (`ANSWER: B`). The task in `tasks/inspect_ai` extracts answers as whatif does.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from whatif.engine.artifacts.images import EncodedPictures, format_of
from whatif.engine.artifacts.variants import variant_order
from whatif.engine.files.atomic import write_whole
from whatif.formats.evaluation_tools import whole_file

CONFIGURATION, REGISTRATION = "eval", "eval.yaml"
_SUFFIX = "-00000-of-00001.parquet"
_TEXTS = ("question_id", "pair_id", "group", "variant", "question", "answer", "answer_kind")
_ROWS_AT_ONCE = 64
_FORM = (
    "{prompt}\n\n"
    "End your response with a line of the form 'ANSWER: $ANSWER' (without quotes), where $ANSWER is the answer alone: "
    "a number in digits, yes or no, or a word or two."
)
Row = Mapping[str, Any]


def write_eval(name: str, questions: Sequence[Row], images: EncodedPictures, folder: Path) -> list[str]:
    """Writes `eval.yaml` and the table `eval` into a data set folder; returns lines about them.

    Left out are questions with several images, answers that the hub's scorer never finds, and sets in which only some
    questions have options: the hub's format has one solver and one scorer for a split. Raises WhatifError when a file
    cannot be written.
    """
    single = [row for row in questions if len(row["image_ids"]) <= 1]
    rows = [row for row in single if _is_found(row["answer"])]
    lines = [
        f"{name}: {number:,} questions {why} are not in {REGISTRATION}"
        for number, why in (
            (len(questions) - len(single), "with several images"),
            (len(single) - len(rows), "whose answer is empty, in several lines, or between spaces"),
        )
        if number
    ]
    if not rows or len({row["choices"] is None for row in rows}) > 1:
        return [*lines, f"{name}: no {REGISTRATION}: the hub's format has one image and one kind of question"]
    splits: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: variant_order(row["variant"])):
        splits.setdefault("_".join(re.findall(r"\w+", row["variant"].lower())), []).append(row)
    for split, of_split in splits.items():
        _write_split(of_split, images, folder / CONFIGURATION / f"{split}{_SUFFIX}")
    write_whole(folder / REGISTRATION, eval_yaml(name, splits).encode())
    return [*lines, f"{folder / REGISTRATION}: tasks {', '.join(splits)}: {len(rows):,} questions"]


def eval_splits(folder: Path) -> dict[str, str]:
    """The splits of the configuration `eval` for the header of a data card: name -> files, relative to the folder."""
    found = (folder / CONFIGURATION).glob(f"*{_SUFFIX}")
    splits = sorted((path.name.removesuffix(_SUFFIX) for path in found), key=variant_order)
    return {split: f"{CONFIGURATION}/{split}-*.parquet" for split in splits}


def eval_yaml(name: str, splits: Mapping[str, Sequence[Row]]) -> str:
    """The contents of `eval.yaml`, with a task for each split (split -> its questions), as inspect_ai reads it."""
    tasks = [
        {
            "id": split,
            "config": CONFIGURATION,
            "split": split,
            "field_spec": {
                "input": "question",
                "input_image": "image",
                "target": "answer",
                **({} if rows[0]["choices"] is None else {"choices": "choices"}),
                "metadata": ["question_id", "pair_id", "group", "variant"],
            },
            **_solved(rows),
        }
        for split, rows in splits.items()
    ]
    header = {
        "name": f"whatif {name}",
        "description": f"The questions of whatif {name}, with a split for each of their variants.",
        "evaluation_framework": "inspect-ai",
    }
    return yaml.safe_dump({**header, "tasks": tasks}, sort_keys=False, allow_unicode=True, width=110)


def _is_found(answer: str) -> bool:
    """Whether the tool's scorer `answer` can find this text in a response: it takes the rest of a line after spaces."""
    return answer != "" and answer == answer.strip() and "\n" not in answer


def _solved(rows: Sequence[Row]) -> dict[str, Any]:
    """The solvers and scorers of a split."""
    if rows[0]["choices"] is not None:
        return {"solvers": [{"name": "multiple_choice"}], "scorers": [{"name": "choice"}]}
    words = all(re.fullmatch(r"\w+", row["answer"]) for row in rows)
    return {
        "solvers": [{"name": "prompt_template", "args": {"template": _FORM}}, {"name": "generate"}],
        "scorers": [{"name": "answer", "args": {"pattern": "word" if words else "line"}}],
    }


def _write_split(rows: Sequence[Row], images: EncodedPictures, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = {"_type": "Value", "dtype": "string"}
    features = {**dict.fromkeys((*_TEXTS, "image"), text), "choices": {"_type": "List", "feature": text}}
    schema = pa.schema(
        [*((name, pa.string()) for name in (*_TEXTS, "image")), ("choices", pa.list_(pa.string()))],
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )
    with whole_file(path) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            piece = [
                {
                    **{name: row[name] for name in _TEXTS},
                    "choices": row["choices"],
                    "image": _data_uri(images.encoded(row["image_ids"][0])) if row["image_ids"] else "",
                }
                for row in rows[start : start + _ROWS_AT_ONCE]
            ]
            writer.write_table(pa.Table.from_pylist(piece, schema))


def _data_uri(data: bytes) -> str:
    return f"data:image/{format_of(data) or 'png'};base64,{base64.b64encode(data).decode()}"
