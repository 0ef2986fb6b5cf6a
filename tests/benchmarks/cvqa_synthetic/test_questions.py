"""The six templates: words of the released file, answers from counts."""

from __future__ import annotations

import numpy as np
import pytest

from whatif.benchmarks.cvqa_synthetic.questions import GROUPS, TEMPLATES

# A row of each type of the released file, without its options.
RELEASED = {
    "abs_counting_1": (
        "How many flowers are outside the purple polygons?",
        "How many flowers would be outside the purple polygons if all polygons were purple?",
    ),
    "abs_counting_2": (
        "How many flowers are inside the yellow polygons?",
        "How many flowers would be inside yellow polygons if we removed 19 flowers in yellow polygons?",
    ),
    "abs_counting_3": (
        "How many flowers are inside the yellow polygons?",
        "How many flowers would be inside yellow polygons if all flowers in red polygons were removed?",
    ),
    "abs_counting_4": (
        "How many dots are there in all the circles together?",
        "How many dots would there be in all the circles together if 24 dots were removed from the circles?",
    ),
    "abs_counting_5": (
        "How many dots are there in the top three circles together?",
        "How many dots would there be in the top three circles together if the two rightmost circles and dots in them "
        "were removed from the circles?",
    ),
    "abs_counting_6": (
        "How many dots do a circle contain at most?",
        "How many dots would a circle contain at most if one of the circles with most dots were removed?",
    ),
}
WORDS = {
    "abs_counting_1": (("purple", "black"), None),
    "abs_counting_2": (("yellow", "blue"), 19),
    "abs_counting_3": (("yellow", "red"), None),
    "abs_counting_4": (None, 24),
}


def test_groups_are_in_the_order_of_the_release() -> None:
    assert [TEMPLATES[group].released_type for group in GROUPS] == list(RELEASED)


@pytest.mark.parametrize("group", GROUPS)
def test_questions_are_in_the_words_of_the_release(group: str) -> None:
    template = TEMPLATES[group]
    colours, removed = WORDS.get(template.released_type, (None, None))
    asked = tuple(template.question(variant, colours, removed) for variant in ("original", "counterfactual"))
    assert asked == RELEASED[template.released_type]


@pytest.mark.parametrize(
    ("group", "counts", "removed", "answers"),
    [
        ("flower-recolour", (1, 2, 4, 8), 0, (12, 8)),
        ("flower-removal", (1, 2, 4, 8), 2, (3, 1)),
        ("flower-removal-other", (1, 2, 4, 8), 0, (3, 2)),
        ("dot-removal", (1, 2, 4, 8, 16, 32), 60, (63, 3)),
        ("dot-columns", (1, 2, 4, 8, 16, 32), 0, (7, 3)),
        ("dot-maximum", (1, 32, 4, 8, 16, 2), 0, (32, 16)),
    ],
)
def test_answers_from_counts(group: str, counts: tuple[int, ...], removed: int, answers: tuple[int, int]) -> None:
    template = TEMPLATES[group]
    one = np.array(counts)
    assert (int(template.original_answer(one)), int(template.counterfactual_answer(one, removed))) == answers
    many = np.stack([one, one])
    assert template.counterfactual_answer(many, removed).tolist() == [answers[1]] * 2
