"""Open answers in other words: comparisons, parts of a whole, and numbers with a description."""

from __future__ import annotations

import pytest

from whatif.scoring.extraction.answer import extract
from whatif.scoring.extraction.extracted import Kind

OLDER = "Is the boy older than the girl?"
CONES = "Are all the cones orange?"
ARROWS = "How many arrows hit the target?"
MILK = "How many bottles of milk are in the fridge door?"
SHEEP = "How many sheep would be inside the fence if four escaped?"


@pytest.mark.parametrize(
    ("kind", "question", "response", "answer"),
    [
        ("boolean", OLDER, "The girl appears to be older than the boy.", "no"),
        ("boolean", OLDER, "The girl is not older than the boy.", None),
        ("boolean", CONES, "Most of the cones are orange.", "no"),
        ("boolean", CONES, "One of the cones is not orange.", "no"),
        ("boolean", CONES, "Some of the cones are orange.", None),
        ("number", ARROWS, "There are six arrows in total. Five hit the target, and one landed in the grass.", "5"),
        ("number", MILK, "There are two bottles of milk and one bottle of juice in the fridge door.", "2"),
        ("number", SHEEP, "With four escaping, 7 would remain inside, and 6 would be outside.", "7"),
    ],
)
def test_a_description_is_not_read_as_another_answer(
    kind: Kind, question: str, response: str, answer: str | None
) -> None:
    found = extract(response, kind, question)
    assert found.answer in (answer, None), found
