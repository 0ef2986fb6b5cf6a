"""Reads and writes the released question files of C-VQA-Synthetic and C-VQA-Real (CSV).

A row of the CSV holds a pair: an original and its counterfactual question on the same image. It becomes two rows of the
table `questions`. Fields are text and are never evaluated. A file that is read and written again is the same byte for
byte, provided that it has no byte order mark and that its lines end with LF, as in the released files.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.language.options import OPTIONS_FOLLOW, printed_question
from whatif.formats.c_vqa_records import COLUMNS, records

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
_OTHER_TYPE = "other type"
_NEEDS_QUOTES = re.compile(r'[,"\r\n]')
_OPEN_ANSWERS = {
    "number": (re.compile(_NUMBER), "a whole number in figures"),
    "boolean": (re.compile("yes|no"), "`yes` or `no`"),
}


class BadRowError(WhatifError):
    """A row of a released file that holds no pair of questions.

    `row` names the row by its line (`line-000012`), `reason` says which requirement it misses, `detail` has its values.
    """

    def __init__(self, path: Path, line: int, reason: str, detail: str) -> None:
        super().__init__(f"{path}: line {line}: {detail}")
        self.row = f"line-{line:06d}"
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True)
class Released:
    """The questions of a released file, two for each good row, and its other rows as rows of `rejections`."""

    questions: list[dict[str, Any]]
    rejections: list[dict[str, Any]]


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
    questions: list[dict[str, Any]] = []
    for pair in _rows(path):
        if isinstance(pair, BadRowError):
            raise pair
        questions.extend(pair)
    if not questions:
        raise WhatifError(f"{path}: no questions below the header; a row has {','.join(COLUMNS)}")
    return questions


def read_good_rows(path: Path, types: Collection[str] = tuple(_GROUPS)) -> Released:
    """As `read_released`, but a bad row is rejected with its line and the rest is read.

    The reasons are `number of fields`, `empty field`, `unknown type`, `unreadable options`, `repeated option`,
    `unknown answer` and `duplicate` (the image is that of an earlier good row); `other type` is that of rows whose type
    is not among `types`.

    Raises WhatifError for a file that is missing, empty, not UTF-8 or not CSV, and for other columns.
    """
    released = Released([], [])
    for pair in _rows(path, types):
        if isinstance(pair, BadRowError):
            released.rejections.append({"item_id": pair.row, "reason": pair.reason, "detail": pair.detail})
        else:
            released.questions.extend(pair)
    return released


def _rows(path: Path, types: Collection[str] = tuple(_GROUPS)) -> Iterator[list[dict[str, Any]] | BadRowError]:
    """The pair of questions of each row, or what is wrong with it."""
    read = records(path)
    _, _, header = next(read, (1, "", []))
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise WhatifError(f"{path}: line 1: column `{missing[0]}` is missing; the columns are {','.join(COLUMNS)}")
    if tuple(header) != COLUMNS:
        raise WhatifError(f"{path}: line 1: columns are {','.join(header)}, not {','.join(COLUMNS)} in this order")
    first_lines: dict[str, int] = {}
    for number, (line, written, fields) in enumerate(read, 1):
        try:
            pair = _pair_of(fields, number, written)
        except _FaultError as fault:
            yield BadRowError(path, line, fault.reason, fault.detail)
            continue
        if fields[-1] not in types:
            yield BadRowError(path, line, _OTHER_TYPE, f"type is `{fields[-1]}`, not one of {', '.join(types)}")
            continue
        earlier = first_lines.setdefault(pair[0]["pair_id"], line)
        if earlier != line:
            detail = f"img_path `{fields[0]}` is already used in line {earlier}; every puzzle has its own image"
            yield BadRowError(path, line, "duplicate", detail)
            continue
        yield pair


def write_released(questions: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Writes rows of the table `questions`, in any order, as a CSV in the released form (UTF-8, LF, no byte order
    mark).

    Rows that were read from a released file keep that file's order. Other rows are ordered by `pair_id`, and their
    image is named `<pair_id>.png`. The file is renamed into place when it is complete: after an error no partial
    file is left, and a previous file is unchanged.

    Raises WhatifError naming the pair when a question is missing or duplicated, or when a row would be read back
    differently (`read_released` lists the requirements), and when the file cannot be written.
    """
    waiting: dict[str, dict[str, Mapping[str, Any]]] = {}
    lines: dict[str, tuple[int, str]] = {}  # pair_id -> position in the file, line; whole rows would take more memory
    for question in questions:
        pair_id, variant = question["pair_id"], question["variant"]
        where = f"{path}: pair {pair_id}"
        pair = waiting.setdefault(pair_id, {})
        if variant not in VARIANTS:
            raise WhatifError(f"{where}: variant is `{variant}`; it is one of {', '.join(VARIANTS)}")
        if variant in pair or pair_id in lines:
            raise WhatifError(f"{where}: duplicate {variant} question; a pair has one of each variant")
        pair[variant] = question
        if len(pair) == len(VARIANTS):
            lines[pair_id] = _line(waiting.pop(pair_id), where)
    for pair_id, pair in waiting.items():
        lost = next(variant for variant in VARIANTS if variant not in pair)
        raise WhatifError(f"{path}: pair {pair_id}: has no {lost} question; a row of C-VQA holds both")
    ordered = sorted(lines, key=lambda pair_id: (lines[pair_id][0], pair_id))
    text = "".join(f"{line}\n" for line in (_rendered(COLUMNS), *(lines[pair_id][1] for pair_id in ordered)))
    write_whole(path, text.encode())


class _FaultError(Exception):
    """What is wrong with a record: a requirement that it misses, and its values."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def _pair_of(fields: Sequence[str], number: int, written: str) -> list[dict[str, Any]]:
    """The pair of questions, the original first, from one record. Raises _FaultError when it has none."""
    if len(fields) != len(COLUMNS):
        raise _FaultError("number of fields", f"has {len(fields)} fields; it needs {len(COLUMNS)}: {','.join(COLUMNS)}")
    record = dict(zip(COLUMNS, fields, strict=True))
    for column, text in record.items():
        if not text.strip():
            raise _FaultError("empty field", f"{column} is empty; C-VQA has no empty fields")
    if record["type"] not in _GROUPS:
        raise _FaultError("unknown type", f"type `{record['type']}` is unknown; it is one of {', '.join(_GROUPS)}")
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
            **_asked(record, *columns),
            "image_ids": [],
            "provenance": canonical_json(provenance),
        }
        for variant, columns in VARIANTS.items()
    ]


def _asked(record: Mapping[str, str], query: str, answer: str) -> dict[str, Any]:
    """Question, options, answer and answer kind, checked for consistency."""
    if record["type"] in REAL_ANSWER_KINDS:
        kind = REAL_ANSWER_KINDS[record["type"]]
        form, name = _OPEN_ANSWERS[kind]
        if not form.fullmatch(record[answer]):
            detail = f"{answer} is `{record[answer]}`; a {record['type']} question needs {name}"
            raise _FaultError("unknown answer", detail)
        return {"question": record[query], "choices": None, "answer": record[answer], "answer_kind": kind}
    question, _, options = record[query].rpartition(OPTIONS_FOLLOW)
    found = _OPTIONS.fullmatch(options)
    if not question.strip() or found is None:
        raise _FaultError(
            "unreadable options",
            f"{query} has no readable option list; the form is "
            f"`{_OPTIONS_FORM}`, whole numbers with two spaces between the options",
        )
    choices = list(found.groups())
    if len(set(choices)) < len(choices):
        raise _FaultError(
            "repeated option", f"{query} gives an option twice ({', '.join(choices)}); all four must differ"
        )
    if record[answer] not in tuple(_LETTERS):
        raise _FaultError(
            "unknown answer", f"{answer} is `{record[answer]}`; it is the letter of an option: A, B, C or D"
        )
    return {"question": question, "choices": choices, "answer": record[answer], "answer_kind": "choice"}


def _line(pair: Mapping[str, Mapping[str, Any]], where: str) -> tuple[int, str]:
    """The position in the file and the text of the record that holds a pair."""
    original = pair["original"]
    provenance = json.loads(original["provenance"])
    number = provenance.get("row", 0) if "img_path" in provenance else 0  # elsewhere `row` may mean something else
    record: dict[str, str] = {"img_path": picture_name(original)}
    for variant, (query, answer) in VARIANTS.items():
        question = pair[variant]
        record[query] = printed_question(question["question"], question["choices"])
        record[answer] = question["answer"]
        if question["group"] not in _TYPES:
            raise WhatifError(f"{where}: group `{question['group']}` is not one of {', '.join(_TYPES)}")
    if original["group"] != pair["counterfactual"]["group"]:
        groups = f"{original['group']} and {pair['counterfactual']['group']}"
        raise WhatifError(f"{where}: the questions of a pair have one group, these have {groups}")
    record["type"] = _TYPES[original["group"]]
    fields = [record[column] for column in COLUMNS]
    try:
        again = _pair_of(fields, number, "")
    except _FaultError as fault:
        raise WhatifError(f"{where}: {fault.detail}") from None
    _check_reading_back(pair, again, where)
    written = provenance.get("as_written")
    # The raw text of a row is kept only if the row was not corrected after reading.
    same = written is not None and next(csv.reader([written]), None) == fields
    return number, written if same else _rendered(fields)


def picture_name(question: Mapping[str, Any]) -> str:
    """The file name of a question's image in the released form: as read from the file, or made from its pair's id."""
    name: str = json.loads(question["provenance"]).get("img_path", f"{question['pair_id']}.png")
    return name


def _check_reading_back(pair: Mapping[str, Mapping[str, Any]], read: Iterable[Mapping[str, Any]], where: str) -> None:
    for after in read:
        before = pair[after["variant"]]
        for column in ("question", "choices", "answer", "answer_kind"):
            if before[column] != after[column]:
                raise WhatifError(
                    f"{where}: {column} of the {after['variant']} question is {before[column]!r}, which a C-VQA file "
                    f"cannot represent: it would be read back as {after[column]!r}"
                )


def _rendered(fields: Iterable[str]) -> str:
    """One line of CSV without its line end, with quotes only where a field needs them.

    The released form has no marks of formulas: other tools read the questions as they are.
    """
    return ",".join('"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text for text in fields)
