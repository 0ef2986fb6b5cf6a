"""Options in texts of several sentences, and options that are judged one by one."""

from __future__ import annotations

import pytest

from whatif.scoring.extraction.answer import extract
from whatif.scoring.extraction.option_verdicts import by_verdicts

THINGS = ["the chair", "the lamp", "the window", "the vase"]
BREAK = "What would break if the cat jumped onto the shelf?"


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        (
            "The chair is on the left, the lamp on the right. The vase stands on the shelf. So the vase would break.",
            "D",
        ),
        ("The chair, the lamp and the window are far away. The vase is on the shelf.", "D"),
        ("The lamp hangs from the ceiling. The chair and the window are too far away. It would be the vase.", "D"),
        ("The vase. Not the lamp, which hangs too high.", "D"),
        ("It's not the chair, the lamp or the window, but the vase.", "D"),
        ("The lamp is higher than the chair, the window and the vase.", "B"),
        ("The chair would break, or it would be the lamp.", None),
        ("The chair. It stands beside the shelf, so it must be the lamp.", None),
        ("The answer is A. The vase would break.", None),
        ("A, C and D are made of wood. Only B is not. Hence B.", "B"),
        ("It would be (D) the vase, not (A) the chair, (B) the lamp, or (C) the window.", "D"),
    ],
)
def test_the_option_that_sentences_arrive_at(response: str, answer: str | None) -> None:
    assert extract(response, "choice", BREAK, THINGS).answer == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("A: no, B: yes, C: no, D: no", "B"),
        ("The chair: no. The lamp: no. The window: no. The vase: yes.", "D"),
        ("A | B | C | D\n✗ | ✗ | ✓ | ✗", "C"),
        ("A: 2/10\nB: 5/10\nC: 9/10\nD: 1/10", "C"),
        ("A ✓\nB ✓\nC ✗\nD ✓", "C"),
    ],
)
def test_verdicts(text: str, answer: str) -> None:
    found = by_verdicts(text, THINGS)
    assert found is not None
    assert found.answer == answer


def test_a_text_with_anything_but_verdicts_has_none() -> None:
    assert by_verdicts("A: no, because it is heavy. B: yes.", THINGS) is None
    assert by_verdicts("A: yes", THINGS) is None
