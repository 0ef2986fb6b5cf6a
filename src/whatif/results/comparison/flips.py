"""The items whose answer is right on one side only, with their questions, both answers and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whatif.results.comparison.columns import read
from whatif.results.comparison.compare import Compared
from whatif.results.comparison.evaluations import JUDGED, PREDICTIONS, USUAL_ROLES
from whatif.results.comparison.pair_rows import PairTexts
from whatif.results.comparison.row_types import Codes

LOST, GAINED = "right -> wrong", "wrong -> right"
_ASKED = ("question", "choices", "answer", "variant", "group", "image_ids")
_ANSWERED = ("answer", "status", "reason")
_TOGETHER = 4_096  # flips whose questions and answers are in memory at once
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Flip:
    """One flipped item. Answers are as shown: a letter with the text of its option, or the status if there is none."""

    benchmark: str
    evaluation: str
    item: str
    direction: str  # LOST or GAINED
    variant: str
    group: str
    question: str
    choices: tuple[str, ...]
    right: str
    answer_a: str
    answer_b: str
    image_ids: tuple[str, ...]


def flips_of(compared: Iterable[Compared]) -> Iterator[Flip]:
    """The flipped items, by evaluation, those that are wrong now first, then by id.

    Items of matching and retrieval have both captions of their pair instead of a question, and no answers. Raises
    WhatifError when an artifact is unreadable.
    """
    for pair in compared:
        if len(pair.lost) + len(pair.gained):
            yield from _predictions(pair) if pair.a.kind in (PREDICTIONS, JUDGED) else _others(pair)


def _predictions(pair: Compared) -> Iterator[Flip]:
    ids = _column(pair.a.answered, "question_id")
    questions = _Found(ids, pair.a.inputs("questions"), _ASKED)
    # What a judge read takes the place of what the rules read.
    answers = [_Found(ids, [*side.paths, *side.answered], _ANSWERED) for side in (pair.a, pair.b)]
    benchmark, evaluation = pair.a.key.benchmark, _name(pair)
    for direction, places in ((LOST, pair.lost), (GAINED, pair.gained)):
        in_order = places[np.asarray(pc.sort_indices(ids.take(pa.array(places))))]
        for start in range(0, len(in_order), _TOGETHER):
            some = in_order[start : start + _TOGETHER]
            shown = (ids.take(pa.array(some)).to_pylist(), *(one.rows(some) for one in (questions, *answers)))
            for item, question, first, second in zip(*shown, strict=True):
                choices = tuple(question["choices"] or ())
                yield Flip(
                    benchmark=benchmark,
                    evaluation=evaluation,
                    item=item,
                    direction=direction,
                    variant=question["variant"],
                    group=question["group"],
                    question=question["question"],
                    choices=choices,
                    right=_shown(question["answer"], choices),
                    answer_a=_answer(first, choices),
                    answer_b=_answer(second, choices),
                    image_ids=tuple(question["image_ids"]),
                )


class _Found:
    """The rows of some files for question ids; those of earlier files take precedence."""

    def __init__(self, ids: pa.Array, paths: Iterable[Path], names: Sequence[str]) -> None:
        files = list(dict.fromkeys(paths))
        known = _column(files, "question_id")
        self._table = pa.concat_tables([read(path, names) for path in files])
        self._places = None if known.equals(ids) else pc.index_in(ids, value_set=known)

    def rows(self, places: Codes) -> list[dict[str, Any]]:
        """The rows for the ids at these places."""
        chosen = pa.array(places)
        return list(self._table.take(chosen if self._places is None else self._places.take(chosen)).to_pylist())


def _column(paths: Iterable[Path], name: str) -> pa.Array:
    found = pa.concat_tables([read(path, [name]) for path in paths])[name].combine_chunks()
    return found.chunk(0) if isinstance(found, pa.ChunkedArray) else found


def _others(pair: Compared) -> Iterator[Flip]:
    from whatif.results.comparison.rows import Reader

    rows = Reader().rows(pair.a)
    for direction, places in ((LOST, pair.lost), (GAINED, pair.gained)):
        for place in places.tolist():
            variant, group = (one.names[one.codes[place]] for one in (rows.variant, rows.group))
            item = str(rows.keys[place].as_py())
            text, images = rows.questions.shown(place) if isinstance(rows.questions, PairTexts) else ("", ())
            yield Flip(pair.a.key.benchmark, _name(pair), item, direction, variant, group, text, (), "", "", "", images)


def _name(pair: Compared) -> str:
    a, b = pair.a.key, pair.b.key
    model = a.model if a.model == b.model else f"{a.model} / {b.model}"
    role = "" if a.role in USUAL_ROLES else a.role
    settings = a.settings if a.settings == b.settings else ()
    return " ".join(filter(None, [model, role, *settings]))


def _answer(row: Mapping[str, Any], choices: tuple[str, ...]) -> str:
    if row["answer"] is None:
        return f"({row['status']}{': ' + row['reason'] if row['reason'] else ''})"
    return _shown(row["answer"], choices)


def _shown(answer: str, choices: tuple[str, ...]) -> str:
    place = _LETTERS.find(answer) if len(answer) == 1 else -1
    return f"{answer}: {choices[place]}" if 0 <= place < len(choices) else answer
