"""Programs for released questions are judged in drawn puzzles with the words of their question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES
from whatif.benchmarks.cvqa_synthetic_released.program_worlds import (
    JudgedProgram,
    drawn_worlds,
    is_number,
    judge_programs,
)
from whatif.benchmarks.cvqa_synthetic_released.wording import Reading
from whatif.models.programs.interfaces import Finished

WORDS = {
    "flower-recolour": Reading("flower-recolour", "red"),
    "flower-removal": Reading("flower-removal", "black", removed=22),
    "flower-removal-other": Reading("flower-removal-other", "pink", "green"),
    "dot-removal": Reading("dot-removal", removed=30),
    "dot-columns": Reading("dot-columns"),
    "dot-maximum": Reading("dot-maximum"),
}


def pair(reading: Reading) -> tuple[str, list[dict[str, Any]]]:
    template = TEMPLATES[reading.group]
    colours = None if reading.first is None else (reading.first, reading.second or "")
    return "abs_counting_000001", [
        {
            "question_id": f"abs_counting_000001-{variant}",
            "group": reading.group,
            "variant": variant,
            "question": template.question(variant, colours, reading.removed),
        }
        for variant in ("counterfactual", "original")
    ]


def in_region(puzzle: Mapping[str, Any], first: bool, second: bool) -> int:
    return sum((one["inside_first"], one["inside_second"]) == (first, second) for one in puzzle["flowers"])


def dots(puzzle: Mapping[str, Any]) -> list[int]:
    return [len(circle["dots"]) for circle in puzzle["circles"]]


# The two answers of each template, counted in the drawn puzzle.
COUNTED: dict[str, Callable[[Mapping[str, Any]], tuple[int, int]]] = {
    "flower-recolour": lambda puzzle: (
        in_region(puzzle, False, True) + in_region(puzzle, False, False),
        in_region(puzzle, False, False),
    ),
    "flower-removal": lambda puzzle: (
        inside := in_region(puzzle, True, True) + in_region(puzzle, True, False),
        inside - 22,
    ),
    "flower-removal-other": lambda puzzle: (
        in_region(puzzle, True, True) + in_region(puzzle, True, False),
        in_region(puzzle, True, False),
    ),
    "dot-removal": lambda puzzle: (sum(dots(puzzle)), sum(dots(puzzle)) - 30),
    "dot-columns": lambda puzzle: (sum(dots(puzzle)[:3]), sum(dots(puzzle)[:2])),
    "dot-maximum": lambda puzzle: (max(dots(puzzle)), sorted(dots(puzzle))[-2]),
}


@pytest.mark.parametrize("group", WORDS)
def test_the_worlds_show_what_the_words_say(group: str) -> None:
    worlds = drawn_worlds(WORDS[group], 3, 7, "abs_counting_000001")
    assert worlds == drawn_worlds(WORDS[group], 3, 7, "abs_counting_000001")
    assert worlds != drawn_worlds(WORDS[group], 3, 8, "abs_counting_000001")
    for world in worlds:
        assert (world.answers["original"], world.answers["counterfactual"]) == COUNTED[group](world.puzzle)
        colours = [polygon["colour"] for polygon in world.puzzle["polygons"]]
        assert colours[:1] == [WORDS[group].first] * bool(colours) and len(set(colours)) == len(colours)
    for variant in ("original", "counterfactual"):
        assert len({world.answers[variant] for world in worlds}) == 3


def judged(
    reading: Reading, programs: Sequence[str | None], run: Callable[[str, Mapping[str, Any]], Finished]
) -> list[JudgedProgram]:
    pair_id, questions = pair(reading)
    by_id = {question["question_id"]: code for question, code in zip(questions, programs, strict=True)}
    return list(judge_programs([(pair_id, questions)], by_id, run, worlds=3, seed=7))


@pytest.mark.parametrize("group", WORDS)
def test_a_program_that_ignores_the_presupposition_is_wrong(group: str) -> None:
    def original_answer(code: str, puzzle: Mapping[str, Any]) -> Finished:
        return Finished("ok", COUNTED[group](puzzle)[0])

    found = judged(WORDS[group], ("counts", "counts"), original_answer)
    assert [(one.variant, one.judged) for one in found] == [("counterfactual", "wrong"), ("original", "right")]
    assert "instead of" in found[0].detail


def test_programs_that_fail_or_are_missing() -> None:
    def fails(code: str, puzzle: Mapping[str, Any]) -> Finished:
        return Finished("time", reason="took more than 10 s")

    found = judged(WORDS["dot-maximum"], ("loops", None), fails)
    assert [one.judged for one in found] == ["failed", "no program"]
    assert found[0].detail == "time: took more than 10 s"


def test_a_question_that_fits_no_template_is_not_read() -> None:
    questions = [{"question_id": "a", "group": "dot-maximum", "variant": "original", "question": "How many dots?"}]
    (found,) = judge_programs([("a", questions)], {"a": "x"}, lambda code, puzzle: Finished("ok", 1), worlds=1, seed=1)
    assert found.judged == "not read"


def test_the_number_of_worlds_is_checked() -> None:
    with pytest.raises(ValueError, match="from 1 to 4"):
        list(judge_programs([], {}, lambda code, puzzle: Finished("ok"), worlds=5, seed=1))


@pytest.mark.parametrize(
    ("value", "same"), [(3, True), ("3", True), (3.0, True), (True, False), ("three", False), ([3], False), (4, False)]
)
def test_only_the_number_itself_is_right(value: object, same: bool) -> None:
    assert is_number(value, 3) is same
