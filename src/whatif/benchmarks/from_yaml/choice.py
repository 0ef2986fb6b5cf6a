"""Chooses pairs among the candidates, with options that tell nothing without the picture.

Candidates with the same words (both questions and the presupposition) are asked about several rows. As many of these
rows are drawn as there are options, with answers that all differ; their answers are the options, and one of these rows,
at random, is the one that is asked about. The text and the options are the same whichever row it is, so they cannot
tell the answer: every option is right equally often, in both questions of the pair.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from whatif.benchmarks.from_yaml.settings import Template
from whatif.engine.language.options import LETTERS
from whatif.engine.random_streams import stream
from whatif.results.reporting.answer_codes import meaning

VARIANTS = ("original", "counterfactual")
_BALANCED = 0.5  # share of the pairs whose ranks are balanced exactly
_TRIES = 20  # attempts to draw rows with different answers, before no more pairs have these words
Row: TypeAlias = dict[str, Any]
Cell: TypeAlias = tuple[str, str]  # the right answers of a pair: original, counterfactual


@dataclass(frozen=True)
class Chosen:
    """A candidate that became a pair: the options of both questions, in their order, and the draw, from 0."""

    candidate: Row
    options: Mapping[str, tuple[str, ...]]
    draw: int


def change_defect(template: Template, candidate: Mapping[str, Any]) -> str:
    """Why the answers of a candidate contradict the `change` of its template; empty if they do not."""
    before, after = candidate["answer_original"], candidate["answer_counterfactual"]
    if template.change == "always" and before == after:
        return f"both answers are {before}, but the template says `change: always`"
    if template.change == "never" and before != after:
        return f"the answers are {before} and {after}, but the template says `change: never`"
    return ""


def option_defect(template: Template, candidate: Mapping[str, Any]) -> str:
    """Which answer is not among the fixed options of a template; empty if both are."""
    if isinstance(template.options, int):
        return ""
    for variant in VARIANTS:
        if candidate[f"answer_{variant}"] not in template.options:
            return f"answer.{variant}: is {candidate[f'answer_{variant}']!r}, which is not among the options"
    return ""


def choose(
    name: str,
    template: Template,
    candidates: Sequence[Row],
    used: Counter[str],
    *,
    pairs: int,
    per_row: int | None,
    seed: int,
    draw: int = 0,
) -> list[Chosen]:
    """At most `pairs` pairs of one template, by the candidates in a fixed order; at most `per_row` about a row.

    `draw` numbers independent choices. `used` counts the pairs about each row, those of earlier templates too; the new
    ones are added. The place of the right option is balanced over each question of the template, and its rank among the
    options of the original question roughly: were it balanced exactly, models that are cross-validated on the pairs
    would be wrong more often than by guessing, because a rank that is rare in other pairs is frequent in these.
    """
    generator = stream(seed, "choice", name, draw)
    free = [row for row in candidates if per_row is None or used[row["row_id"]] < per_row]
    pools = [_Pool(rows) for rows in _with_same_words(free)]
    about: dict[str, list[_Pool]] = {}
    for pool in pools:
        for row_id in pool.row_ids:
            about.setdefault(row_id, []).append(pool)
    size = template.options if isinstance(template.options, int) else len(template.options)
    ranks, letters = _Schedule(size, generator), {variant: _Schedule(size, generator) for variant in VARIANTS}
    chosen: list[Chosen] = []
    while pools and len(chosen) < pairs:
        for pool in [pools[place] for place in generator.permutation(len(pools)).tolist()]:
            if len(chosen) == pairs:
                break
            cells = pool.draw(size, generator)
            if cells is None:
                pools.remove(pool)
                continue
            place = ranks.next() if generator.random() < _BALANCED else int(generator.integers(size))
            cell = cells[place]
            candidate = pool.take(cell, generator)
            row_id = candidate["row_id"]
            used[row_id] += 1
            if used[row_id] == per_row:  # before the next draw: a draw that is discarded would favour other answers
                for other in about[row_id]:
                    other.drop(row_id)
            options = {
                variant: _ordered([one[side] for one in cells], cell[side], letters[variant].next(), generator)
                for side, variant in enumerate(VARIANTS)
            }
            chosen.append(Chosen(candidate, options, draw))
    return chosen


def questions_of(one: Chosen) -> list[Row]:
    """Both rows of `questions` of a chosen pair."""
    candidate = one.candidate
    pair_id = pair_id_of(candidate)
    provenance = {
        "row": candidate["row_id"],
        "blanks": json.loads(candidate["blanks"]),
        "presupposition": candidate["presupposition"],
        "kind": candidate["kind"],
        "draw": one.draw + 1,
    }
    return [
        {
            "question_id": f"{pair_id}-{variant}",
            "pair_id": pair_id,
            "group": candidate["template"],
            "variant": variant,
            "question": candidate[variant],
            "choices": list(one.options[variant]),
            "answer": LETTERS[one.options[variant].index(candidate[f"answer_{variant}"])],
            "answer_kind": "choice",
            "image_ids": candidate["image_ids"],
            "provenance": json.dumps(provenance, sort_keys=True, ensure_ascii=False),
        }
        for variant in VARIANTS
    ]


def pair_id_of(candidate: Mapping[str, Any]) -> str:
    """The id of a pair: its template, and a hash of its row and words, so that it stays when others are added."""
    text = json.dumps([candidate["row_id"], candidate["blanks"]], ensure_ascii=False)
    return f"{candidate['template']}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


class _Pool:
    """The candidates with the same words, by their answers."""

    def __init__(self, candidates: Sequence[Row]) -> None:
        self.row_ids = list(dict.fromkeys(row["row_id"] for row in candidates))
        self._by_cell: dict[Cell, list[Row]] = {}
        for row in candidates:
            self._by_cell.setdefault((row["answer_original"], row["answer_counterfactual"]), []).append(row)

    def draw(self, size: int, generator: np.random.Generator) -> list[Cell] | None:
        """`size` pairs of answers, all different in both questions, by the rank of the original one; None without.

        Answers are drawn in proportion to their candidates.
        """
        cells = sorted(self._by_cell)
        weights = np.array([len(self._by_cell[cell]) for cell in cells], dtype=float)
        for _ in range(_TRIES if len(cells) >= size else 0):
            # The order of a weighted draw without replacement (Efraimidis and Spirakis 2006).
            order = np.argsort(generator.exponential(size=len(cells)) / weights, kind="stable").tolist()
            drawn: list[Cell] = []
            for place in order:
                if all(_differ(cells[place], cell) for cell in drawn):
                    drawn.append(cells[place])
                if len(drawn) == size:
                    return sorted(drawn, key=lambda cell: _rank(cell[0]))
        return None

    def drop(self, row_id: str) -> None:
        """Removes the candidates about a row."""
        for cell, rows in list(self._by_cell.items()):
            rows[:] = [row for row in rows if row["row_id"] != row_id]
            if not rows:
                del self._by_cell[cell]

    def take(self, cell: Cell, generator: np.random.Generator) -> Row:
        """A candidate with these answers, at random; it is removed."""
        rows = self._by_cell[cell]
        row = rows.pop(int(generator.integers(len(rows))))
        if not rows:
            del self._by_cell[cell]
        return row


class _Schedule:
    """Numbers below `size`, in random order, each equally often to within one."""

    def __init__(self, size: int, generator: np.random.Generator) -> None:
        self._size, self._generator = size, generator
        self._waiting: list[int] = []

    def next(self) -> int:
        """The next number."""
        if not self._waiting:
            self._waiting = self._generator.permutation(self._size).tolist()
        return self._waiting.pop()


def _differ(first: Cell, second: Cell) -> bool:
    """Whether both answers say something else; `3` and `three` are the same."""
    return all(meaning(one) != meaning(other) for one, other in zip(first, second, strict=True))


def _rank(text: str) -> tuple[bool, float, str]:
    """The order of options: numbers by value before texts."""
    try:
        return False, float(text), ""
    except ValueError:
        return True, 0.0, text


def _with_same_words(candidates: Sequence[Row]) -> Iterator[list[Row]]:
    """Candidates by their words."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in candidates:
        found.setdefault((row["original"], row["counterfactual"]), []).append(row)
    for words in sorted(found):
        yield found[words]


def _ordered(options: Sequence[str], right: str, place: int, generator: np.random.Generator) -> tuple[str, ...]:
    """The options in random order, with the right one at a given place."""
    wrong = [option for option in sorted(options) if option != right]
    shuffled = [wrong[number] for number in generator.permutation(len(wrong)).tolist()]
    return (*shuffled[:place], right, *shuffled[place:])
