"""Options and right answers as benchmarks write them."""

from __future__ import annotations

from typing import Any

import pytest

from whatif.results.auditing.options import by_label, options_of, right_options, split_options, without_gaps


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
        ("Is (a) the dog left of (b) the cat?", "Is (a) the dog left of (b) the cat?", []),
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
        ("(a) Open (b) Closed", ["Open", "Closed"]),  # MMVP
        ("A. red\nB. blue", ["red", "blue"]),
        ("red\nblue\n", ["red", "blue"]),
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
        (["2.0", "0.0"], FOUR[:2], [2, 0], "place from 0"),
        ([1, 2], FOUR[:2], [1, 2], "place from 0 (but place from 1 fits as well)"),
        ([True, None], [["a", "b"]] * 2, [-1, -1], "letter"),
    ],
)
def test_one_way_to_read_answers_holds_for_all(
    answers: list[Any], options: list[list[str]], places: list[int], way: str
) -> None:
    assert right_options(answers, options) == (places, way)


@pytest.mark.parametrize(
    ("cell", "answer", "found"),
    [
        ({"text": ["red", "blue"], "label": ["1", "2"]}, "2", "B"),  # some questions of ARC
        ({"text": ["red", "blue"], "label": ["A", "B"]}, "B", "B"),
        ({"A": "red", "B": None, "C": "blue"}, "C", "B"),
        (["red", "blue"], "2", "2"),
        (None, "2", "2"),
    ],
)
def test_an_answer_is_the_label_of_an_option(cell: Any, answer: Any, found: Any) -> None:
    assert by_label(cell, answer) == found


@pytest.mark.parametrize(
    ("cells", "answer", "found"),
    [
        (["red", "blue", "", None], "B", (["red", "blue"], "B")),
        (["red", "", "blue"], "C", (["red", "blue"], "B")),
        (["red", "", "blue"], "blue", (["red", "blue"], "B")),
        (["red", "", "blue"], 2, (["red", "blue"], "2 (an option before others is empty)")),
        (["red", "", "blue"], "B", (["red", "blue"], "B (an option before others is empty)")),
    ],
)
def test_a_letter_means_its_column_where_another_is_empty(cells: list[Any], answer: Any, found: Any) -> None:
    assert without_gaps(cells, answer) == found
