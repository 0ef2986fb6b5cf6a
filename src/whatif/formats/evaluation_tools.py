"""Exports questions and images for evaluation tools: a TSV for VLMEvalKit, a task folder for lmms-eval."""

from __future__ import annotations

import base64
import contextlib
import csv
import io
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO

from whatif.artifacts.images import EncodedPictures
from whatif.artifacts.variants import variant_order
from whatif.errors import WhatifError
from whatif.files.atomic import disk_errors, open_temporary, write_whole
from whatif.formats.prediction_files import question_index
from whatif.language.options import LETTERS, printed_question
from whatif.language.strategies import prompt, read, strategies

Row = Mapping[str, Any]
_ROWS_AT_ONCE = 64  # limits the images in memory


def write_vlmevalkit(questions: Sequence[Row], images: EncodedPictures, path: Path, *, strategy: str) -> None:
    """Writes `path`, which VLMEvalKit evaluates as a custom data set when it is in its folder LMUData.

    Columns are index, image (base64, or the index of the twin that has it), question, the options A, B, ... if there
    are any, answer, category, variant and question_id. Where a question has several images, its `image` is a list, and
    `image_path` has the names that the tool gives to the files; where no question has one, there is no `image`. An open
    question is worded by `strategy`; VLMEvalKit itself prints the options of a multiple-choice question. Rows are in
    ascending order of question_id.

    Raises WhatifError when there are no questions, when only some have options or only some have images, when an image
    is in none of the image files, when the strategy shows examples of a benchmark's own, and when the file cannot be
    written.
    """
    rows = _rows(questions, path, strategy)
    options = LETTERS[: max(len(row["choices"] or ()) for row in rows)]
    if options and any(row["choices"] is None for row in rows):
        raise WhatifError(f"{path}: only some questions have options; a TSV for VLMEvalKit holds one kind of question")
    numbers = {len(row["image_ids"]) for row in rows}
    if 0 in numbers and len(numbers) > 1:
        (first_without, *_) = (row["question_id"] for row in rows if not row["image_ids"])
        raise WhatifError(
            f"{path}: question {first_without}: has 0 images; write questions in text alone to another TSV"
        )
    indices = {row["question_id"]: question_index(row["question_id"]) for row in rows}
    if len(set(indices.values())) < len(rows):
        raise WhatifError(f"{path}: two questions get the same index; change the id of one of them")
    pictured = [] if numbers == {0} else ["image"] if numbers == {1} else ["image", "image_path"]
    columns = ("index", *pictured, "question", *options, "answer", "category", "variant", "question_id")
    first: dict[tuple[str, ...], int] = {}
    with whole_file(path) as file:
        file.write(_line(columns))
        for row in rows:
            index, ids = indices[row["question_id"]], tuple(row["image_ids"])
            shown = first.setdefault(ids, index)
            cells = [
                _image_cell([images.encoded(one) for one in ids]) if shown == index else str(shown),
                _names(index, ids),
            ]
            choices = list(row["choices"] or ())
            choices += [""] * (len(options) - len(choices))
            asked = row["question"] if options else prompt(strategy, row["question"], row["answer_kind"])
            named = (row["answer"], row["group"], row["variant"], row["question_id"])
            file.write(_line((str(index), *cells[: len(pictured)], asked, *choices, *named)))


def _image_cell(encoded: Sequence[bytes]) -> str:
    """Images in base64; a single one as it is, several as a list."""
    texts = [base64.b64encode(data).decode() for data in encoded]
    return texts[0] if len(texts) == 1 else json.dumps(texts)


def _names(index: int, ids: Sequence[str]) -> str:
    """The names of a question's image files in the tool's own folder, as `_image_cell` has the images."""
    names = [f"{index}_{number}.png" for number in range(len(ids))]
    return names[0] if len(names) == 1 else json.dumps(names)


def write_lmms_eval(
    questions: Sequence[Row], images: EncodedPictures, folder: Path, *, name: str, strategy: str
) -> Path:
    """Writes a folder that lmms-eval runs with `--include_path FOLDER --tasks whatif_NAME`; returns its YAML file.

    The folder may be moved: lmms-eval looks for `test.parquet` beside the YAML file. That table holds the questions and
    their images in the layout of the datasets library; `utils.py` has the functions that lmms-eval calls. A question,
    with its options if it has any, is worded by `strategy`. Rows are in ascending order of question_id.

    Raises WhatifError when there are no questions, when a question does not have exactly one image or its image is in
    none of the image files, when the strategy shows examples of a benchmark's own, and when the folder cannot be
    written.
    """
    rows = _rows(questions, folder, strategy)
    for row in rows:
        if len(row["image_ids"]) != 1:
            raise WhatifError(
                f"{folder}: question {row['question_id']}: has {len(row['image_ids'])} images; it needs exactly one"
            )
    task = "_".join(["whatif", *re.findall(r"[a-z0-9]+", name.lower())])
    _write_parquet(rows, images, folder / "test.parquet", strategy)
    program = resources.files("whatif.formats") / "lmms_eval_task.py"
    write_whole(folder / "utils.py", program.read_bytes())
    file = folder / f"{task}.yaml"
    variants = sorted({row["variant"] for row in rows}, key=variant_order)
    write_whole(file, _task_yaml(task, variants).encode())
    return file


def _rows(questions: Sequence[Row], path: Path, strategy: str) -> list[Row]:
    if not questions:
        raise WhatifError(f"{path}: there are no questions to write; give a table with questions in --questions")
    if read(strategy).shots:
        known = ", ".join(strategies(shots=False))
        raise WhatifError(f"strategy {strategy}: shows examples, which an export does not have; use one of {known}")
    return sorted(questions, key=lambda row: str(row["question_id"]))


def _line(fields: Sequence[str]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter="\t", lineterminator="\n").writerow(fields)
    return text.getvalue().encode()


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that is written piece by piece and moved to `path` when it is complete; otherwise `path` is unchanged."""
    with disk_errors(path):
        file, temporary = open_temporary(path)
        with file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise


def _write_parquet(rows: Sequence[Row], images: EncodedPictures, path: Path, strategy: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = ("question_id", "pair_id", "group", "variant", "question", "answer", "answer_kind")
    features: dict[str, Any] = {name: {"_type": "Value", "dtype": "string"} for name in (*texts, "prompt")}
    # lmms-eval logs every field of a question except those with `image` in their names.
    features["image"] = {"_type": "Image"}
    picture = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])
    schema = pa.schema(
        [*((name, pa.string()) for name in (*texts, "prompt")), ("image", picture)],
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )
    with whole_file(path) as file, pq.ParquetWriter(file, schema) as writer:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            writer.write_table(
                pa.Table.from_pylist(
                    [
                        {
                            **{name: row[name] for name in texts},
                            "prompt": _asked(row, strategy),
                            "image": {"bytes": images.encoded(row["image_ids"][0]), "path": None},
                        }
                        for row in rows[start : start + _ROWS_AT_ONCE]
                    ],
                    schema,
                )
            )


def _asked(row: Row, strategy: str) -> str:
    return prompt(strategy, printed_question(row["question"], row["choices"] or None), row["answer_kind"])


def _task_yaml(task: str, variants: Sequence[str]) -> str:
    """The task's configuration; it is written as text because `!function` is the tool's own YAML tag."""
    metrics = "".join(
        f"  - metric: accuracy_{variant}\n    aggregation: !function utils.accuracy\n    higher_is_better: true\n"
        for variant in variants
    )
    return f"""\
task: {json.dumps(task)}
dataset_path: parquet
dataset_kwargs:
  # Looked up beside this file (lmms-eval 0.7.3); versions that look in the working directory must run in it.
  data_files:
    test: test.parquet
test_split: test
output_type: generate_until
doc_to_text: !function utils.doc_to_text
doc_to_visual: !function utils.doc_to_visual
doc_to_target: !function utils.doc_to_target
process_results: !function utils.process_results
generation_kwargs:
  max_new_tokens: 64
  temperature: 0
  do_sample: false
metric_list:
{metrics}lmms_eval_specific_kwargs:
  default:
    pre_prompt: ""
    post_prompt: ""
metadata:
  - version: 1.0
"""
