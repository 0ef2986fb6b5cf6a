"""Worlds of counting puzzles: the contents of an image, drawn from one distribution given a question's words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whatif.benchmarks.cvqa_synthetic.questions import COLUMNS, REGIONS, ROWS, TEMPLATES, Counts, Template
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.engine.errors import WhatifError
from whatif.engine.params.base import Range
from whatif.world.drawing.palette import POLYGON_COLOURS

_CIRCLES = ROWS * COLUMNS
_SETS_AT_ONCE = 64
_LARGEST_NUMBER_OF_BATCHES = 300


@dataclass(frozen=True)
class Words:
    """The variable parts of a puzzle's questions, chosen before the contents of its image."""

    group: str
    colours: tuple[str, str] | None  # of the polygon that the question names and of the other; None for dots
    removed: int | None  # the N of "if N dots were removed", None in the other templates

    @property
    def template(self) -> Template:
        """The question template of this puzzle's group."""
        return TEMPLATES[self.group]

    def answers(self, counts: Counts) -> tuple[Counts, Counts]:
        """The original and the counterfactual answer in each world of `counts`, shape (..., 4 or 6)."""
        template = self.template
        return template.original_answer(counts), template.counterfactual_answer(counts, self.removed or 0)


def draw_words(group: str, settings: GeneratePuzzles, generator: np.random.Generator) -> Words:
    """Two different colours for flower puzzles; for the templates that remove N, an N up to the mean of the count.

    A larger N would give mostly answers near 0.
    """
    template = TEMPLATES[group]
    colours = _draw_colours(generator) if template.subject == "flowers" else None
    removed = None
    if template.removes:
        allowed = _allowed(template, settings)
        counted = len(REGIONS) // 2 if template.subject == "flowers" else _CIRCLES
        removed = int(generator.integers(1, counted * (allowed.low + allowed.high) // 2, endpoint=True))
    return Words(group, colours, removed)


def draw_four_worlds(words: Words, settings: GeneratePuzzles, generator: np.random.Generator) -> Counts:
    """Four worlds that differ pairwise in their original and in their counterfactual answer: counts of shape (4, n).

    The four are drawn independently from one distribution and accepted or rejected as a whole, so they are
    exchangeable. Raises WhatifError when the settings do not allow four different answers.
    """
    for _ in range(_LARGEST_NUMBER_OF_BATCHES):
        worlds = _draw_worlds(words, settings, generator, 4 * _SETS_AT_ONCE)
        sets = worlds[: len(worlds) // 4 * 4].reshape(-1, 4, worlds.shape[1])
        usable = np.ones(len(sets), np.bool_)
        for answers in words.answers(sets):
            usable &= (np.diff(np.sort(answers, axis=1), axis=1) > 0).all(axis=1)
        if usable.any():
            chosen: Counts = sets[usable.argmax()]
            return chosen
    raise WhatifError(_too_narrow(words.template, settings))


def draw_world(group: str, settings: GeneratePuzzles, generator: np.random.Generator) -> tuple[Words, Counts]:
    """One world of shape (n,), and words for it: as in the release, N is from 1 to the count."""
    template = TEMPLATES[group]
    colours = _draw_colours(generator) if template.subject == "flowers" else None
    world = _draw_counts(template, settings, generator, 1)[0]
    removed = None
    if template.removes:
        removed = int(generator.integers(1, int(template.original_answer(world)), endpoint=True))
    return Words(group, colours, removed), world


def _draw_colours(generator: np.random.Generator) -> tuple[str, str]:
    first, second = generator.choice(list(POLYGON_COLOURS), 2, replace=False)
    return str(first), str(second)


def _draw_worlds(words: Words, settings: GeneratePuzzles, generator: np.random.Generator, number: int) -> Counts:
    """Up to `number` worlds with enough to remove: counts of shape (worlds, 4 or 6)."""
    worlds = _draw_counts(words.template, settings, generator, number)
    return worlds if words.removed is None else worlds[words.template.original_answer(worlds) >= words.removed]


def _draw_counts(template: Template, settings: GeneratePuzzles, generator: np.random.Generator, number: int) -> Counts:
    allowed = _allowed(template, settings)
    if template.group == "dot-maximum":
        return _draw_with_one_fullest(allowed, generator, number)
    places = len(REGIONS) if template.subject == "flowers" else _CIRCLES
    return generator.integers(allowed.low, allowed.high, (number, places), endpoint=True)


def _draw_with_one_fullest(allowed: Range, generator: np.random.Generator, number: int) -> Counts:
    """One circle has more dots than every other; independent counts would usually have a tie for the most."""
    if allowed.low == allowed.high:
        raise WhatifError(_too_narrow(TEMPLATES["dot-maximum"], None))
    fullest = generator.integers(allowed.low + 1, allowed.high, (number, 1), endpoint=True)
    runner_up = generator.integers(allowed.low, fullest)
    others = generator.integers(allowed.low, runner_up, (number, _CIRCLES - 2), endpoint=True)
    mixed: Counts = generator.permuted(np.concatenate([fullest, runner_up, others], axis=1), axis=1)
    return mixed


def _allowed(template: Template, settings: GeneratePuzzles) -> Range:
    allowed = settings.flowers_per_region if template.subject == "flowers" else settings.dots_per_circle
    if allowed.low < 1:
        raise WhatifError(
            f"{_parameter(template)}.low: is {allowed.low}, must be at least 1; with a count of 0, "
            "the counterfactual question of some puzzles would have the original's answer"
        )
    return allowed


def _parameter(template: Template) -> str:
    name = "flowers_per_region" if template.subject == "flowers" else "dots_per_circle"
    return f"generate.cvqa-synthetic.{name}"


def _too_narrow(template: Template, settings: GeneratePuzzles | None) -> str:
    allowed = f" (now {_allowed(template, settings).model_dump()})" if settings else ""
    return (
        f"{_parameter(template)}: too narrow for four different answers of {template.group}{allowed}; "
        "high must be further above low, for example low 1 and high 12"
    )
