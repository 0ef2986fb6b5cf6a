"""Options of counting puzzles that cannot be guessed without the image, or options like those of the released file.

Wrong options that are drawn around the correct one reveal it: in the released C-VQA-Synthetic the second smallest of
the four options is correct in 48 of 100 questions. Here the four options are the answers in four worlds that are drawn
from the same distribution.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whatif.benchmarks.cvqa_synthetic.questions import Counts
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.benchmarks.cvqa_synthetic.worlds import Words, draw_four_worlds, draw_words, draw_world
from whatif.engine.random_streams import stream

LETTERS = "ABCD"
VARIANTS = ("original", "counterfactual")
# Measured in the released file: its wrong options are uniform over these differences from the correct one.
_RELEASED_DIFFERENCES = (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6)


@dataclass(frozen=True)
class Asked:
    """A question with its four options, the letter of the correct one, and its number."""

    question: str
    choices: tuple[str, ...]
    letter: str
    number: int


@dataclass(frozen=True)
class PuzzleText:
    """Both questions of a puzzle, and the counts that its image must show: 4 regions or 6 circles."""

    words: Words
    counts: tuple[int, ...]
    original: Asked
    counterfactual: Asked


def puzzle_text(group: str, number: int, seed: int, settings: GeneratePuzzles) -> PuzzleText:
    """Questions, options and counts of puzzle `number` (from 0) of a group (C-VQA 3.3).

    Depends only on the arguments, so any shard can make any puzzle. Over the `puzzles_per_template` puzzles of a group
    the correct option has each letter equally often, to within one. With `options: exchangeable` it is also equally
    often the smallest, second, third and largest of the original question's options.

    Raises WhatifError when a range of the settings is too narrow for four different answers.
    """
    total = settings.puzzles_per_template
    if not 0 <= number < total:
        raise ValueError(f"puzzle {number} of {total}")
    generator = stream(seed, "puzzle-text", group, number)
    if settings.options == "exchangeable":
        rank = int(_balanced_schedule(total, seed, "ranks", group)[number])
        words, counts, wrong = _exchangeable(group, rank, settings, generator)
    else:
        words, counts, wrong = _released(group, settings, generator)
    right = [int(answer) for answer in words.answers(counts)]
    asked = []
    for variant, right_number, wrong_numbers in zip(VARIANTS, right, wrong, strict=True):
        place = int(_balanced_schedule(total, seed, "letters", group, variant)[number])
        choices = [str(wrong_number) for wrong_number in generator.permutation(wrong_numbers)]
        choices.insert(place, str(right_number))
        question = words.template.question(variant, words.colours, words.removed)
        asked.append(Asked(question, tuple(choices), LETTERS[place], right_number))
    return PuzzleText(words, tuple(int(count) for count in counts), asked[0], asked[1])


def _exchangeable(
    group: str, rank: int, settings: GeneratePuzzles, generator: np.random.Generator
) -> tuple[Words, Counts, list[Sequence[int]]]:
    """The displayed world is the one whose original answer has the scheduled rank; the others give the wrong options.

    The rank is independent of the worlds. So, given the words and the set of four, each world is equally likely to be
    displayed, and no rule that uses only the text can be better than one in four.
    """
    words = draw_words(group, settings, generator)
    worlds = draw_four_worlds(words, settings, generator)
    original, counterfactual = words.answers(worlds)
    shown = int(np.argsort(original)[rank])
    others = [world for world in range(4) if world != shown]
    return words, worlds[shown], [original[others].tolist(), counterfactual[others].tolist()]


def _released(
    group: str, settings: GeneratePuzzles, generator: np.random.Generator
) -> tuple[Words, Counts, list[Sequence[int]]]:
    """The method of the released file, including its shortcut: three wrong options close to the correct one."""
    words, world = draw_world(group, settings, generator)
    wrong: list[Sequence[int]] = []
    for right in words.answers(world):
        near = [int(right) + difference for difference in _RELEASED_DIFFERENCES if right + difference >= 0]
        wrong.append(generator.choice(near, 3, replace=False).tolist())
    return words, world, wrong


@functools.lru_cache(maxsize=64)
def _balanced_schedule(length: int, seed: int, *names: str) -> npt.NDArray[np.int8]:
    """A shuffle of 0, 1, 2, 3 repeated up to `length`; a remainder is assigned at random, too."""
    generator = stream(seed, "schedule", *names, length)
    repeated = (np.arange(length) + generator.integers(4)) % 4
    return generator.permutation(repeated.astype(np.int8))
