"""The rules of C-VQA's published scoring, including their errors."""

from __future__ import annotations

import pytest

from whatif.scoring.published_extraction.c_vqa import c_vqa_answer


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("3", "3"),
        ("There are three dogs.", "3"),
        ("If 2 cats were added, there would be 5 cats.", "5"),
        ("There would be 5 cats if 2 cats were added.", "5"),
        ("2 + 3 = 5", "2"),  # the first number, not the result
        ("eleven", None),  # words up to ten
        ("none", "0"),
        ("There would be no cats.", "0"),
        ("1,200", "1"),  # a word ends at every sign
        ("3.5", "3"),
        ("If 2 cats were added there would be 5 cats", None),  # the whole text is the clause: there is no comma
        ("If 2 cats were added, there would be 5 cats, not 3.", "5"),
        ("Of the cats, if 2 left, 3 would stay.", None),  # only the part before an inner `if`
        ("cats3", None),
        ("٣", "3"),
        ("9" * 5000, "9" * 5000),  # more digits than Python makes a whole number of
        ("007", "7"),
        ("", None),
    ],
)
def test_numbers(response: str, answer: str | None) -> None:
    found = c_vqa_answer(response, "number")
    assert (found.answer, found.status) == (answer, "none" if answer is None else "ok")


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("No.", "no"),
        ("Yes, it is not raining.", "no"),  # `not` counts before `yes`
        ("It would be asleep.", "yes"),
        ("The cat is there", "yes"),
        ("Nothing", None),
        ("maybe", None),
    ],
)
def test_booleans(response: str, answer: str | None) -> None:
    found = c_vqa_answer(response, "boolean")
    assert (found.answer, found.status) == (answer, "none" if answer is None else "ok")


def test_choices_are_not_known() -> None:
    with pytest.raises(ValueError, match="numbers and booleans only"):
        c_vqa_answer("A", "choice")
