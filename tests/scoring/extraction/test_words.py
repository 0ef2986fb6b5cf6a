"""A word or two as an answer: the same words are correct, and longer texts that contain them are not."""

from __future__ import annotations

import pytest

from whatif.scoring.extraction.answer import extract, is_correct


@pytest.mark.parametrize(
    ("response", "right"),
    [
        ("red", True),
        ("Red.", True),
        (" a **red**", True),
        ("The answer is red.", True),
        ("Answer: red", True),
        ("What colour is the ball? Red", True),
        ("dark red", False),
        ("red or blue", False),
        ("The ball is red", False),
        ("blue", False),
    ],
)
def test_the_same_words_are_right(response: str, right: bool) -> None:
    found = extract(response, "text", "What colour is the ball?")
    assert found.status == "ok"
    assert is_correct(found, "red", "text") is right


@pytest.mark.parametrize("response", ["", " ...", "What colour is the ball?"])
def test_nothing_is_no_answer(response: str) -> None:
    found = extract(response, "text", "What colour is the ball?")
    assert (found.answer, found.status) == (None, "none")
    assert not is_correct(found, "red", "text")
