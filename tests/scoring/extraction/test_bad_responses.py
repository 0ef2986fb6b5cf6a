"""Responses and options that nobody would write: each gets a status, never an exception, and no answer is invented.

Nothing is timed. What is longer than any answer is not read at all, which the status says, so its length costs nothing;
`test_long_answers_end` (test_answer.py) keeps the time for what is shorter linear.
"""

from __future__ import annotations

from typing import get_args

import pytest

from whatif.engine.language.options import LETTERS
from whatif.scoring.extraction.answer import LONGEST_ANSWER, LONGEST_RESPONSE, extract
from whatif.scoring.extraction.extracted import Kind

KINDS: tuple[Kind, ...] = get_args(Kind)
QUESTION = "Which one is it?"
OPTIONS = ("a dog", "a cat", "a bird")
BRACKETS = "()[]{}<>«»「」"
FEW = 2_000
FURTHER = ("()", "{}", "[]", '{"": ', "</think>", "**", "```", "\0", "\ud800", "\udc00\ud800")
ODD_OPTIONS = (
    ("red", "red"),
    ("red", "red", "blue"),
    ("", ""),
    ("", "red"),
    (".", "red"),
    ("\ud800", "red"),
    ("\0", " "),
    ("cat", "cat and dog", "dog"),
    ("1", "10", "1"),
    ("(", ")"),
    ("[", "\\"),
    ("A", "B"),
    ("a",),
    ("",),
)
ODD_RESPONSES = (
    *("", " ", "red", "A", "(", "\\", "\0", "\ud800", "The answer is \ud800.", "cat and dog", "10", "yes", "."),
)


def options_of(kind: Kind) -> tuple[str, ...] | None:
    return OPTIONS if kind in ("choice", "option text") else None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", [*BRACKETS, *FURTHER], ids=ascii)
def test_signs_alone_are_no_answer(unit: str, kind: Kind) -> None:
    for number in (1, 2, FEW):
        assert extract(unit * number, kind, QUESTION, options_of(kind)).status != "ok"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", ["\0", "\ud800", "(", "]", "**", '{"a":', "\\boxed{", "\\frac{"], ids=ascii)
def test_signs_around_an_answer_cause_no_exception(unit: str, kind: Kind) -> None:
    answer = {"number": "3", "boolean": "yes", "choice": "B", "option text": "a cat", "text": "red"}[kind]
    for text in (
        f"{unit}{answer}{unit}",
        f"{unit * FEW}The answer is {answer}.",
        f"The answer is {answer}.{unit * FEW}",
    ):
        found = extract(text, kind, QUESTION, options_of(kind))
        assert (found.status == "ok") == (found.answer is not None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", [*BRACKETS, "\0", "\ud800", "The dog sat. ", "<think>"], ids=ascii)
def test_a_million_characters_are_not_read(unit: str, kind: Kind) -> None:
    text = unit * (1_000_000 // len(unit)) + f" The answer is {OPTIONS[0]}."
    found = extract(text, kind, QUESTION, options_of(kind))
    assert (found.status, found.reason) == ("none", f"longer than {LONGEST_RESPONSE:,} characters")


def test_a_hundred_megabytes_are_not_read() -> None:
    assert extract("[" * 100_000_000, "number", QUESTION).status == "none"


def test_what_is_as_long_as_a_response_can_be_is_read() -> None:
    thought = f"<think>{'So it goes. ' * (LONGEST_RESPONSE // 12 - 100)}</think>"
    assert extract(f"{thought}The answer is 3.", "number", QUESTION).answer == "3"
    for length, answer in ((LONGEST_ANSWER - 100, "3"), (LONGEST_ANSWER, None)):
        found = extract("3" + " " * length + ".", "number", QUESTION)
        assert found.answer == answer
    assert found.reason == f"longer than {LONGEST_ANSWER:,} characters, without the reasoning"


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=ascii)
def test_odd_options_cause_no_exception(options: tuple[str, ...]) -> None:
    for kind in ("choice", "option text"):
        for response in ODD_RESPONSES:
            found = extract(response, kind, QUESTION, options)
            assert found.status != "ok" or found.answer in LETTERS[: len(options)], response


def test_options_that_are_equal_cannot_be_told_apart_by_their_text() -> None:
    for kind in ("choice", "option text"):
        assert extract("red", kind, QUESTION, ("red", "red", "blue")).status == "ambiguous"
    assert extract("B", "choice", QUESTION, ("red", "red", "blue")).answer == "B"


def test_an_option_that_contains_another_is_the_longer_one() -> None:
    for kind in ("choice", "option text"):
        found = [extract(text, kind, QUESTION, ("cat", "cat and dog", "dog")).answer for text in ("cat", "cat and dog")]
        assert found == ["A", "B"]


@pytest.mark.parametrize("empty", ["", " ", ".", "\0", "\ud800"], ids=ascii)
def test_an_option_without_words_is_in_no_response(empty: str) -> None:
    for options in ((empty, "red"), ("red", empty), (empty,)):
        for response in ("The answer is blue.", "yes", "10"):
            assert extract(response, "option text", QUESTION, options).status != "ok", (options, response)
