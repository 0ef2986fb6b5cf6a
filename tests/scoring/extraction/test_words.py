"""A word or two as an answer: the same words are correct, also in a sentence that gives them."""

from __future__ import annotations

import pytest

from whatif.scoring.extraction.answer import extract, is_correct

QUESTION = "What colour is the ball?"


def is_right(response: str, right: str, question: str = QUESTION) -> bool:
    return is_correct(extract(response, "text", question), right, "text")


@pytest.mark.parametrize(
    ("response", "right"),
    [
        ("red", True),
        ("Red.", True),
        (" a **red**", True),
        ("The answer is red.", True),
        ("Answer: red", True),
        ("What colour is the ball? Red", True),
        ("The ball is red", True),
        ("In the picture, the ball is red.", True),
        ("The ball would be red in the dark.", True),
        ("Red is the colour of the ball.", True),
        ("dark red", False),
        ("red or blue", False),
        ("The ball is dark red.", False),
        ("The ball is not red.", False),
        ("The ball isn't red.", False),
        ("The ball is blue, unlike the red one.", False),
        ("The ball is red or blue.", False),
        ("The ball is red and blue.", False),
        ("The ball beside the red hat is blue.", False),
        ("blue", False),
    ],
)
def test_the_same_words_are_right_also_in_a_sentence_that_gives_them(response: str, right: bool) -> None:
    assert extract(response, "text", QUESTION).status == "ok"
    assert is_right(response, "red") is right


@pytest.mark.parametrize(
    ("response", "right"),
    [
        ("The grey cats", "gray cat"),
        ("a gray cat", "grey cats"),
        ("moustache", "mustaches"),
        ("two boxes", "2 box"),
        ("Leaves", "leaf"),
        ("policemen", "policeman"),
        ("houses", "house"),
        ("dont walk", "don't walk"),
        ("1,000", "1000"),
        ("stop-sign", "stop sign"),
        ("zero", "0"),
        ("at the theatre", "at theater"),
    ],
)
def test_spelling_number_articles_and_signs_do_not_matter(response: str, right: str) -> None:
    assert is_right(response, right, "What is there?")


@pytest.mark.parametrize(
    ("response", "other"),
    [
        ("kites", "kit"),
        ("kite", "kit"),
        ("glass", "glas"),
        ("bus", "bu"),
        ("1.5", "15"),
        ("news", "new"),
        ("lens", "len"),
    ],
)
def test_other_words_are_wrong(response: str, other: str) -> None:
    assert not is_right(response, other, "What is there?")


def test_a_response_longer_than_a_sentence_is_for_a_judge() -> None:
    for response in (
        "The ball is red. The hat is blue.",
        "Red\n\nThe ball lies in the sun.",
        "It is red, " + "very " * 20,
    ):
        found = extract(response, "text", QUESTION)
        assert (found.status, found.reason) == ("ambiguous", "longer than a sentence")


@pytest.mark.parametrize(
    "response", ["", " ...", "What colour is the ball?", "I cannot tell.", "It cannot be determined."]
)
def test_nothing_and_a_refusal_are_no_answer(response: str) -> None:
    found = extract(response, "text", QUESTION)
    assert (found.answer, found.status) == (None, "none")
    assert not is_correct(found, "red", "text")
