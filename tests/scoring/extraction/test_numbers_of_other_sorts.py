"""Percentages, prices, years and numbers that name something are answers only where a question asks for them."""

from __future__ import annotations

import pytest

from whatif.scoring.extraction.answer import extract

AGREE = "What percentage of the respondents agree?"


@pytest.mark.parametrize(
    ("question", "response", "answer"),
    [
        (AGREE, "46%", "46"),
        (AGREE, "So **46 %** of them agree.", "46"),
        ("How many percent of the pie is blue?", "25 percent", "25"),
        ("How many people agree?", "46% of the 50 people, i.e. 23.", "23"),
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
