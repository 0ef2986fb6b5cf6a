"""Checks counting puzzles by the geometry of their scenes: crowding, and contradictions to the answers.

The checks do not use what a generator planned: flowers are counted by the positions of their centres, dots by the
circle that they are in, and a counterfactual answer by applying the change to the scene and counting again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whatif.benchmarks.cvqa_synthetic import dot_puzzle, flower_puzzle
from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES
from whatif.benchmarks.cvqa_synthetic.settings import FilterPuzzles
from whatif.world.drawing.geometry import (
    Flags,
    Numbers,
    distance_to_outline,
    inside,
    points_of,
    region_shares,
    smallest_gap,
)

_ROUNDING = 1e-6  # tolerance for equal lengths, in pixels or radii
_CIRCLES = 6
_LETTERS = ("A", "B", "C", "D")


def crowding_reason(row: Mapping[str, Any], settings: FilterPuzzles) -> str | None:
    """Why a row of the table `puzzles` is too crowded, as `<reason>: <detail>`; None if it is not.

    - `small-region`: one of the four regions of a flower puzzle has less than `smallest_region` of the image;
    - `flower-on-outline`: a flower's disc reaches an outline or the border of the image;
    - `narrow-gap`: the gap between two flowers, or two dots, is less than `smallest_gap` of their radius.
    """
    if row["polygons"]:
        share = min(region_shares(*_polygons(row), row["image_size"]))
        if share < settings.smallest_region - _ROUNDING:
            return f"small-region: {share:.2%} of the picture, below {settings.smallest_region:.2%}"
        clearance = _flower_clearance(row).min(initial=np.inf)
        if clearance < -_ROUNDING:
            return f"flower-on-outline: a flower reaches {-clearance:.1f} pixels into an outline or beyond the picture"
    gap = _smallest_gap_in_radii(row)
    if gap < settings.smallest_gap - _ROUNDING:
        return f"narrow-gap: {gap:.2f} radii between neighbours, below {settings.smallest_gap:.2f}"
    return None


def answers_from_scene(row: Mapping[str, Any]) -> tuple[int, int]:
    """The original and the counterfactual answer, counted in the stored scene (C-VQA Table 2).

    Uses `group`, `removed` and the positions of polygons, flowers, circles and dots, but neither the flags of flowers
    nor the stored answers. Raises KeyError for an unknown group.
    """
    group, removed = row["group"], row["removed"] or 0
    if row["polygons"]:
        in_first, in_second = _regions(row)
        return {
            "flower-recolour": (_count(~in_first), _count(~(in_first | in_second))),
            "flower-removal": (_count(in_first), _count(in_first) - removed),
            "flower-removal-other": (_count(in_first), _count(in_first[~in_second])),
        }[group]
    dots = _dots_by_circle(row)
    # By position, not by the stored row and column: the top row is above the middle, the right column ends the rows.
    top = sorted(range(len(dots)), key=lambda circle: float(row["circles"][circle]["y"]))[: len(dots) // 2]
    rightmost = sorted(range(len(dots)), key=lambda circle: float(row["circles"][circle]["x"]))[-2:]
    fullest = max(range(len(dots)), key=lambda circle: dots[circle], default=0)
    without_fullest = [count for circle, count in enumerate(dots) if circle != fullest]
    return {
        "dot-removal": (sum(dots), sum(dots) - removed),
        "dot-columns": (
            sum(dots[circle] for circle in top),
            sum(dots[circle] for circle in top if circle not in rightmost),
        ),
        "dot-maximum": (max(dots, default=0), max(without_fullest, default=0)),
    }[group]


def scene_defects(row: Mapping[str, Any]) -> list[str]:
    """The defects of a row of `puzzles`, one line each; empty for a correct puzzle.

    Checks the scene for consistency (flags, discs, outlines, circles, dots) and the stored answers against the scene:
    they must equal the counts, must not be negative, and must differ from each other.
    """
    unfit = _unfit_for_its_group(row)
    if unfit:
        return [unfit]
    defects = _flower_defects(row) if row["polygons"] else _dot_defects(row)
    stored = row["original_answer"], row["counterfactual_answer"]
    counted = answers_from_scene(row)
    for variant, said, found in zip(("original", "counterfactual"), stored, counted, strict=True):
        if said != found:
            defects.append(f"{variant}_answer: is {said}, the scene shows {found}")
    if counted[0] == counted[1]:
        defects.append(f"answers: both are {counted[0]}, the presupposition changes nothing")
    if min(counted) < 0:
        defects.append(f"removed: {row['removed']} are more than the {counted[0]} that there are")
    return defects


def question_defects(row: Mapping[str, Any], questions: Sequence[Mapping[str, Any]]) -> list[str]:
    """The defects of the pair of questions of a puzzle, one line each.

    `row` is of the table `puzzles`, `questions` are its rows of `questions`. There must be one original and one
    counterfactual question, worded by the template with the scene's colours and number, about the puzzle's image; four
    different options that are whole numbers; and, at the letter of the answer, the number that the scene shows.
    """
    variants = sorted(question["variant"] for question in questions)
    if variants != ["counterfactual", "original"]:
        return [f"questions: must be one original and one counterfactual, are {', '.join(variants) or 'none'}"]
    original, counterfactual = answers_from_scene(row)
    defects = []
    for question in questions:
        right = original if question["variant"] == "original" else counterfactual
        defects += [f"{question['question_id']}: {defect}" for defect in _wording_defects(row, question)]
        defects += [f"{question['question_id']}: {defect}" for defect in _answer_defects(question, right)]
    return defects


def _wording_defects(row: Mapping[str, Any], question: Mapping[str, Any]) -> list[str]:
    defects = []
    first, second = (polygon["colour"] for polygon in row["polygons"]) if row["polygons"] else ("", "")
    expected = TEMPLATES[row["group"]].question(question["variant"], (first, second), row["removed"])
    if question["question"] != expected:
        defects.append(f"asks `{question['question']}`, the scene is one for `{expected}`")
    if list(question["image_ids"]) != [row["image_id"]]:
        defects.append("is about another picture than that of its puzzle")
    return defects


def option_defects(question: Mapping[str, Any]) -> list[str]:
    """The defects of a question's options and letter: four different whole numbers, and the letter of one of them."""
    choices, letter = question["choices"] or [], question["answer"]
    if len(choices) != len(_LETTERS) or len(set(choices)) != len(_LETTERS):
        return [f"must have four different options, has {', '.join(choices) or 'none'}"]
    if not all(choice.isascii() and choice.isdigit() for choice in choices):
        return [f"its options must be whole numbers, are {', '.join(choices)}"]
    if letter not in _LETTERS:
        return [f"its answer must be one of {', '.join(_LETTERS)}, is {letter}"]
    return []


def _answer_defects(question: Mapping[str, Any], right: int) -> list[str]:
    if defects := option_defects(question):
        return defects
    letter = question["answer"]
    said = question["choices"][_LETTERS.index(letter)]
    return [] if said == str(right) else [f"its answer {letter} says {said}, the scene shows {right}"]


def _unfit_for_its_group(row: Mapping[str, Any]) -> str | None:
    """The reason why the group's question cannot be asked about this scene, or None."""
    if row["group"] not in TEMPLATES:
        return f"group: is {row['group']}, must be one of {', '.join(TEMPLATES)}"
    if TEMPLATES[row["group"]].subject == "flowers":
        if len({polygon["colour"] for polygon in row["polygons"]}) != 2 or len(row["polygons"]) != 2:
            return "polygons: must be two of different colours"
    elif len(row["circles"]) != _CIRCLES or row["dot_radius"] is None:
        return "circles: must be six, with a radius for their dots"
    return None


def _flower_defects(row: Mapping[str, Any]) -> list[str]:
    defects = []
    if not flower_puzzle.outlines_are_distinct(*_polygons(row), row["image_size"]):
        defects.append("polygons: their outlines do not cross exactly twice, or run too near to each other")
    clearance = _flower_clearance(row)
    for number, (flower, in_first, in_second) in enumerate(zip(row["flowers"], *_regions(row), strict=True)):
        if (flower["inside_first"], flower["inside_second"]) != (bool(in_first), bool(in_second)):
            defects.append(f"flower {number}: its region is not the one that is stored")
        if clearance[number] < -_ROUNDING:
            defects.append(f"flower {number}: its disc reaches an outline or the border of the picture")
    if _smallest_gap_in_radii(row) < -_ROUNDING:
        defects.append("flowers: two discs overlap")
    return defects


def _dot_defects(row: Mapping[str, Any]) -> list[str]:
    circles, side, defects = row["circles"], row["image_size"], []
    if not dot_puzzle.rows_and_columns_are_clear(circles):
        defects.append("circles: must be in two rows of three that do not reach into each other")
    for number, circle in enumerate(circles):
        centre = np.array([circle["x"], circle["y"]])
        if min(*centre, *(side - centre)) < circle["radius"] - _ROUNDING:
            defects.append(f"circle {number}: reaches beyond the picture")
        reach = np.hypot(*(points_of(circle["dots"]) - centre).T) + row["dot_radius"]
        if (reach > circle["radius"] - dot_puzzle.OUTLINE_WIDTH * side + _ROUNDING).any():
            defects.append(f"circle {number}: a dot is not entirely inside")
    if _smallest_gap_in_radii(row) < -_ROUNDING:
        defects.append("dots: two overlap")
    dots = _dots_by_circle(row)
    if sum(dots) != sum(len(circle["dots"]) for circle in circles):
        defects.append("dots: some are in no circle, or in two")
    if row["group"] == "dot-maximum" and dots.count(max(dots)) > 1:
        defects.append("circles: the one with most dots is not unique")
    return defects


def _polygons(row: Mapping[str, Any]) -> tuple[Numbers, Numbers]:
    first, second = (points_of(polygon["points"]) for polygon in row["polygons"])
    return first, second


def _regions(row: Mapping[str, Any]) -> tuple[Flags, Flags]:
    """Whether each flower's centre is inside the first polygon, and inside the second."""
    centres = points_of(row["flowers"])
    first, second = (inside(centres, polygon) for polygon in _polygons(row))
    return first, second


def _count(flags: Flags) -> int:
    return int(flags.sum())


def _flower_clearance(row: Mapping[str, Any]) -> Numbers:
    """The gap of each flower's disc to the nearest painted outline or border of the image, in pixels: (n,)."""
    side, centres = row["image_size"], points_of(row["flowers"])
    radii = np.array([flower["radius"] for flower in row["flowers"]])
    to_outline = np.minimum(*(distance_to_outline(centres, polygon) for polygon in _polygons(row)))
    to_border: Numbers = np.minimum(centres, side - centres).min(axis=1, initial=np.inf)
    clearance: Numbers = np.minimum(to_outline - flower_puzzle.OUTLINE_WIDTH / 2 * side, to_border) - radii
    return clearance


def _smallest_gap_in_radii(row: Mapping[str, Any]) -> float:
    """The smallest gap between flowers or between dots, in radii of the largest; inf for a single one."""
    if row["polygons"]:
        centres = points_of(row["flowers"])
        radii = np.array([flower["radius"] for flower in row["flowers"]], np.float64)
    else:
        centres = points_of([dot for circle in row["circles"] for dot in circle["dots"]])
        radii = np.full(len(centres), row["dot_radius"], np.float64)
    return smallest_gap(centres, radii) / float(radii.max(initial=0) or 1)


def _dots_by_circle(row: Mapping[str, Any]) -> list[int]:
    """The number of dots in each circle, from all dots of the image, independent of the circle stored with a dot."""
    dots = points_of([dot for circle in row["circles"] for dot in circle["dots"]])
    return [
        int((np.hypot(dots[:, 0] - circle["x"], dots[:, 1] - circle["y"]) < circle["radius"]).sum())
        for circle in row["circles"]
    ]
