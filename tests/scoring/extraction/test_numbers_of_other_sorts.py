"""Percentages, prices, years and numbers that name something are answers only where a question asks for them."""

from __future__ import annotations

import pytest

from whatif.scoring.extraction.answer import extract, normalise

AGREE = "What percentage of the respondents agree?"


@pytest.mark.parametrize(
    ("question", "response", "answer"),
    [
        (AGREE, "46%", "46"),
        (AGREE, "So **46 %** of them agree.", "46"),
        ("How many percent of the pie is blue?", "25 percent", "25"),
        ("How much does the coffee cost?", "$4.50", "4.5"),
        ("How many apples are in the bag for $3?", "For $3 you get 5 apples.", "5"),
        ("Which year is on the coin?", "It was minted in 1984.", "1984"),
        ("How many members did the band have?", "Since 1984, there have been 4 members.", "4"),
        ("On which floor is the office?", "It is on floor 5.", "5"),
        ("How many offices are there?", "On floor 5, there are 3 offices.", "3"),
    ],
)
def test_answer(question: str, response: str, answer: str) -> None:
    assert extract(response, "number", question).answer == answer


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("1e-1", "0.1"),
        ("\\boxed{2.5E+2}", "250"),
        ('{"answer": 1e3}', "1000"),
        ("It is 1.5 × 10^3.", "1500"),
        ("$1.5 \\times 10^{3}$", "1500"),
        ("10³", "1000"),
        ("6.02×10²³", "602" + "0" * 21),
        ("2·10⁻²", "0.02"),
        ("10**4", "10000"),
        ("10**-1", "0.1"),
        ("1.5⋅10^1", "15"),
        ("1.5 times 10^1", "15"),
        (".5e1", "5"),
        ("1.e3", "1000"),
        ("1,000e0", "1000"),
        (".5", "0.5"),
        ("Answer: -.5", "-0.5"),
        ("3e cats", None),
        ("1e999", None),
        ("A 0x1e3 and a room 3e.", None),
    ],
)
def test_powers_of_ten_and_bare_points(response: str, answer: str | None) -> None:
    question = "How many litres would there be if the tank was empty?"
    assert extract(response, "number", question).answer == answer


@pytest.mark.parametrize(
    ("question", "response", "answer"),
    [
        ("How many people agree?", "46% of the 50 people, i.e. 23.", "23"),
        ("How many litres would there be if the tank was empty?", "There would be 1e3 litres.", "1000"),
    ],
)
def test_another_number_is_not_read(question: str, response: str, answer: str) -> None:
    assert extract(response, "number", question).answer in (answer, None)


@pytest.mark.parametrize(("given", "right"), [("1e3", "1,000"), ("1e-1", ".1"), (".5", "0.50"), ("-.5", "-0.5")])
def test_a_number_is_compared_in_whatever_form(given: str, right: str) -> None:
    assert normalise(given, "number") == normalise(right, "number")
    assert normalise(".5", "number") != normalise("5", "number")


@pytest.mark.parametrize("response", ["<|begin_of_box|>3<|end_of_box|>", "So it is <|begin_of_box|>3<|end_of_box|>."])
def test_the_box_of_glm_is_a_box(response: str) -> None:
    assert extract(f"<think>4.</think>{response}", "number", "How many dogs?") == extract(
        "3", "number", "How many dogs?"
    )
    assert extract(response, "number", "How many dogs?").answer == "3"
