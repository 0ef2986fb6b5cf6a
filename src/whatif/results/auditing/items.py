"""The items of a benchmark as the audit sees them: question, candidates, right answer, and what belongs together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.engine.random_streams import stream
from whatif.formats.benchmark_columns import Columns
from whatif.results.auditing.options import (
    by_label,
    options_of,
    right_options,
    split_options,
    unread_options,
    without_gaps,
)

Row = Mapping[str, Any]
CHOICE, YES_NO, NUMBER, OPEN, CAPTIONS = "choice", "yes-no", "number", "open", "captions"
KINDS = (CHOICE, YES_NO, NUMBER, OPEN)
SINGLE_CAPTION, BOTH_CAPTIONS = "single caption", "both captions"
ORIGINAL, COUNTERFACTUAL = "original", "counterfactual"
_BOOLEAN = {"yes": "yes", "no": "no", "true": "yes", "false": "no"}
_FLAGS = {**_BOOLEAN, "1": "yes", "0": "no", "y": "yes", "n": "no"}  # where the user says that it is yes or no
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d+)?")
_VARIANT_OF_ID = re.compile(r"(.+)-(original|counterfactual)")
_RUNNING = re.compile(r"(.+)[_-]\d{1,4}")  # ids such as COCO's `158956_0`: the k-th caption of a picture
_MOST_OPEN = 50  # different answers that are learned
_LEAST_OPEN = 0.5  # the share of questions that these must answer


@dataclass(frozen=True)
class Item:
    """A question. `row` is its row in the table (from 0); `options` are empty unless it is a choice.

    `answer` is the text of the right option, `yes` or `no`, a number, or a text. Items of the same `cluster` show the
    same picture or belong to the same pair; items of the same `unit` are dropped together.
    """

    row: int
    item_id: str
    variant: str
    kind: str
    group: str
    question: str
    options: tuple[str, ...]
    right: int
    answer: str
    cluster: str
    unit: str

    @property
    def section(self) -> tuple[str, str]:
        """What is audited together."""
        return self.variant, self.kind


@dataclass
class Items:
    """The items of a table, in order of their ids, and what has to be said about how they were read."""

    items: list[Item]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Asked:
    """A question before its right option is known."""

    row: int
    number: int
    variant: str
    question: str
    options: list[str]
    answer: Any


def read_items(
    path: object, rows: Sequence[Row], columns: Columns, *, kind: str | None = None, seed: int = 0, clusters: str = ""
) -> Items:
    """The items of a table with these columns.

    `kind` makes all of them one of KINDS; by default a question with options is a choice, and otherwise its answer
    decides. `clusters` names a column whose values are clusters of their own right, instead of the pictures.

    Raises WhatifError when no item is left, naming what is wrong with the first.
    """
    labels = _Labels(rows, columns, clusters)
    if columns.captions:
        return Items(_caption_items(path, rows, columns, labels, seed), labels.notes)
    asked = [
        _Asked(row, number, *_wording(fields, columns, number))
        for row, fields in enumerate(rows)
        for number in range(len(columns.questions))
    ]
    notes = [*labels.notes, *unread_options(rows, columns.options)]
    if kind not in (None, CHOICE):
        asked = [_Asked(one.row, one.number, one.variant, one.question, [], one.answer) for one in asked]
    lettered = [one for one in asked if len(one.options) > 1]
    items, lost = _choices(lettered, labels, notes) if lettered else ([], [])
    if kind == CHOICE and not lettered:
        raise WhatifError(f"{path}: no question has two options; name their columns with --options")
    if kind != CHOICE:
        opened, unread = _open([one for one in asked if len(one.options) <= 1], kind, labels)
        items, lost = items + opened, lost + unread
    if lost:
        first = lost[0]
        notes.append(f"{len(lost):,} questions are left out: the first is in row {first[0] + 1}, {first[1]}")
    if not items:
        raise WhatifError(
            f"{path}: no question can be audited: row {lost[0][0] + 1}: {lost[0][1]}; "
            "name the columns with --question, --options and --answer"
            if lost
            else f"{path}: has no question"
        )
    items = _known_answers(path, items, notes)
    return Items(sorted(items, key=lambda item: item.item_id), notes)


def _wording(fields: Row, columns: Columns, number: int) -> tuple[str, str, list[str], Any]:
    """The variant, question, options and answer of a row's question with this number."""
    question = fields.get(columns.questions[number])
    question = "" if question is None else str(question)
    named, answer = columns.options[number], fields.get(columns.answers[number])
    if len(named) == 1:
        cell = fields.get(named[0])
        options, answer = options_of(cell), by_label(cell, answer)
    elif named:
        options, answer = without_gaps([fields.get(name) for name in named], answer)
    else:
        question, options = split_options(question)
    variant = str(fields.get(columns.variant) or "") if columns.variant else ""
    if len(columns.questions) > 1:
        variant = (ORIGINAL, COUNTERFACTUAL)[number]
    return variant, question.strip(), options, answer


class _Labels:
    """The id, variant, group, cluster and unit of each question."""

    def __init__(self, rows: Sequence[Row], columns: Columns, clusters: str) -> None:
        self._rows, self._columns = rows, columns
        self._paired = len(columns.questions) > 1
        width = len(str(len(rows)))
        self.notes: list[str] = []
        ids = [_label(fields.get(columns.item)) for fields in rows] if columns.item else [""] * len(rows)
        unique = "" not in ids and len(set(ids)) == len(ids)
        if not unique:
            if columns.item:
                self.notes.append(f"column `{columns.item}` is not unique, so items are named by their row")
            ids = [f"row {number:0{width}d}" for number in range(1, len(rows) + 1)]
        self.ids = ids
        matches = [_VARIANT_OF_ID.fullmatch(one) for one in ids]
        self._of_ids = all(matches) and not columns.variant and not self._paired
        stems = [match[1] for match in matches if match] if all(matches) else ids
        pairs = [_label(fields.get(columns.pair)) for fields in rows] if columns.pair else stems
        self.units = [pair or one for pair, one in zip(pairs, ids, strict=True)]
        self.clusters = self._clustered(clusters or columns.picture)
        self.variants = [match[2] if match else "" for match in matches]

    def _clustered(self, name: str) -> list[str]:
        """Clusters: rows that share a picture or a unit, directly or over others, named by their first unit."""
        pictures = [_label(fields.get(name)) for fields in self._rows] if name else [""] * len(self._rows)
        if len({picture for picture in pictures if picture}) == 1 and len(pictures) > 1:
            self.notes.append(f"column `{name}` has one value for all rows, so it does not name pictures")
            pictures = [""] * len(self._rows)
        prefixes = [match[1] if (match := _RUNNING.fullmatch(unit)) else "" for unit in self.units]
        apart = len(set(zip(pictures, self.units, strict=True))) == len(set(pictures) - {""})  # a picture is asked once
        if (
            self._columns.captions
            and (apart or not any(pictures))
            and "" not in prefixes
            and len(set(prefixes)) < len(set(self.units))
        ):
            self.notes.append("clusters: ids with the same beginning before `_NUMBER` are about one picture")
            pictures = prefixes
        if not (any(pictures) or self.notes or self._columns.pair):
            self.notes.append(
                "no column is recognised as the picture, so each row counts as one; name it with --picture"
            )
        known: dict[tuple[int, str], tuple[int, str]] = {}  # (1, picture) and (0, unit), which comes first

        def root(node: tuple[int, str]) -> tuple[int, str]:
            while known.setdefault(node, node) != node:
                known[node] = known[known[node]]
                node = known[node]
            return node

        for picture, unit in zip(pictures, self.units, strict=True):
            if picture:
                one, two = sorted((root((1, picture)), root((0, unit))))
                known[two] = one
        return [root((0, unit))[1] for unit in self.units]

    def item(self, one: _Asked, kind: str, right: int, answer: str, options: Sequence[str] = ()) -> Item:
        """The item of a question."""
        fields, group = self._rows[one.row], self._columns.group
        variant = self.variants[one.row] if self._of_ids else one.variant
        suffix = f"-{variant}" if self._paired else ""
        return Item(
            row=one.row,
            item_id=f"{self.ids[one.row]}{suffix}",
            variant=variant,
            kind=kind,
            group=_label(fields.get(group)) if group else "",
            question=one.question,
            options=tuple(options),
            right=right,
            answer=answer,
            cluster=self.clusters[one.row],
            unit=self.units[one.row],
        )


def _label(value: Any) -> str:
    if isinstance(value, list):
        return "|".join(map(str, value))
    return "" if value is None else str(value)


def _choices(asked: Sequence[_Asked], labels: _Labels, notes: list[str]) -> tuple[list[Item], list[tuple[int, str]]]:
    """Multiple-choice items, and rows that are none with the reason."""
    places, way = right_options([one.answer for one in asked], [one.options for one in asked])
    items, lost = [], []
    for one, place in zip(asked, places, strict=True):
        if len(one.options) > len(LETTERS):
            lost.append((one.row, f"has {len(one.options)} options; at most {len(LETTERS)} are audited"))
        elif place < 0:
            lost.append((one.row, f"its answer `{one.answer!s:.40}` is none of its options"))
        else:
            items.append(labels.item(one, CHOICE, place, one.options[place], one.options))
    notes.append(f"answers of choices are read as: {way}")
    return items, lost


def _open(asked: Iterable[_Asked], kind: str | None, labels: _Labels) -> tuple[list[Item], list[tuple[int, str]]]:
    """Items without options, of the kind that their answer has."""
    items, lost = [], []
    for one in asked:
        answer = _answer_text(one.answer)
        own = kind or (YES_NO if answer in _BOOLEAN else NUMBER if _NUMBER.fullmatch(answer) else OPEN)
        if not answer:
            lost.append((one.row, "has no answer"))
        elif own == YES_NO and answer not in (_FLAGS if kind else _BOOLEAN):
            lost.append((one.row, f"its answer `{answer:.40}` is not yes or no"))
        elif own == NUMBER and not _NUMBER.fullmatch(answer):
            lost.append((one.row, f"its answer `{answer:.40}` is not a number"))
        else:
            items.append(labels.item(one, own, -1, _FLAGS[answer] if own == YES_NO else answer))
    return items, lost


def _answer_text(value: Any) -> str:
    """The answer in lower case; the most frequent one of several annotators."""
    if isinstance(value, list):
        texts = Counter(_answer_text(one.get("answer") if isinstance(one, dict) else one) for one in value)
        return min(texts, key=lambda text: (-texts[text], text)) if texts else ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _label(value).strip().casefold().removesuffix(".")


def _known_answers(path: object, items: list[Item], notes: list[str]) -> list[Item]:
    """The items without open questions whose answers are too various to be guessed."""
    kept = list(items)
    for section in sorted({item.section for item in items if item.kind in (OPEN, NUMBER)}):
        answers = Counter(item.answer for item in items if item.section == section)
        covered = sum(number for _, number in answers.most_common(_MOST_OPEN)) / answers.total()
        if section[1] == OPEN and (covered < _LEAST_OPEN or len(answers) > answers.total() / 2):
            text = (
                f"{answers.total():,} open questions have {len(answers):,} different answers, too many to be guessed "
                f"from the text (the {_MOST_OPEN} most frequent must answer half of them)"
            )
            kept = [item for item in kept if item.section != section]
            if not kept:
                raise WhatifError(f"{path}: {text}; name the options with --options, or another --answer")
            notes.append(f"left out: {text}")
    return kept


def _caption_items(path: object, rows: Sequence[Row], columns: Columns, labels: _Labels, seed: int) -> list[Item]:
    """Two sections: which of two captions in random order is the counterfactual one, and is a single one it?"""
    items = []
    for row, fields in enumerate(rows):
        captions = [_label(fields.get(name)).strip() for name in columns.captions]
        if "" in captions:
            raise WhatifError(f"{path}: row {row + 1}: a caption is empty; a pair has two captions")
        name = labels.ids[row]
        right = int(stream(seed, "order of captions", name).integers(2))
        shown = captions if right == 1 else captions[::-1]
        both = _Asked(row, 0, BOTH_CAPTIONS, "", shown, "")
        items.append(labels.item(both, CHOICE, right, captions[1], shown))
        for number, caption in enumerate(captions):
            single = labels.item(
                _Asked(row, number, SINGLE_CAPTION, caption, [], ""), YES_NO, -1, ("no", "yes")[number]
            )
            items.append(single)
    numbered = [f"{item.item_id} {item.variant} {item.answer if item.kind == YES_NO else ''}".strip() for item in items]
    renamed = [Item(**{**vars(item), "item_id": name}) for item, name in zip(items, numbered, strict=True)]
    return sorted(renamed, key=lambda item: item.item_id)
