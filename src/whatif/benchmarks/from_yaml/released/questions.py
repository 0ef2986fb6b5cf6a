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


def read_questions(settings: ExtractReleased, seed: int, add: Add, reject: Add) -> list[Row]:
    """Rows of `questions`, by id; `add` receives images, `reject` the rejections.

    A unit with a rejected question is left out, so that none counts as all right without it. Raises WhatifError when a
    file cannot be read, or names pictures of a folder that is not given.
    """
    wanted: set[str] | None = None
    if settings.limit is not None:
        wanted = sample(
            seed, "sets", [one.row["pair_id"] for one in _drafts(settings, lambda row: None)], settings.limit
        )
    pictures = _Pictures(settings, add)
    kept: dict[str, _Draft] = {}
    incomplete: set[tuple[str, str]] = set()
    for draft in _drafts(settings, reject):
        if wanted is not None and draft.row["pair_id"] not in wanted:
            continue
        reason, detail = draft.defect
        if not reason:
            found = [pictures.read(one) for one in draft.pictures]
            reason, detail = next(((NO_PICTURE, one.problem) for one in found if one.problem), ("", ""))
            draft.row["image_ids"] = [one.image_id for one in found]
        if not reason and draft.row["question_id"] in kept:
            reason, detail = REPEATED, f"an earlier question has the id {draft.row['question_id']}"
        if reason:
            reject(rejection(draft.place, reason, detail))
            incomplete |= set() if reason == REPEATED else set(draft.told["units"].items())
        else:
            kept[draft.row["question_id"]] = draft
    for draft in kept.values():
        units = {kind: unit for kind, unit in draft.told["units"].items() if (kind, unit) not in incomplete}
        draft.row["provenance"] = canonical_json({**draft.told, "units": units})
    return [kept[name].row for name in sorted(kept)]


@dataclass(frozen=True)
class _Draft:
    """A question without its pictures, the pictures as the files have them, and where it is from.

    told: what the files say beside it. defect: the reason and the detail why it is rejected, both empty if it is not.
    """

    row: Row
    told: Row
    place: str
    pictures: list[Any] = field(default_factory=list)
    defect: tuple[str, str] = ("", "")


def _drafts(settings: ExtractReleased, reject: Add) -> Iterator[_Draft]:
    """The questions of all rows; `reject` receives the rejections of those of which not even the set is known."""
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
                if draft := _draft(_Values(f"questions.{name}", names), question, number, place):
                    yield draft
            except ExpressionError as error:
                reject(rejection(place, FAILED, str(error)))


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


class _Values:
    """The values of a row's expressions. All methods raise ExpressionError, naming the key."""

    def __init__(self, path: str, names: Mapping[str, Any]) -> None:
        self._path, self._names = path, dict(names)

    def of(self, key: str, expression: str | None) -> Any:
        """The value of an expression; None without one."""
        try:
            return None if expression is None else evaluate(expression, self._names)
        except ExpressionError as error:
            raise ExpressionError(f"{self._path}.{key}: {error}") from None

    def text(self, key: str, expression: str | None) -> str:
        """The value as the text of an answer."""
        return self.written(key, self.of(key, expression))

    def texts(self, key: str, expression: str | None) -> list[str]:
        """The values of a list as texts; none without an expression, or for nothing."""
        return [self.written(key, one) for one in self.of(key, expression) or []]

    def written(self, key: str, value: Any) -> str:
        """A value as the text of an answer."""
        try:
            return written(value)
        except ExpressionError as error:
            raise ExpressionError(f"{self._path}.{key}: {error}") from None

    def name(self, name: str, expression: str) -> None:
        """Adds a name for the expressions that follow."""
        self._names[name] = self.of(f"names.{name}", expression)


def _draft(values: _Values, question: ReleasedQuestion, number: int, place: str) -> _Draft | None:
    """The question of a row; None if it has none. Raises ExpressionError if not even its set or units are known."""
    for name, expression in question.names.items():
        values.name(name, expression)
    if not values.of("where", question.where):
        return None
    units = {name: values.of(f"units.{name}", expression) for name, expression in question.units.items()}
    told: Row = {
        "row": number,
        "units": {name: values.written(f"units.{name}", unit) for name, unit in units.items() if unit is not None},
    }
    row: Row = {
        "question_id": values.text("id", question.id),
        "pair_id": values.text("set", question.set),
        "group": values.text("group", question.group),
        "variant": values.text("variant", question.variant),
    }
    try:
        choices = values.texts("options", question.options)
        answer = values.text("answer", question.answer)
        if choices and answer not in (*choices, *LETTERS[: len(choices)]):
            return _Draft(row, told, place, defect=(NOT_SCORED, f"the answer {answer!r} is not among the options"))
        answer = _letter(answer, choices)
        prior = values.of("prior", question.prior)
        told["prior"] = "" if prior is None else _letter(values.written("prior", prior), choices)
        told["answers"] = values.texts("answers", question.answers)
        text = _NAMED.sub(lambda match: values.text("question", match[1]), question.question)
        picture = values.of("picture", question.picture)
    except ExpressionError as error:
        return _Draft(row, told, place, defect=(FAILED, str(error)))
    kind: Any = "choice" if choices else kind_of(answer)
    row |= {"question": text, "choices": choices or None, "answer": answer, "answer_kind": kind}
    if not is_correct(extract(answer, kind, text, choices), answer, kind):
        return _Draft(row, told, place, defect=(NOT_SCORED, f"the answer {answer!r} is not extracted from itself"))
    return _Draft(row, told, place, [one for one in (picture if isinstance(picture, list) else [picture]) if one])


def _letter(answer: str, choices: list[str]) -> str:
    """The letter of an option; any other text stays."""
    return LETTERS[choices.index(answer)] if answer in choices else answer


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
