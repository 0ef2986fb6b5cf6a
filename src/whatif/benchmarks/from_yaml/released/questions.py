"""Reads questions from released files, by the expressions of their declaration.

A column `Question Type` is `Question_Type` in expressions. An answer of yes or no makes a boolean question, a number
one of numbers, options a choice; anything else is a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whatif.benchmarks.from_yaml.evaluation import evaluate
from whatif.benchmarks.from_yaml.expressions import ExpressionError, written
from whatif.benchmarks.from_yaml.reading import NO_PICTURE, REPEATED, image_at
from whatif.benchmarks.from_yaml.released.settings import ExtractReleased, ReleasedQuestion
from whatif.benchmarks.from_yaml.table_rows import attributes_of, read_file
from whatif.benchmarks.from_yaml.words import FAILED
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError, decode
from whatif.engine.files.inputs import check_regular, user_path
from whatif.engine.language.options import LETTERS
from whatif.engine.random_streams import sample
from whatif.scoring.extraction.answer import extract, is_correct

NOT_JOINED, NOT_SCORED = "no joined row", "cannot be scored"
_NAMED = re.compile(r"\{(\w+)\}")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_TOGETHER = 64  # rows of a Parquet file in memory at once, with their pictures
Row = dict[str, Any]
Add = Callable[[Row], None]


def read_questions(settings: ExtractReleased, seed: int, add: Add, reject: Add) -> Iterator[Row]:
    """Rows of `questions`; `add` receives images, `reject` the rejections.

    Raises WhatifError when a file cannot be read, or names pictures of a folder that is not given.
    """
    wanted: set[str] | None = None
    if settings.limit is not None:
        every = [draft.row["pair_id"] for draft in _drafts(settings, lambda row: None)]
        wanted = sample(seed, "sets", every, settings.limit)
    pictures = _Pictures(settings, add)
    known: set[str] = set()
    for draft in _drafts(settings, reject):
        if wanted is not None and draft.row["pair_id"] not in wanted:
            continue
        found = [pictures.read(one) for one in draft.pictures]
        wrong = next((one.problem for one in found if one.problem), "")
        row = {**draft.row, "image_ids": [one.image_id for one in found]}
        if wrong:
            reject(rejection(draft.place, NO_PICTURE, wrong))
        elif row["question_id"] in known:
            reject(rejection(draft.place, REPEATED, f"an earlier question has the id {row['question_id']}"))
        else:
            known.add(row["question_id"])
            yield row


@dataclass(frozen=True)
class _Draft:
    """A question without its pictures, the pictures as the files have them, and where it is from."""

    row: Row
    pictures: list[Any]
    place: str


def _drafts(settings: ExtractReleased, reject: Add) -> Iterator[_Draft]:
    joined = {}
    if settings.joined:
        joined = {_key(row, settings, path): row for path, row in _rows(settings.joined)}
    for number, (path, given) in enumerate(_rows(settings.files), start=1):
        row = given
        if settings.joined:
            key = _key(row, settings, path)
            if key not in joined:
                reject(rejection(f"row {number}", NOT_JOINED, f"{settings.key} {key} is not in the joined files"))
                continue
            row = {**joined[key], **row}
        names = _names(row)
        for name, question in settings.questions.items():
            place = f"{name} row {number}"
            try:
                draft = _draft(question, names, number, place)
            except ExpressionError as error:
                reject(rejection(place, FAILED, f"questions.{name}.{error}"))
                continue
            if isinstance(draft, str):
                reject(rejection(place, NOT_SCORED, draft))
            elif draft is not None:
                yield draft


def _rows(paths: Iterable[str]) -> Iterator[tuple[Path, Row]]:
    """The rows of some files, one after the other, each with its file."""
    for one in paths:
        path = user_path(one)
        rows = _parquet(path) if path.suffix.lower() == ".parquet" else iter(read_file(path))
        yield from ((path, row) for row in rows)


def _parquet(path: Path) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        check_regular(path)
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_TOGETHER):
                yield from batch.to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise WhatifError(f"{path}: is no Parquet file that can be read") from error


def _key(row: Row, settings: ExtractReleased, path: Path) -> str:
    if settings.key not in row:
        raise WhatifError(f"{path}: has no column {settings.key!r} (key); its columns are {', '.join(row)}")
    return str(row[settings.key])


def _names(row: Row) -> Row:
    """What expressions can name: columns, and pictures that are stored in them."""
    named = {re.sub(r"\W", "_", name): value for name, value in row.items()}
    return {**attributes_of(named), **{name: value for name, value in named.items() if isinstance(value, dict)}}


def _draft(question: ReleasedQuestion, names: Row, number: int, place: str) -> _Draft | str | None:
    """The question of a row, None if it has none, or why it cannot be scored. Raises ExpressionError with the key."""
    known = dict(names)

    def value(key: str, expression: str | None) -> Any:
        try:
            return None if expression is None else evaluate(expression, known)
        except ExpressionError as error:
            raise ExpressionError(f"{key}: {error}") from None

    def text(key: str, given: Any) -> str:
        try:
            return written(given)
        except ExpressionError as error:
            raise ExpressionError(f"{key}: {error}") from None

    for name, expression in question.names.items():
        known[name] = value(f"names.{name}", expression)
    if not value("where", question.where):
        return None
    choices = [text("options", one) for one in value("options", question.options) or []]
    answer = text("answer", value("answer", question.answer))
    if choices:
        if answer not in (*choices, *LETTERS[: len(choices)]):
            raise ExpressionError(f"answer: is {answer!r}, which is neither an option nor the letter of one")
        answer = LETTERS[choices.index(answer)] if answer in choices else answer
    kind: Any = "choice" if choices else kind_of(answer)
    asked = _NAMED.sub(lambda match: text(f"question: {match[1]}", value("question", match[1])), question.question)
    if not is_correct(extract(answer, kind, asked, choices), answer, kind):
        return f"the answer {answer!r} is not extracted from itself"
    picture = value("picture", question.picture)
    units = {name: value(f"units.{name}", expression) for name, expression in question.units.items()}
    told = {
        "row": number,
        "units": {name: text(f"units.{name}", unit) for name, unit in units.items() if unit is not None},
        "answers": [text("answers", one) for one in value("answers", question.answers) or []],
        "prior": "" if (prior := value("prior", question.prior)) is None else text("prior", prior),
    }
    ids = {key: text(key, value(key, getattr(question, key))) for key in ("id", "set", "group", "variant")}
    row = {
        "question_id": ids["id"],
        "pair_id": ids["set"],
        "group": ids["group"],
        "variant": ids["variant"],
        "question": asked,
        "choices": choices or None,
        "answer": answer,
        "answer_kind": kind,
        "provenance": canonical_json(told),
    }
    return _Draft(row, [one for one in (picture if isinstance(picture, list) else [picture]) if one], place)


def kind_of(answer: str) -> str:
    """The kind of an open question with this answer."""
    if answer.lower() in ("yes", "no"):
        return "boolean"
    return "number" if _NUMBER.fullmatch(answer) else "text"


@dataclass(frozen=True)
class _Read:
    """The id of a picture, or what is wrong with it."""

    image_id: str = ""
    problem: str = ""


@dataclass
class _Pictures:
    """Pictures, of which each file is read once."""

    settings: ExtractReleased
    add: Add
    _known: dict[str, _Read] = field(default_factory=dict)

    def read(self, given: Any) -> _Read:
        """A picture that the files name by its path, or contain as the datasets library stores it."""
        if isinstance(given, Mapping) and given.get("bytes"):
            return self._stored(bytes(given["bytes"]), str(given.get("path") or "in the file"))
        name = given.get("path") if isinstance(given, Mapping) else given
        if not isinstance(name, str):
            return _Read(problem=f"is {name!r:.40}; a picture is a path, or an object with its bytes")
        if self.settings.folder is None:
            raise WhatifError(f"{name}: is a picture; give the folder of the pictures as `folder` beside `files`")
        if name not in self._known:
            self._known[name] = self._kept(image_at(name, user_path(self.settings.folder), self.settings.licence))
        return self._known[name]

    def _stored(self, data: bytes, name: str) -> _Read:
        try:
            size = decode(data).size
        except UnreadableImageError as error:
            return _Read(problem=f"{name}: {error.kind}")
        return self._kept(image_row(data, *size, f"file:{name}", self.settings.licence))

    def _kept(self, image: Row | str) -> _Read:
        if isinstance(image, str):
            return _Read(problem=image)
        self.add(image)
        return _Read(image["image_id"])
