"""Counting puzzles for training: small images, the positions of their objects, and their questions (C-VQA 3.3).

They are laid out and drawn by the benchmark's code, from separate streams of random numbers: no value of the
benchmark's seed gives an image that was used for training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.benchmarks.cvqa_synthetic.questions import GROUPS, REGIONS, TEMPLATES
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.benchmarks.cvqa_synthetic.worlds import Words
from whatif.engine.progress import progress
from whatif.engine.random_streams import stream

_OTHER_FIRST = [0, 2, 1, 3]  # the regions if the question names the other polygon
_MASK_SIDE = 24


@dataclass(frozen=True)
class PuzzleExample:
    """A training puzzle. Positions are fractions of the image's side; a mask's pixel is its fraction in a polygon."""

    picture: npt.NDArray[np.uint8]  # (side, side, 3)
    places: npt.NDArray[np.float32]  # (things, 2): x, y
    owners: npt.NDArray[np.int64]  # dots: (things,) the circle; flowers: (things, 2) whether inside either polygon
    counts: tuple[int, ...]  # of the regions or of the circles
    colours: tuple[str, str] | None  # of the polygons
    masks: npt.NDArray[np.float32] | None  # (2, 24, 24), the inside of each polygon


def draw_puzzles(subject: str, number: int, seed: int, settings: GeneratePuzzles, side: int) -> list[PuzzleExample]:
    """The first `number` puzzles of `flowers` or `dots`, reduced to `side` pixels as a processor would.

    Groups of four share their words, drawn like the benchmark's worlds. Raises WhatifError as the layouts do.
    """
    from whatif.benchmarks.cvqa_synthetic.flowers import drawn_flowers
    from whatif.benchmarks.cvqa_synthetic.puzzle_image import FlowerPictures
    from whatif.benchmarks.cvqa_synthetic.worlds import draw_four_worlds, draw_words

    flowers = FlowerPictures(drawn_flowers(96))
    groups = [group for group in GROUPS if TEMPLATES[group].subject == subject]
    examples: list[PuzzleExample] = []
    fours = range((number + 3) // 4)
    for four in progress(fours, len(fours), f"{subject} to train on", " x 4 puzzles"):
        group = groups[four % len(groups)]
        generator = stream(seed, "training-puzzle", group, four)
        words = draw_words(group, settings, generator)
        for world in draw_four_worlds(words, settings, generator):
            name = f"training-{seed}-{subject}-{len(examples)}"
            example = _example(name, words, world.tolist(), flowers, settings=settings, side=side, generator=generator)
            examples.append(example)
    return examples[:number]


def puzzle_questions(
    example: PuzzleExample, generator: np.random.Generator, counterfactual: bool
) -> list[tuple[str, str]]:
    """Every original question of a puzzle with its answer; on request also every counterfactual one."""
    views: list[tuple[tuple[str, str] | None, npt.NDArray[np.int64]]] = [(example.colours, np.array(example.counts))]
    if example.colours is not None:
        first, second = example.colours
        views.append(((second, first), views[0][1][_OTHER_FIRST]))
    subject = "dots" if example.colours is None else "flowers"
    asked: dict[str, str] = {}
    for template in TEMPLATES.values():
        for colours, counts in views if template.subject == subject else ():
            right = int(template.original_answer(counts))
            asked[template.question("original", colours, None)] = str(right)
            if counterfactual:
                removed = int(generator.integers(1, right, endpoint=True)) if template.removes else 0
                answer = int(template.counterfactual_answer(counts, removed))
                asked[template.question("counterfactual", colours, removed)] = str(answer)
    return sorted(asked.items())


def turned(example: PuzzleExample, turn: int) -> PuzzleExample:
    """One of the eight orientations of a flower puzzle (turn 0 to 7), or of the four mirrorings of a dot puzzle.

    Mirrored circles change their rows and columns, and so their numbers.
    """
    picture, places, masks = example.picture, example.places, example.masks
    grid = np.arange(6).reshape(2, 3)
    if turn & 1:
        picture, grid = picture[:, ::-1], grid[:, ::-1]
        places = np.stack([1 - places[:, 0], places[:, 1]], axis=1)
        masks = None if masks is None else masks[:, :, ::-1]
    if turn & 2:
        picture, grid = picture[::-1], grid[::-1]
        places = np.stack([places[:, 0], 1 - places[:, 1]], axis=1)
        masks = None if masks is None else masks[:, ::-1]
    if example.colours is None:
        old = grid.ravel()  # the former number of the circle that is now 0th, 1st, ...
        new = np.argsort(old)
        counts = tuple(example.counts[place] for place in old)
        return PuzzleExample(picture, places, new[example.owners], counts, None, None)
    if turn & 4 and masks is not None:
        picture, places, masks = picture.transpose(1, 0, 2), places[:, ::-1], masks.transpose(0, 2, 1)
    return PuzzleExample(picture, places, example.owners, example.counts, example.colours, masks)


def _example(
    name: str,
    words: Words,
    counts: Sequence[int],
    flowers: Any,
    *,
    settings: GeneratePuzzles,
    side: int,
    generator: np.random.Generator,
) -> PuzzleExample:
    from PIL import Image

    from whatif.benchmarks.cvqa_synthetic.dot_puzzle import lay_out_dots
    from whatif.benchmarks.cvqa_synthetic.flower_puzzle import lay_out_flowers
    from whatif.benchmarks.cvqa_synthetic.puzzle_image import puzzle_picture

    size = settings.image_size
    if words.colours is None:
        scene = lay_out_dots(counts, settings, generator)
        found: list[tuple[Any, Any]] = [
            (dot, circle) for circle, drawn in enumerate(scene["circles"]) for dot in drawn["dots"]
        ]
    else:
        assert len(counts) == len(REGIONS)
        scene = lay_out_flowers(counts, words.colours, flowers.image_ids, settings, generator)
        found = [(flower, (flower["inside_first"], flower["inside_second"])) for flower in scene["flowers"]]
    picture = puzzle_picture({"pair_id": name, "image_size": size, **scene}, flowers)
    return PuzzleExample(
        picture=np.asarray(picture.resize((side, side), Image.Resampling.BICUBIC)),
        places=np.array([(thing["x"] / size, thing["y"] / size) for thing, _ in found], np.float32),
        owners=np.array([owner for _, owner in found], np.int64),
        counts=tuple(counts),
        colours=words.colours,
        masks=np.stack([_mask(polygon, size) for polygon in scene["polygons"]]) if scene["polygons"] else None,
    )


def _mask(polygon: dict[str, Any], size: int) -> npt.NDArray[np.float32]:
    from PIL import Image, ImageDraw

    finer = 4 * _MASK_SIDE
    mask = Image.new("L", (finer, finer))
    corners = [(corner["x"] * finer / size, corner["y"] * finer / size) for corner in polygon["points"]]
    ImageDraw.Draw(mask).polygon(corners, fill=255)
    return np.asarray(mask.reduce(4), np.float32) / np.float32(255)
