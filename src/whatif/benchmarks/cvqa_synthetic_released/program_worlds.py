"""Runs programs for the released questions in drawn puzzles with the same words (C-VQA 4.2).

The released images are not needed: a program is right if it gives the right number in several puzzles that are drawn
for the words of its question, with tools that know what is drawn. So this judges programs apart from their tools, as
the paper does by reading them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from whatif.benchmarks.cvqa_synthetic.dot_puzzle import lay_out_dots
from whatif.benchmarks.cvqa_synthetic.flower_puzzle import lay_out_flowers
from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES, Counts
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.benchmarks.cvqa_synthetic.worlds import Words, draw_four_worlds
from whatif.benchmarks.cvqa_synthetic_released.wording import Reading, readings
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.params.base import Range
from whatif.engine.random_streams import stream
from whatif.models.programs.interfaces import Finished
from whatif.world.drawing.palette import POLYGON_COLOURS

MOST_WORLDS = 4  # they are drawn in fours, which differ in both answers
Puzzle: TypeAlias = Mapping[str, Any]
# Runs a program in a drawn puzzle, with tools that know it.
RunIn: TypeAlias = Callable[[str, Puzzle], Finished]
# `right` in all puzzles; `wrong` number or `failed` in one; `no program`; `not read`: the question fits no template.
Judged: TypeAlias = Literal["right", "wrong", "failed", "no program", "not read"]
JUDGED: tuple[Judged, ...] = ("right", "wrong", "failed", "no program", "not read")
_IMAGE_SIDE = 448
_LARGEST_COUNT = 24  # of flowers in a region or dots in a circle, where the words remove many


@dataclass(frozen=True)
class JudgedProgram:
    """A program of a released question, how it is judged, and the first thing that went wrong."""

    question_id: str
    group: str
    variant: str
    judged: Judged
    detail: str = ""


@dataclass(frozen=True)
class World:
    """A drawn puzzle, as a row of the table `puzzles`, and the answers to its two questions."""

    puzzle: Puzzle
    answers: Mapping[str, int]


def judge_programs(
    pairs: Iterable[tuple[str, Sequence[Mapping[str, Any]]]],
    programs: Mapping[str, str | None],
    run: RunIn,
    *,
    worlds: int,
    seed: int,
) -> Iterator[JudgedProgram]:
    """The judgement of each question's program. `pairs` are those of `tasks.pairs_of` for the table `questions`.

    `programs` has the program of each question by its id, None where its writer gave none. The same puzzles are used
    for both questions of a pair; they depend on the seed, the pair's id and the words only. Raises ValueError for a
    number of worlds that is not from 1 to MOST_WORLDS, and KeyError for a question that `programs` does not have.
    """
    if not 1 <= worlds <= MOST_WORLDS:
        raise ValueError(f"worlds is {worlds}, must be from 1 to {MOST_WORLDS}")
    for pair_id, pair in pairs:
        drawn: dict[Reading, list[World]] = {}
        for question in pair:
            reading = _reading(question, pair)
            code = programs[question["question_id"]]
            if reading is not None and code is not None and reading not in drawn:
                drawn[reading] = drawn_worlds(reading, worlds, seed, pair_id)
            yield _judged(question, code, None if reading is None else drawn.get(reading, []), run)


def drawn_worlds(reading: Reading, number: int, seed: int, pair_id: str) -> list[World]:
    """So many puzzles in which the words of a question make sense, with pairwise different answers.

    Raises WhatifError where no puzzle has room for what the words say.
    """
    generator = stream(seed, "program worlds", pair_id, canonical_json(vars(reading)))
    words = Words(reading.group, _colours(reading, generator), reading.removed)
    template = TEMPLATES[reading.group]
    counts, settings = _counts(words, generator)
    worlds = []
    for one in counts[:number]:
        if words.colours is None:
            scene = lay_out_dots(one, settings, generator)
        else:
            scene = lay_out_flowers(one, words.colours, ("flower",), settings, generator)
        original, counterfactual = (int(answer) for answer in words.answers(one))
        puzzle = {"pair_id": pair_id, "group": template.group, "image_size": settings.image_size, **scene}
        worlds.append(World(puzzle, {"original": original, "counterfactual": counterfactual}))
    return worlds


def _reading(question: Mapping[str, Any], pair: Sequence[Mapping[str, Any]]) -> Reading | None:
    """How a question reads in its group; an original question has the words of its counterfactual, where both agree."""
    group = question["group"]
    own = readings(question["question"], question["variant"]).get(group)
    other = next((row for row in pair if row["variant"] == "counterfactual"), None)
    fuller = None if other is None else readings(other["question"], "counterfactual").get(group)
    return fuller if own is not None and fuller is not None and fuller.first == own.first else own


def _colours(reading: Reading, generator: np.random.Generator) -> tuple[str, str] | None:
    """The colours of the two polygons; one that the words do not name is drawn."""
    if reading.first is None:
        return None
    if reading.second is not None and reading.second != reading.first:
        return reading.first, reading.second
    others = [colour for colour in POLYGON_COLOURS if colour != reading.first]
    return reading.first, others[int(generator.integers(len(others)))]


def _counts(words: Words, generator: np.random.Generator) -> tuple[Counts, GeneratePuzzles]:
    """Counts of four worlds, and the settings that they fit; more things where the words remove many."""
    for largest in range(9, _LARGEST_COUNT + 1, 3):
        settings = _settings(largest)
        try:
            return draw_four_worlds(words, settings, generator), settings
        except WhatifError:
            continue
    raise WhatifError(f"{words.group}: no puzzle with {_LARGEST_COUNT} things in a place has {words.removed} to remove")


def _settings(largest: int) -> GeneratePuzzles:
    """The settings of the drawn puzzles. Things may be closer than in puzzles that are shown to models."""
    return GeneratePuzzles(
        puzzles_per_template=1,
        shards=1,
        image_size=_IMAGE_SIDE,
        options="exchangeable",
        flowers_per_region=Range(low=1, high=largest),
        dots_per_circle=Range(low=1, high=largest),
        smallest_region=0.03,
        smallest_gap=0,
    )


def _judged(question: Mapping[str, Any], code: str | None, worlds: Sequence[World] | None, run: RunIn) -> JudgedProgram:
    identity = (str(question["question_id"]), str(question["group"]), str(question["variant"]))
    if code is None:
        return JudgedProgram(*identity, "no program")
    if worlds is None:
        return JudgedProgram(*identity, "not read", "the question fits no template of its group")
    for world in worlds:
        finished = run(code, world.puzzle)
        expected = world.answers[question["variant"]]
        if finished.outcome != "ok":
            return JudgedProgram(*identity, "failed", f"{finished.outcome}: {finished.reason}")
        if not is_number(finished.value, expected):
            return JudgedProgram(*identity, "wrong", f"{finished.value} instead of {expected}")
    return JudgedProgram(*identity, "right")


def is_number(value: Any, expected: int) -> bool:
    """Whether the value of a program is a whole number, as a number or in figures."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return False
    try:
        return float(value) == expected
    except ValueError:
        return False
