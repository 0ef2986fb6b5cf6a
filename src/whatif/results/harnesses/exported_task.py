"""Writes a questions table and its images as a task of lmms-eval, which scores as the tasks of published sets do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.images import EncodedPictures
from whatif.engine.language.options import printed_question
from whatif.engine.language.strategies import prompt, read
from whatif.formats.evaluation_tools import exported_rows, whole_file
from whatif.formats.hugging_face_folder import PICTURE, PICTURES, TEXT, TEXTS, Columns, picture, schema_of
from whatif.results.harnesses.lmms_eval_task import write_lmms_eval_task
from whatif.results.harnesses.tasks import task_name

Row = Mapping[str, Any]
_TABLE = "test.parquet"
_TEXTS = ("question_id", "pair_id", "group", "variant", "question", "answer", "answer_kind")
_ROWS_AT_ONCE = 64  # limits the images in memory


def write_exported_task(
    questions: Sequence[Row], images: EncodedPictures, folder: Path, *, name: str, strategy: str
) -> Path:
    """Writes a folder that lmms-eval runs with `--include_path FOLDER --tasks whatif_NAME`; returns its YAML file.

    The folder may be moved: lmms-eval looks for `test.parquet` beside the YAML file. That table holds the questions and
    their images in the layout of the datasets library. A question, with its options if it has any, is worded by
    `strategy`. Rows are in ascending order of question_id. Prompt and scores are those of
    `whatif.results.harnesses.scores`.

    Raises WhatifError when there are no questions, when an image is in none of the image files, when the strategy needs
    more than one message, and when the folder cannot be written.
    """
    rows = exported_rows(questions, folder, strategy)
    task = task_name(name)
    _write_table(rows, images, folder / _TABLE, strategy)
    return write_lmms_eval_task(task, rows, [_TABLE], folder)


def _write_table(rows: Sequence[Row], images: EncodedPictures, path: Path, strategy: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    single = all(len(row["image_ids"]) == 1 for row in rows)
    mark = read(strategy).answer_after
    # lmms-eval logs every field of a question except those with `image` in their names.
    columns: Columns = {
        **dict.fromkeys((*_TEXTS, "prompt", *(["answer_after"] if mark else [])), TEXT),
        "choices": TEXTS,
        **({"image": PICTURE} if single else {"images": PICTURES}),
    }

    def records() -> Iterator[dict[str, Any]]:
        for row in rows:
            shown = [picture(images.encoded(one)) for one in row["image_ids"]]
            asked = printed_question(row["question"], row["choices"] or None)
            yield {
                **{name: row[name] for name in (*_TEXTS, "choices")},
                "prompt": prompt(strategy, asked, row["answer_kind"]),
                "answer_after": mark,
                **({"image": shown[0]} if single else {"images": shown}),
            }

    schema, made = schema_of(columns), records()
    with whole_file(path) as file, pq.ParquetWriter(file, schema) as writer:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            piece = [next(made) for _ in range(min(_ROWS_AT_ONCE, len(rows) - start))]
            writer.write_table(pa.Table.from_pylist(piece, schema))
