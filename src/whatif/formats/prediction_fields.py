"""A prediction made elsewhere, and the fields of a record by which its question is identified."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import well_formed
from whatif.formats.table_records import Record


@dataclass(frozen=True)
class OptionLoss:
    """The loss of one option, in nats and not negative: the mean over its tokens and, if given, the sum and the number.

    `option` is the letter or the text of the option; None in a list, where its position identifies it. `place` is the
    position in the file.
    """

    place: str
    option: str | None
    mean: float
    total: float | None = None
    tokens: int | None = None


@dataclass(frozen=True)
class Prediction:
    """A model's response to one question, or the losses of its options.

    The question is identified in one of three ways: by `question_id`, ours; by `index`, the number that
    `whatif export vlmevalkit` gives it; or, in the C-VQA authors' files, by the stem of the image's name, the
    question's text, its variant and the running number of its row. `place` is the position in the file. An empty
    `response` is valid: the model gave no text; `is_null` marks a null or a missing cell. `failure` says why `response`
    is not what the model said, without the place: the tool that asked got no response, or a spreadsheet changed it.
    `withheld` says why there is no answer although the request succeeded: the endpoint refused, or withheld the
    response or its rest. `losses` is None in a file of responses. `program` is the text of the program that gave the
    response, if the file has it; `reasoning` is what an endpoint gave beside it, and `cut_off` says that the response
    ended at the limit of tokens. `sample` is the number of the response among several to the question, from 0.
    """

    place: str
    response: str
    question_id: str | None = None
    index: int | None = None
    picture: str | None = None
    question: str | None = None
    variant: str | None = None
    row: int | None = None
    failure: str | None = None
    is_null: bool = False
    losses: tuple[OptionLoss, ...] | None = None
    program: str | None = None
    reasoning: str | None = None
    cut_off: bool = False
    withheld: str | None = None
    sample: int = 0

    @property
    def label(self) -> str:
        """The question's identifier for messages: one line of printable characters."""
        if self.question_id is not None:
            return printable(self.question_id)
        return f"index {self.index}" if self.index is not None else printable(f"{self.picture} ({self.variant})")


def question_id_of(path: Path, record: Record) -> str:
    """The field `question_id`. Raises WhatifError when it is empty."""
    question_id = as_text(path, record, "question_id").strip()
    if not question_id:
        raise WhatifError(f"{path}: {record.place}: question_id is empty; every row needs the id of its question")
    return question_id


def index_of(path: Path, record: Record) -> int:
    """The field `index`. Raises WhatifError when it is not a whole number."""
    written = as_text(path, record, "index").strip()
    index = whole_number(written)
    if index is None:
        raise WhatifError(
            f"{path}: {record.place}: index is `{printable(written)}`; it must be the whole number that "
            "`whatif export vlmevalkit` wrote"
        )
    return index


def whole_number(text: str) -> int | None:
    """A whole number of at most 18 digits; spreadsheets may write 17 as 17.0. None for any other text."""
    whole = re.fullmatch(r"([0-9]{1,18})(?:\.0*)?", text)
    return int(whole[1]) if whole else None


def as_text(path: Path, record: Record, column: str) -> str:
    """A field as text. A missing or null field is empty, because spreadsheets leave out empty cells.

    Raises WhatifError for a value that is neither a text nor a number, and for a cell that a spreadsheet changed.
    """
    value = record.fields.get(column, "")
    if value is None:
        return ""
    if isinstance(value, bool | dict | list):
        raise WhatifError(f"{path}: {record.place}: {column} is {value!r:.40}; it must be text")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # spreadsheets store 17 as 17.0
    # pandas writes NaN into JSON for an empty value.
    return "" if isinstance(value, float) and math.isnan(value) else well_formed(str(value))


def found_columns(columns: Sequence[str]) -> str:
    """The columns of a file or a row, as the end of a message."""
    return f"found: {listed(columns)}"


def listed(columns: Sequence[str]) -> str:
    """The names of columns for a message."""
    return ", ".join(f"`{printable(column)}`" for column in columns) or "none"


def printable(text: str) -> str:
    """The first 100 characters of an external text for a message, without line breaks and control characters."""
    return "".join(character if character.isprintable() else "?" for character in text[:100])
