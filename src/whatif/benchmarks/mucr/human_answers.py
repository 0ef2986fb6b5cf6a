"""Imports people's answers to the questions of MuCR from CSV files (MuCR 4.1, Figure 5).

The paper reports the average of ten attempts by volunteers and says no more. Here an answer belongs to an attempt,
which is a person or one of several tries, and each attempt may cover any of the questions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.files.inputs import user_path
from whatif.engine.graph.task import Task
from whatif.engine.language.options import LETTERS
from whatif.people.imports.labels import MISSING, Finding, Place, quoted
from whatif.people.label_files import TWICE_ALIKE, TWICE_DIFFERENTLY, read_label_file

COLUMNS = ("question_id", "attempt", "answer")
_REMEDY = "give answers to the questions of this benchmark as evaluate.mucr.human_attempts in params.yaml"
Row = Mapping[str, Any]


def write_attempts(task: Task[list[str]]) -> None:
    """Writes the outputs `attempts` and `uncounted`; both are empty without files.

    Raises WhatifError as `attempts_of`, and when no answer is left.
    """
    found, refused = attempts_of([user_path(name) for name in task.settings], task.read("questions").to_pylist())
    task.outputs.write("attempts", found)
    task.outputs.write("uncounted", refused)
    task.check_losses("answers", len(found), refused, remedy=_REMEDY, needed=bool(task.settings))


def attempts_of(paths: Sequence[Path], questions: Sequence[Row]) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Rows of the table `human-attempts` from CSV files with the columns COLUMNS, and the rows that are not counted.

    An answer is the letter of an option, in upper or lower case. Rejected are rows of unknown questions, without an
    attempt or an answer, and with another letter. Of rows with the same question and attempt, in one file or several,
    one counts if they agree, and none counts if they differ. The order of files and rows does not matter.

    Raises WhatifError naming the file when it cannot be read, is not CSV, or lacks a column.
    """
    files = list(dict.fromkeys(paths))
    by_id = {row["question_id"]: row for row in questions}
    given: dict[tuple[str, str], list[tuple[Place, str]]] = defaultdict(list)
    refused: list[Finding] = []
    for path, name in sorted(zip(files, _names(files), strict=True), key=lambda one: one[1]):
        for row in read_label_file(path, COLUMNS, file="answers", kind="people's answers"):
            place = Place(name, row.line)
            question_id, attempt, answer = (row.fields[column] for column in COLUMNS)
            fault = _fault(by_id.get(question_id), question_id, attempt, answer)
            if fault is None:
                given[question_id, attempt].append((place, answer.upper()))
            else:
                refused.append(Finding(place, *fault))
    found = []
    for (question_id, attempt), answers in sorted(given.items()):
        letters = {letter for _, letter in answers}
        alike = len(letters) == 1
        places = ", ".join(str(place) for place, _ in answers)
        reason, detail = (
            (TWICE_ALIKE, f"{places} have the same answer; the first counts")
            if alike
            else (TWICE_DIFFERENTLY, f"{places} have different answers to the same question; none of them counts")
        )
        refused += [Finding(place, reason, detail) for place, _ in answers[alike:]]
        if alike:
            (letter,) = letters
            right = letter == by_id[question_id]["answer"]
            found.append({"question_id": question_id, "attempt": attempt, "answer": letter, "correct": right})
    refused.sort(key=lambda one: (one.place, one.reason, one.detail))
    return found, [one.rejection(several_files=len(files) > 1, of="answers") for one in refused]


def _fault(question: Row | None, question_id: str, attempt: str, answer: str) -> tuple[str, str] | None:
    """Why a row does not count: reason and detail; None if it does."""
    if question is None:
        return "unknown question", f"question_id {quoted(question_id)} is not among the questions that are asked"
    if not attempt or attempt.casefold() in MISSING:
        return "no attempt", "attempt is empty; give the person or the number of the attempt"
    if not answer or answer.casefold() in MISSING:
        return "no answer", f"answer to {question_id} is empty; an attempt may leave out a question"
    letters = LETTERS[: len(question["choices"])]
    if len(answer) != 1 or answer.upper() not in letters:
        return "no letter of an option", f"answer to {question_id} is {quoted(answer)}; use one of {', '.join(letters)}"
    return None


def _names(paths: Sequence[Path]) -> list[str]:
    """The names of the files in messages: without folders, unless two files have the same name."""
    bare = [path.name for path in paths]
    return [name if bare.count(name) == 1 else str(path) for name, path in zip(bare, paths, strict=True)]
