"""The items whose answer is right on one side only, with their questions, both answers and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from whatif.results.comparison.columns import read
from whatif.results.comparison.compare import Compared
from whatif.results.comparison.evaluations import JUDGED, PREDICTIONS, USUAL_ROLES
from whatif.results.comparison.pair_rows import PairTexts

LOST, GAINED = "right -> wrong", "wrong -> right"
_ASKED = ("question_id", "question", "choices", "answer", "variant", "group", "image_ids")
_ANSWERED = ("question_id", "answer", "status", "reason")
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
    ids = pa.concat_tables([read(path, ["question_id"]) for path in pair.a.answered])["question_id"]
    chosen = {
        direction: ids.take(pa.array(places)).to_pylist()
        for direction, places in ((LOST, pair.lost), (GAINED, pair.gained))
    }
    wanted = {name for names in chosen.values() for name in names}
    asked = _rows(pair.a.inputs("questions"), _ASKED, wanted)
    # What a judge read takes the place of what the rules read.
    answers = [_rows((*side.answered, *side.paths), _ANSWERED, wanted) for side in (pair.a, pair.b)]
    for direction, names in chosen.items():
        for name in sorted(names):
            question, first, second = asked[name], answers[0][name], answers[1][name]
            choices = tuple(question["choices"] or ())
            yield Flip(
                benchmark=pair.a.key.benchmark,
                evaluation=_name(pair),
                item=name,
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


def _others(pair: Compared) -> Iterator[Flip]:
    from whatif.results.comparison.rows import Reader

    rows = Reader().rows(pair.a)
    for direction, places in ((LOST, pair.lost), (GAINED, pair.gained)):
        for place in places.tolist():
            variant, group = (one.names[one.codes[place]] for one in (rows.variant, rows.group))
            item = str(rows.keys[place].as_py())
            text, images = rows.questions.shown(place) if isinstance(rows.questions, PairTexts) else ("", ())
            yield Flip(pair.a.key.benchmark, _name(pair), item, direction, variant, group, text, (), "", "", "", images)


def _rows(paths: Iterable[Path], names: tuple[str, ...], wanted: set[str]) -> dict[str, Mapping[str, Any]]:
    """The rows with these question ids; those of later files take precedence."""
    import pyarrow.compute as pc

    found: dict[str, Mapping[str, Any]] = {}
    ids = pa.array(sorted(wanted), pa.string())
    for path in dict.fromkeys(paths):
        rows = read(path, names)
        rows = rows.filter(pc.is_in(rows["question_id"], ids))
        found |= {row["question_id"]: row for row in rows.to_pylist()}
    return found


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
