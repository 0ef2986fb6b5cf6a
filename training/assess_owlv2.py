"""Measures how well a detector finds the things of held-out scenes, and what it finds in counting puzzles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from training.accuracies import share
from training.owlv2_finder import Boxes, Finder, kept, overlap
from training.owlv2_losses import box_of
from training.owlv2_queries import KINDS, WORDINGS, Query, changed, query_of
from training.puzzle_examples import draw_puzzles
from training.recipes import load_recipes
from whatif.engine.random_streams import stream
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import Scene, draw_scene, one_of

Box: TypeAlias = tuple[float, float, float, float]

SCENES = 1000  # of the split `test`
PUZZLES = 100  # of each subject
TO_CHOOSE = 500  # scenes of the split `validation` that determine the least score
_LEAST_SCORES = tuple(round(0.05 * step, 2) for step in range(1, 20))
_RIGHT_PLACE = 0.5  # the least overlap (IoU) of a box with its thing
_SCENE_SIDE = 224  # pixels, as in the default run
_SEED = 20_27
_HALVES: tuple[Box, ...] = ((0, 0, 0.5, 1), (0.5, 0, 1, 1), (0, 0, 1, 0.5), (0, 0.5, 1, 1))
_MARGIN = 0.1  # on each side of a thing, as a fraction of its width
_ABSENT = "other"  # kinds of queries with one word changed


@dataclass(frozen=True)
class _Question:
    """A query of a kind about a scene, and every candidate for an answer."""

    kind: str
    query: Query
    scene: Scene
    candidates: Boxes

    @property
    def wanted(self) -> list[NDArray[np.float64]]:
        """The boxes of the things that the query asks for."""
        boxes = [np.array(box_of(thing)) for thing in self.scene.things if self.query.finds(thing)]
        return [np.concatenate([box[:2] - box[2:] / 2, box[:2] + box[2:] / 2]) for box in boxes]

    def count_is_right(self, least_score: float) -> bool:
        """Whether as many things are found as there are."""
        return len(kept(self.candidates, least_score)) == len(self.wanted)


def assess_owlv2(
    folder: Path, scenes: int = SCENES, puzzles: int = PUZZLES, to_choose: int = TO_CHOOSE
) -> dict[str, Any]:
    """Shares of the OWLv2 in `folder` on scenes of the split `test`, with n and Wilson intervals, by kind of query.

    Each scene is asked a query of each kind about one of its things, in a random wording, and those with one word
    changed (`other`), which mostly find nothing. `count`: as many boxes as things; beside it, how often the most
    frequent number is right (`majority`). `precision` and `recall`: boxes and things that have a partner, with an
    intersection over union of at least one half. `least score` is the score of a box that gives the most right counts
    on scenes of the split `validation`; it is used for all shares.

    `crops`: right counts of `thing` in halves of scenes and in crops around one thing. `puzzles`: right counts of all
    flowers and dots, for queries that name them and for `thing`. It was not trained on puzzles.
    """
    finder = Finder(folder)
    least = _best_least_score(_asked(finder, "validation", to_choose))
    asked = _asked(finder, "test", scenes)
    table: dict[str, Any] = {}
    for kind in dict.fromkeys(one.kind for one in asked):
        table[kind] = _shares([one for one in asked if one.kind == kind], least)
    return {
        "scenes": table,
        "crops": _in_crops(finder, max(1, scenes // 2), least),
        "puzzles": {subject: _in_puzzles(finder, subject, puzzles, least) for subject in ("flowers", "dots")},
        "least score": least,
    }


def _asked(finder: Finder, split: str, number: int) -> list[_Question]:
    """Queries of every kind about the scenes of a split."""
    scenes = [draw_scene(split, place, _SEED) for place in range(number)]
    rows = []
    for place, scene in enumerate(scenes):
        generator = stream(_SEED, "detector", split, place)
        of_kind = {kind: query_of(one_of(scene.things, generator), kind) for kind in KINDS}
        others = {f"{_ABSENT} {kind}": changed(query, generator) for kind, query in of_kind.items() if KINDS[kind]}
        rows.append(
            [(kind, query, query.text(int(generator.integers(WORDINGS)))) for kind, query in (of_kind | others).items()]
        )
    pictures = [draw_scene_picture(scene, _SCENE_SIDE) for scene in scenes]
    found = finder.candidates(pictures, [[text for _, _, text in row] for row in rows])
    return [
        _Question(kind, query, scene, candidates)
        for scene, row, by_query in zip(scenes, rows, found, strict=True)
        for (kind, query, _), candidates in zip(row, by_query, strict=True)
    ]


def _best_least_score(asked: Sequence[_Question]) -> float:
    """The least score with the most right counts; of several, the middle one."""
    right = {least: sum(one.count_is_right(least) for one in asked) for least in _LEAST_SCORES}
    best = [least for least, number in right.items() if number == max(right.values())]
    return best[len(best) // 2]


def _shares(asked: Sequence[_Question], least: float) -> dict[str, Any]:
    """The shares of one kind of query: with the places of boxes, unless most of the queries find nothing."""
    numbers = Counter(len(one.wanted) for one in asked)
    (usual, often) = max(numbers.items(), key=lambda item: (item[1], -item[0]))
    shares = {"count": share([one.count_is_right(least) for one in asked], majority=often / len(asked))}
    if usual > 0:
        partners = [_partners(kept(one.candidates, least), one.wanted) for one in asked]
        for name, side in (("precision", 0), ("recall", 1)):
            shares[name] = share([right for pair in partners for right in pair[side]])
    return shares


def _partners(boxes: Boxes, wanted: Sequence[NDArray[np.float64]]) -> tuple[list[bool], list[bool]]:
    """Whether each box has a thing, and each thing a box; the best box chooses first, and each has one partner."""
    taken = [False] * len(wanted)
    placed = []
    for box in boxes:
        overlaps = [0.0 if gone else overlap(box, thing) for gone, thing in zip(taken, wanted, strict=True)]
        nearest = int(np.argmax(overlaps)) if overlaps else 0
        placed.append(bool(overlaps) and overlaps[nearest] >= _RIGHT_PLACE)
        if placed[-1]:
            taken[nearest] = True
    return placed, taken


def _in_crops(finder: Finder, number: int, least: float) -> dict[str, Any]:
    """The right counts of `thing` in a half of each scene, and in the square around one thing and a margin.

    A thing that is cut may be found or not: a count is right from the number of things that are inside by three
    quarters to that of those inside by a tenth.
    """
    generator = stream(_SEED, "detector", "crops")
    crops: dict[str, list[tuple[Scene, Box]]] = {"half of a scene": [], "around a thing": []}
    for place in range(number):
        scene = draw_scene("test", place, _SEED)
        crops["half of a scene"].append((scene, _HALVES[place % len(_HALVES)]))
        x, y, side, _ = box_of(one_of(scene.things, generator))
        reach = (0.5 + _MARGIN) * side
        crops["around a thing"].append((scene, (x - reach, y - reach, x + reach, y + reach)))
    table: dict[str, Any] = {}
    for name, cut in crops.items():
        pictures = [_cut(*one) for one in cut]
        found = finder.candidates(pictures, [["thing"]] * len(cut))
        counts = [len(kept(by_query[0], least)) for by_query in found]
        inside = [[_part_inside(box_of(thing), box) for thing in scene.things] for scene, box in cut]
        table[name] = share(
            [
                sum(part >= 0.75 for part in parts) <= count <= sum(part >= 0.1 for part in parts)
                for count, parts in zip(counts, inside, strict=True)
            ]
        )
    return table


def _cut(scene: Scene, crop: Box) -> Any:
    """The part of a scene's image; what is outside of the image is black."""
    left, top, right, bottom = (round(edge * _SCENE_SIDE) for edge in crop)
    return draw_scene_picture(scene, _SCENE_SIDE).crop((left, top, right, bottom))


def _part_inside(thing: Box, crop: Box) -> float:
    """The share of a thing (centre, width, height) that is inside a crop (left, top, right, bottom)."""
    x, y, width, height = thing
    across = min(x + width / 2, crop[2]) - max(x - width / 2, crop[0])
    down = min(y + height / 2, crop[3]) - max(y - height / 2, crop[1])
    return max(0.0, across) * max(0.0, down) / (width * height)


def _in_puzzles(finder: Finder, subject: str, number: int, least: float) -> dict[str, Any]:
    """The right counts of the flowers or dots of puzzles, and how many there are and are found on average."""
    settings = load_recipes().puzzles
    examples = draw_puzzles(subject, number, _SEED, settings, settings.image_size)
    texts = [subject.removesuffix("s"), "thing"]
    candidates = finder.candidates([one.picture for one in examples], [texts] * len(examples))
    there = [len(one.places) for one in examples]
    table: dict[str, Any] = {}
    for row, text in enumerate(texts):
        found = [len(kept(of_picture[row], least)) for of_picture in candidates]
        right = [one == wanted for one, wanted in zip(found, there, strict=True)]
        table[text] = {"count": share(right, majority=max(Counter(there).values()) / len(there))}
        table[text]["found on average"] = round(sum(found) / len(found), 2)
    return {**table, "there on average": round(sum(there) / len(there), 2)}
