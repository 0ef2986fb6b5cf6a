"""Programs that were written elsewhere, in a file of the form of the C-VQA authors' files."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import read_bytes, user_path
from whatif.engine.language.messages import one_turn
from whatif.engine.params.programs import FileWriter
from whatif.formats.prediction_fields import found_columns
from whatif.formats.prediction_files import read_predictions
from whatif.formats.table_records import read_records
from whatif.models import Model, Question
from whatif.models.programs import code_in_reply
from whatif.models.programs.code_in_reply import Found
from whatif.models.programs.interfaces import Written
from whatif.models.replay import Replayed

_NEEDED = ("img_path", "query", "new query")


class ProgramsOfFile:
    """Finds the program of each question in a file; rows are matched to questions as those of responses are.

    Raises WhatifError when the file cannot be read, lacks a column, or has different programs for one question.
    """

    def __init__(self, settings: FileWriter, find: Callable[[str], Found]) -> None:
        self._path = user_path(settings.programs)
        _check_columns(self._path, settings.columns)
        columns = list(settings.columns)
        self._rows = Replayed(self._path, read_predictions(self._path, columns), "programs")
        self._find = find
        self._digest = hashlib.sha256(read_bytes(self._path)).hexdigest()
        self._columns = columns

    @property
    def identity(self) -> Mapping[str, Any]:
        """The content of the file, the columns, and how a program is found in a field."""
        return {
            "writer": "file",
            "file": self._digest,
            "columns": self._columns,
            "reading": code_in_reply.VERSION,
        }

    def look_up(self, questions: Sequence[Question]) -> str | None:
        """See `whatif.models.Recorded`."""
        return self._rows.look_up(questions)

    def write(self, questions: Sequence[Question]) -> Iterator[Written]:
        """See `ProgramWriter`. A question without a row is an error."""
        asked = [dataclasses.replace(one, messages=one_turn(one.text), options=()) for one in questions]
        for answer in self._rows.answer(asked):
            if answer.status == "error":
                yield Written(None, answer.reason, failed=True)
            elif not (answer.response or "").strip():
                yield Written(None, f"{self._path}: has no program for the question")
            else:
                found = self._find(answer.response or "")
                yield Written(found.code, found.reason, response=answer.response)

    def store_parts(self, keep: Callable[[Model], Model]) -> None:
        """A file has no model."""


def _check_columns(path: Path, wanted: Sequence[str]) -> None:
    columns, _ = read_records(path, things="programs", row="question")
    for column in (*_NEEDED, *wanted):
        if column not in columns:
            hint = "; name those of the programs as `columns: [original, counterfactual]`" if column in wanted else ""
            raise WhatifError(f"{path}: column `{column}` is missing{hint}; {found_columns(columns)}")
