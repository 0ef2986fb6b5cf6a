"""Reads and writes the released question files of C-VQA-Synthetic and C-VQA-Real (CSV).

A row of the CSV holds one original question and its counterfactual twin on the same image. It becomes two rows of the
table `questions`. Fields are text and are never evaluated. A file that is read and written again is the same byte for
byte, provided that it has no byte order mark and that its lines end with LF, as in the released files.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.artifacts.reader import canonical_json
from whatif.errors import WhatifError
from whatif.files.atomic import write_whole
from whatif.files.inputs import LONGEST_LINE, read_bytes
from whatif.language.options import OPTIONS_FOLLOW, printed_question

COLUMNS = ("img_path", "query", "answer", "new query", "new answer", "type")
VARIANTS = {"original": ("query", "answer"), "counterfactual": ("new query", "new answer")}
SYNTHETIC_GROUPS = {
    "abs_counting_1": "flower-recolour",
    "abs_counting_2": "flower-removal",
    "abs_counting_3": "flower-removal-other",
    "abs_counting_4": "dot-removal",
    "abs_counting_5": "dot-columns",
    "abs_counting_6": "dot-maximum",
}
REAL_ANSWER_KINDS = {"direct": "number", "indirect": "number", "boolean": "boolean"}

_GROUPS = {**SYNTHETIC_GROUPS, **{group: group for group in REAL_ANSWER_KINDS}}
_TYPES = {group: kind for kind, group in _GROUPS.items()}
_LETTERS = "ABCD"
_OPTIONS_FORM = f"<question>{OPTIONS_FOLLOW}A:16  B:17  C:12  D:13"
_NUMBER = r"0|[1-9][0-9]{0,8}"
_OPTIONS = re.compile("  ".join(f"{letter}:({_NUMBER})" for letter in _LETTERS))
_NEEDS_QUOTES = re.compile(r'[,"\r\n]')
_OPEN_ANSWERS = {
    "number": (re.compile(_NUMBER), "a whole number in figures"),
    "boolean": (re.compile("yes|no"), "`yes` or `no`"),
}


def read_released(path: Path) -> list[dict[str, Any]]:
    """Rows of the table `questions`: two for each row of the CSV, in file order, the original question first.

    `pair_id` is the stem of the image's file name for C-VQA-Synthetic. C-VQA-Real asks up to two questions about an
    image, so the running number of the row is appended there (`COCO_val2014_000000402685-0001`).
    `provenance` has `img_path`, `type` and `row` (the running number), and `as_written` where the file quotes a
    field that needs no quotes. `image_ids` is empty: the CSV identifies images by name, not by content.

    Raises WhatifError with file, line (the header is line 1) and field when the file is missing, empty, not UTF-8 or
    not CSV; when a column is missing or a field is empty; and for an unknown type, a malformed option list, a
    repeated option, an answer that is not among the options or not of its group's kind, and a duplicate puzzle
    (C-VQA 3.3, 3.4).
    """
    records = _records(path, _text_of(path))
    _, _, header = next(records, (1, "", []))
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise WhatifError(f"{path}: line 1: column `{missing[0]}` is missing; the columns are {','.join(COLUMNS)}")
    if tuple(header) != COLUMNS:
        raise WhatifError(f"{path}: line 1: columns are {','.join(header)}, not {','.join(COLUMNS)} in this order")
    questions: list[dict[str, Any]] = []
    first_lines: dict[str, int] = {}
    for number, (line, written, fields) in enumerate(records, 1):
        twins = _twins(fields, number, written, f"{path}: line {line}")
        earlier = first_lines.setdefault(twins[0]["pair_id"], line)
        if earlier != line:
            raise WhatifError(
                f"{path}: line {line}: img_path `{fields[0]}` is already used in line {earlier}; "
                "every puzzle has its own image"
            )
        questions.extend(twins)
    if not questions:
        raise WhatifError(f"{path}: no questions below the header; a row has {','.join(COLUMNS)}")
    return questions


def write_released(questions: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Writes rows of the table `questions`, in any order, as a CSV in the released form (UTF-8, LF, no byte order
    mark).

    Rows that were read from a released file keep that file's order. Other rows are ordered by `pair_id`, and their
    image is named `<pair_id>.png`. The file is renamed into place when it is complete: after an error no partial
    file is left, and a previous file is unchanged.

    Raises WhatifError naming the pair when a twin is missing or duplicated, or when a row would be read back
    differently (`read_released` lists the requirements), and when the file cannot be written.
    """
    waiting: dict[str, dict[str, Mapping[str, Any]]] = {}
    lines: dict[str, tuple[int, str]] = {}  # pair_id -> position in the file, line; whole rows would take more memory
    for question in questions:
        pair_id, variant = question["pair_id"], question["variant"]
        where = f"{path}: pair {pair_id}"
        twins = waiting.setdefault(pair_id, {})
        if variant not in VARIANTS:
            raise WhatifError(f"{where}: variant is `{variant}`; it is one of {', '.join(VARIANTS)}")
        if variant in twins or pair_id in lines:
            raise WhatifError(f"{where}: duplicate {variant} question; a pair has one of each variant")
        twins[variant] = question
        if len(twins) == len(VARIANTS):
            lines[pair_id] = _line(waiting.pop(pair_id), where)
    for pair_id, twins in waiting.items():
        lost = next(variant for variant in VARIANTS if variant not in twins)
        raise WhatifError(f"{path}: pair {pair_id}: has no {lost} question; a row of C-VQA holds both twins")
    ordered = sorted(lines, key=lambda pair_id: (lines[pair_id][0], pair_id))
    text = "".join(f"{line}\n" for line in (_rendered(COLUMNS), *(lines[pair_id][1] for pair_id in ordered)))
    write_whole(path, text.encode())


def _text_of(path: Path) -> str:
    try:
        data = read_bytes(path, longest_line=LONGEST_LINE)
    except FileNotFoundError:
        raise WhatifError(f"{path}: no such file; give the path of a C-VQA questions CSV") from None
    except OSError as error:
        raise WhatifError(
            f"{path}: cannot be read ({error.strerror}); give the path of a C-VQA questions CSV"
        ) from error
    if not data.strip():
        raise WhatifError(f"{path}: is empty; its first line is {','.join(COLUMNS)}")
    try:
        return data.decode("utf-8-sig")  # spreadsheets put a byte order mark before the first column's name
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WhatifError(
            f"{path}: line {line}: byte {data[error.start]:#04x} is not UTF-8; save the file as UTF-8"
        ) from error


def _records(path: Path, text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Each record with the number of its first line and its raw text."""
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            taken.append(line)
            yield line

    reader = csv.reader(lines(), strict=True)
    first_line = 1
    try:
        for fields in reader:
            yield first_line, "".join(taken).rstrip("\r\n"), fields
            taken.clear()
            first_line = reader.line_num + 1
    except csv.Error as error:
        raise WhatifError(
            f"{path}: line {first_line}: is not CSV ({error}); close the quotes, double those inside a field"
        ) from error


def _twins(fields: Sequence[str], number: int, written: str, where: str) -> list[dict[str, Any]]:
    """The original question and its counterfactual twin from one record."""
    if len(fields) != len(COLUMNS):
        raise WhatifError(f"{where}: has {len(fields)} fields; it needs {len(COLUMNS)}: {','.join(COLUMNS)}")
    record = dict(zip(COLUMNS, fields, strict=True))
    for column, text in record.items():
        if not text.strip():
            raise WhatifError(f"{where}: {column} is empty; C-VQA has no empty fields")
    if record["type"] not in _GROUPS:
        raise WhatifError(f"{where}: type `{record['type']}` is unknown; it is one of {', '.join(_GROUPS)}")
    stem = PurePosixPath(record["img_path"]).stem
    pair_id = stem if record["type"] in SYNTHETIC_GROUPS else f"{stem}-{number:04d}"
    provenance: dict[str, Any] = {"img_path": record["img_path"], "type": record["type"], "row": number}
    if written != _rendered(fields):
        provenance["as_written"] = written
    return [
        {
            "question_id": f"{pair_id}-{variant}",
            "pair_id": pair_id,
            "group": _GROUPS[record["type"]],
            "variant": variant,
            **_asked(record, *columns, where),
            "image_ids": [],
            "provenance": canonical_json(provenance),
        }
        for variant, columns in VARIANTS.items()
    ]


def _asked(record: Mapping[str, str], query: str, answer: str, where: str) -> dict[str, Any]:
    """Question, options, answer and answer kind, checked for consistency."""
    if record["type"] in REAL_ANSWER_KINDS:
        kind = REAL_ANSWER_KINDS[record["type"]]
        form, name = _OPEN_ANSWERS[kind]
        if not form.fullmatch(record[answer]):
            raise WhatifError(f"{where}: {answer} is `{record[answer]}`; a {record['type']} question needs {name}")
        return {"question": record[query], "choices": None, "answer": record[answer], "answer_kind": kind}
    question, _, options = record[query].rpartition(OPTIONS_FOLLOW)
    found = _OPTIONS.fullmatch(options)
    if not question.strip() or found is None:
        raise WhatifError(
            f"{where}: {query} has no readable option list; the form is "
            f"`{_OPTIONS_FORM}`, whole numbers with two spaces between the options"
        )
    choices = list(found.groups())
    if len(set(choices)) < len(choices):
        raise WhatifError(f"{where}: {query} gives an option twice ({', '.join(choices)}); all four must differ")
    if record[answer] not in tuple(_LETTERS):
        raise WhatifError(f"{where}: {answer} is `{record[answer]}`; it is the letter of an option: A, B, C or D")
    return {"question": question, "choices": choices, "answer": record[answer], "answer_kind": "choice"}


def _line(twins: Mapping[str, Mapping[str, Any]], where: str) -> tuple[int, str]:
    """The position in the file and the text of the record that holds both twins."""
    original = twins["original"]
    provenance = json.loads(original["provenance"])
    number = provenance.get("row", 0) if "img_path" in provenance else 0  # elsewhere `row` may mean something else
    record: dict[str, str] = {"img_path": picture_name(original)}
    for variant, (query, answer) in VARIANTS.items():
        twin = twins[variant]
        record[query] = printed_question(twin["question"], twin["choices"])
        record[answer] = twin["answer"]
        if twin["group"] not in _TYPES:
            raise WhatifError(f"{where}: group `{twin['group']}` is not one of {', '.join(_TYPES)}")
    if original["group"] != twins["counterfactual"]["group"]:
        raise WhatifError(
            f"{where}: the twins have different groups, {original['group']} and {twins['counterfactual']['group']}"
        )
    record["type"] = _TYPES[original["group"]]
    fields = [record[column] for column in COLUMNS]
    _check_reading_back(twins, _twins(fields, number, "", where), where)
    written = provenance.get("as_written")
    # The raw text of a row is kept only if the row was not corrected after reading.
    same = written is not None and next(csv.reader([written]), None) == fields
    return number, written if same else _rendered(fields)


def picture_name(question: Mapping[str, Any]) -> str:
    """The file name of a question's image in the released form: as read from the file, or made from its pair's id."""
    name: str = json.loads(question["provenance"]).get("img_path", f"{question['pair_id']}.png")
    return name


def _check_reading_back(twins: Mapping[str, Mapping[str, Any]], read: Iterable[Mapping[str, Any]], where: str) -> None:
    for after in read:
        before = twins[after["variant"]]
        for column in ("question", "choices", "answer", "answer_kind"):
            if before[column] != after[column]:
                raise WhatifError(
                    f"{where}: {column} of the {after['variant']} question is {before[column]!r}, which a C-VQA file "
                    f"cannot represent: it would be read back as {after[column]!r}"
                )


def _rendered(fields: Iterable[str]) -> str:
    """One line of CSV without its line end, with quotes only where a field needs them."""
    return ",".join('"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text for text in fields)
