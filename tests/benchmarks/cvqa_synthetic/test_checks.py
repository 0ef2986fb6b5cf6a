"""Judging puzzles by their scenes: crowding, recounting, and every kind of contradiction."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.world.scenes import puzzle, puzzle_settings
from whatif.benchmarks.cvqa_synthetic.checks import answers_from_scene, crowding_reason, question_defects, scene_defects
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.benchmarks.cvqa_synthetic.settings import FilterPuzzles

AS_GENERATED = FilterPuzzles(smallest_region=0.03, smallest_gap=0.3)
Change = Callable[[dict[str, Any]], Any]


def _questions(group: str, number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    text, row = puzzle(group, number)
    questions = [
        {
            "question_id": f"{row['pair_id']}-{variant}",
            "variant": variant,
            "question": asked.question,
            "choices": list(asked.choices),
            "answer": asked.letter,
            "image_ids": [row["image_id"]],
        }
        for variant, asked in (("counterfactual", text.counterfactual), ("original", text.original))
    ]
    return row, questions


@pytest.mark.parametrize("options", ["exchangeable", "released"])
@pytest.mark.parametrize("group", GROUPS)
def test_puzzles_as_generated_are_neither_crowded_nor_defective(group: str, options: str) -> None:
    settings = puzzle_settings(options=options)
    for number in range(60):
        text, row = puzzle(group, number, settings)
        assert answers_from_scene(row) == (text.original.number, text.counterfactual.number)
        assert scene_defects(row) == []
        assert crowding_reason(row, AS_GENERATED) is None


@pytest.mark.parametrize("group", GROUPS)
def test_questions_as_generated_fit_their_scene(group: str) -> None:
    for number in range(30):
        row, questions = _questions(group, number)
        assert question_defects(row, questions) == []


def test_crowding_has_a_reason_and_a_measure() -> None:
    _, flowers = puzzle("flower-recolour", 0)
    _, dots = puzzle("dot-removal", 0)
    strict = FilterPuzzles(smallest_region=0.1, smallest_gap=2)
    wide = FilterPuzzles(smallest_region=0, smallest_gap=2)
    small = [puzzle("flower-recolour", number)[1] for number in range(40)]
    assert any((crowding_reason(row, strict) or "").startswith("small-region: ") for row in small)
    assert (crowding_reason(flowers, wide) or "").startswith("narrow-gap: ")
    assert (crowding_reason(dots, wide) or "").startswith("narrow-gap: ")
    flowers["flowers"][0] |= flowers["polygons"][0]["points"][0]
    assert (crowding_reason(flowers, AS_GENERATED) or "").startswith("flower-on-outline: ")


def _move_flower(row: dict[str, Any]) -> None:
    row["flowers"][0] |= {"x": 1.0, "y": 1.0}


def _stack_flowers(row: dict[str, Any]) -> None:
    row["flowers"][1] = dict(row["flowers"][0])


def _flip_flag(row: dict[str, Any]) -> None:
    row["flowers"][0]["inside_first"] ^= True


def _drop_flower(row: dict[str, Any]) -> None:
    row["flowers"].remove(next(flower for flower in row["flowers"] if flower["inside_first"]))


def _merge_outlines(row: dict[str, Any]) -> None:
    row["polygons"][1]["points"] = [
        {axis: place + 2 for axis, place in p.items()} for p in row["polygons"][0]["points"]
    ]


def _move_dot(row: dict[str, Any]) -> None:
    row["circles"][0]["dots"][0] = {"x": 2.0, "y": 2.0}


def _stack_dots(row: dict[str, Any]) -> None:
    circle = next(circle for circle in row["circles"] if len(circle["dots"]) > 1)
    circle["dots"][1] = dict(circle["dots"][0])


def _tie(row: dict[str, Any]) -> None:
    circles = sorted(row["circles"], key=lambda circle: len(circle["dots"]))
    runner_up, fullest = circles[-2:]
    del fullest["dots"][len(runner_up["dots"]) :]


def _swap_rows(row: dict[str, Any]) -> None:
    for circle in row["circles"]:
        circle["row"] = 1 - circle["row"]


@pytest.mark.parametrize(
    ("group", "change", "finding"),
    [
        ("flower-recolour", _move_flower, "flower 0: its disc reaches an outline or the border"),
        ("flower-recolour", _stack_flowers, "flowers: two discs overlap"),
        ("flower-recolour", _flip_flag, "flower 0: its region is not the one that is stored"),
        ("flower-removal", _drop_flower, "original_answer: is "),
        ("flower-removal-other", _merge_outlines, "polygons: their outlines do not cross exactly twice"),
        ("flower-removal", lambda row: row["polygons"].pop(), "polygons: must be two of different colours"),
        ("flower-removal", lambda row: row.update(removed=0), "answers: both are "),
        ("flower-removal", lambda row: row.update(removed=99), "removed: 99 are more than the "),
        ("dot-removal", _move_dot, "circle 0: a dot is not entirely inside"),
        ("dot-removal", _move_dot, "dots: some are in no circle"),
        ("dot-removal", _stack_dots, "dots: two overlap"),
        ("dot-columns", _swap_rows, "circles: must be in two rows of three"),
        ("dot-columns", lambda row: row["circles"].pop(), "circles: must be six"),
        ("dot-columns", lambda row: row.update(counterfactual_answer=99), "counterfactual_answer: is 99, the scene"),
        ("dot-columns", lambda row: row["circles"][0].update(x=20.0), "circle 0: reaches beyond the picture"),
        ("dot-maximum", _tie, "circles: the one with most dots is not unique"),
        ("dot-maximum", lambda row: row.update(group="dots"), "group: is dots, must be one of flower-recolour, "),
    ],
)
def test_every_contradiction_in_a_scene_is_found(group: str, change: Change, finding: str) -> None:
    _, row = puzzle(group, 2)
    broken = copy.deepcopy(row)
    change(broken)
    assert any(defect.startswith(finding) for defect in scene_defects(broken)), scene_defects(broken)


def _swap_options(question: dict[str, Any]) -> None:
    question["choices"] = question["choices"][1:] + question["choices"][:1]


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda question: question.update(question="How many?"), "asks `How many?`, the scene is one for `How many "),
        (lambda question: question.update(image_ids=["1"]), "is about another picture"),
        (lambda question: question.update(choices=["1", "1", "2", "3"]), "must have four different options, has 1, 1"),
        (lambda question: question.update(choices=None), "must have four different options, has none"),
        (lambda question: question.update(choices=["-1", "1", "2", "3"]), "its options must be whole numbers"),
        (lambda question: question.update(answer="E"), "its answer must be one of A, B, C, D, is E"),
        (_swap_options, "its answer "),
    ],
)
def test_every_contradiction_in_a_question_is_found(change: Change, finding: str) -> None:
    row, questions = _questions("flower-removal", 2)
    change(questions[1])
    (defect,) = question_defects(row, questions)
    assert defect.startswith(f"{row['pair_id']}-original: {finding}")


def test_a_pair_must_have_one_of_each_kind() -> None:
    row, questions = _questions("dot-removal", 2)
    assert question_defects(row, questions[:1]) == [
        "questions: must be one original and one counterfactual, are counterfactual"
    ]
    assert question_defects(row, []) == ["questions: must be one original and one counterfactual, are none"]
