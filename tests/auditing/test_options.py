"""Options and right answers as benchmarks write them."""

from __future__ import annotations

from typing import Any

import pytest

from whatif.auditing.options import options_of, right_options, split_options


@pytest.mark.parametrize(
    ("text", "question", "options"),
    [
        ("How many? Select the correct answer:A:16  B:17  C:12  D:13", "How many?", ["16", "17", "12", "13"]),
        ("Which one?\nA. red\nB. blue\nC. green", "Which one?", ["red", "blue", "green"]),
        ("Which one?\nA. red\nB. blue\nAnswer with one letter.", "Which one?", ["red", "blue"]),
        ("Which one? (A) a red cup (B) a blue cup", "Which one?", ["a red cup", "a blue cup"]),
        ("What is it? Options: A) cat, B) dog", "What is it?", ["cat", "dog"]),
        ("Is A. Smith in (B) or not?", "Is A. Smith in (B) or not?", []),
        ("Which of Image A: and the rest?", "Which of Image A: and the rest?", []),
        ("Vitamin C. and D. are shown", "Vitamin C. and D. are shown", []),
        ("", "", []),
    ],
)
def test_options_inside_a_question(text: str, question: str, options: list[str]) -> None:
    assert split_options(text) == (question, options)


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        (["a", " b "], ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("""['it\\'s', "the other's"]""", ["it\\'s", "the other's"]),
        ({"text": ["a", "b"], "label": ["A", "B"]}, ["a", "b"]),
        ({"A": "a", "B": "b", "C": None}, ["a", "b"]),
        ("a|b|c", ["a", "b", "c"]),
        ("no list", []),
        ("__import__('os').system('true')", []),
        (None, []),
        (3, []),
    ],
)
def test_options_of_a_cell_are_read_and_never_evaluated(cell: Any, options: list[str]) -> None:
    assert options_of(cell) == options


FOUR = [["16", "17", "12", "13"]] * 3


@pytest.mark.parametrize(
    ("answers", "options", "places", "way"),
    [
        (["A", "D", "(c)"], FOUR, [0, 3, 2], "letter"),
        (["16", "12", "13"], FOUR, [0, 2, 3], "text of an option"),
        ([0, 3, 1], FOUR, [0, 3, 1], "place from 0"),
        ([1, 4, 2], FOUR, [0, 3, 1], "place from 1"),
        ([1.0, 4.0, 2.0], FOUR, [0, 3, 1], "place from 1"),
        (["A", "Z", "B"], FOUR, [0, -1, 1], "letter"),
        (["B. red", "red"], [["blue", "red"]] * 2, [1, 1], "text of an option"),
        (["0", "3"], [["0", "1", "2", "3"]] * 2, [0, 3], "text of an option"),
        ([True, None], [["a", "b"]] * 2, [-1, -1], "letter"),
    ],
)
def test_one_way_to_read_answers_holds_for_all(
    answers: list[Any], options: list[list[str]], places: list[int], way: str
) -> None:
    assert right_options(answers, options) == (places, way)
