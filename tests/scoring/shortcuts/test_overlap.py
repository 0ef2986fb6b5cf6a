"""The rule that chooses the option with the most words, or the fewest, in common with a text."""

from __future__ import annotations

from typing import Any

from whatif.scoring.shortcuts.overlap import FEWEST, MOST, by_overlap


def question(number: int, choices: list[str], answer: str) -> dict[str, Any]:
    return {"question_id": f"q{number}", "choices": choices, "answer": answer}


def test_the_option_with_most_words_of_the_text_is_found() -> None:
    rows = [
        question(1, ["The cat sleeps.", "The cat falls off the table.", "A dog", "rain"], "B"),
        question(2, ["the table", "the cat", "dogs", "a cat on the table"], "A"),
    ]
    found = by_overlap(rows, {"q1": "A CAT jumps on the table.", "q2": "A cat jumps on the table."})
    assert (found[MOST].right, found[MOST].n) == (1, 2)
    assert (found[FEWEST].right, found[FEWEST].n) == (0, 2)


def test_questions_with_several_such_options_do_not_count() -> None:
    rows = [question(1, ["a cat", "the cat", "a lion"], "C"), question(2, ["cat", "cat cat", "dog"], "C")]
    found = by_overlap(rows, {"q1": "cat", "q2": "cat"})
    assert (found[MOST].right, found[MOST].n) == (0, 0)
    assert (found[FEWEST].right, found[FEWEST].n) == (2, 2)


def test_questions_without_a_text_do_not_count() -> None:
    found = by_overlap([question(1, ["a cat", "a dog"], "A")], {})
    assert found[MOST].n == found[FEWEST].n == 0
