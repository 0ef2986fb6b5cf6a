"""Exports questions and images as a TSV for VLMEvalKit, and what all exports for evaluation tools share."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from whatif.engine.artifacts.images import EncodedPictures
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors, open_temporary
from whatif.engine.files.csv_writing import delimited
from whatif.engine.language.options import lettered
from whatif.engine.language.strategies import prompt, read, strategies
from whatif.formats.prediction_files import question_index

Row = Mapping[str, Any]


class ChangedByReaderError(WhatifError):
    """A format cannot carry a value: the tool that reads the file would change it."""


def write_vlmevalkit(questions: Sequence[Row], images: EncodedPictures, path: Path, *, strategy: str) -> None:
    """Writes `path`, which VLMEvalKit evaluates as a custom data set when it is in its folder LMUData.

    Columns are index, image (base64, or the index of the row that has it), question, the options A, B, ... if there
    are any, answer, category, variant and question_id. Where a question has several images, its `image` is a list, and
    `image_path` has the names that the tool gives to the files; where no question has one, there is no `image`. An open
    question is worded by `strategy`; VLMEvalKit itself prints the options of a multiple-choice question. Rows are in
    ascending order of question_id.

    Raises WhatifError when there are no questions, when only some have options or only some have images, when an image
    is in none of the image files, when the strategy asks with more than one message, and when the file cannot be
    written; ChangedByReaderError for a cell that VLMEvalKit reads as something else, such as an option `None`.
    """
    rows = exported_rows(questions, path, strategy)
    options = list(lettered(max((row["choices"] or () for row in rows), key=len)))
    if options and not all(row["choices"] for row in rows):
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
    written: list[tuple[str | None, ...]] = []  # without images
    with whole_file(path) as file:
        file.write(_line(columns))
        for row in rows:
            index, ids = indices[row["question_id"]], tuple(row["image_ids"])
            shown = first.setdefault(ids, index)
            cells = [
                _image_cell([images.encoded(one) for one in ids]) if shown == index else str(shown),
                _names(index, ids),
            ]
            choices = [*(row["choices"] or ()), *[None] * (len(options) - len(row["choices"] or ()))]
            asked = row["question"] if options else prompt(strategy, row["question"], row["answer_kind"])
            named = (row["answer"], row["group"], row["variant"], row["question_id"])
            file.write(_line((str(index), *cells[: len(pictured)], asked, *choices, *named)))
            written.append((str(index), asked, *choices, *named))
        file.flush()
        _check_read_back(path, Path(file.name), [name for name in columns if name not in pictured], written)


def _check_read_back(path: Path, file: Path, columns: Sequence[str], written: Sequence[Sequence[str | None]]) -> None:
    """Reads `file` as VLMEvalKit does. Raises ChangedByReaderError for the first cell that is not as it was written.

    The tool shows what pandas makes of a cell. It takes an empty one for an option that the question does not have
    (None in `written`), and shows `nan` for any other text.
    """
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        read = pd.read_csv(file, sep="\t", usecols=list(columns))
    for number, column in enumerate(columns):
        for cells, value in zip(written, read[column], strict=True):
            found = None if pd.isna(value) else str(value)
            if found != cells[number]:
                shown = "nothing" if found is None else f"`{found:.60}`"
                is_what = f"`{cells[number]:.60}`" if cells[number] else "empty"
                raise ChangedByReaderError(
                    f"{path}: {cells[-1]}: {column} is {is_what}, which VLMEvalKit reads as {shown}; "
                    "word it differently, or use the tasks for lmms-eval or inspect_ai, which keep it"
                )


def _image_cell(encoded: Sequence[bytes]) -> str:
    """Images in base64; a single one as it is, several as a list."""
    texts = [base64.b64encode(data).decode() for data in encoded]
    return texts[0] if len(texts) == 1 else json.dumps(texts)


def _names(index: int, ids: Sequence[str]) -> str:
    """The names of a question's image files in the tool's own folder, as `_image_cell` has the images."""
    names = [f"{index}_{number}.png" for number in range(len(ids))]
    return names[0] if len(names) == 1 else json.dumps(names)


def exported_rows(questions: Sequence[Row], path: Path, strategy: str) -> list[Row]:
    """The questions in ascending order of question_id.

    Raises WhatifError when there are none, and when a strategy asks with more than one message: a tool asks each
    question once, in one message.
    """
    if not questions:
        raise WhatifError(f"{path}: there are no questions to write; give a table with questions in --questions")
    if (why := _more_than_one_message(strategy)) is not None:
        known = ", ".join(name for name in strategies() if _more_than_one_message(name) is None)
        raise WhatifError(f"strategy {strategy}: {why}, which an export does not have; use one of {known}")
    return sorted(questions, key=lambda row: str(row["question_id"]))


def _more_than_one_message(strategy: str) -> str | None:
    """What a strategy needs besides one message with the question; None if that is all."""
    described = read(strategy)
    if described.shots or described.examples:
        return "shows examples"
    if len(described.turns) > 1:
        return "asks in several turns"
    return "has a system message" if described.system is not None else None


def _line(fields: Sequence[str | None]) -> bytes:
    # VLMEvalKit takes a cell as it is: a mark of formulas would be part of the question.
    return delimited([fields], "\t").encode()


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
