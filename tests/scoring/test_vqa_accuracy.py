"""VQA's accuracy, given several human answers."""

from __future__ import annotations

import pytest

import whatif

ANSWERS = ["cat", "cat", "cats", "a cat", "dog", "dog", "kitten", "kitten", "Gray cat", "grey cat"]


def published(given: str, answers: list[str]) -> float:
    """The definition, word by word: for each person, the agreement with the nine others."""
    each = []
    for left_out in range(len(answers)):
        others = answers[:left_out] + answers[left_out + 1 :]
        each.append(min(1, others.count(given) / 3))
    return sum(each) / len(each)


@pytest.mark.parametrize("number", range(11))
def test_it_is_the_mean_over_all_choices_of_nine_people(number: int) -> None:
    answers = ["cat"] * number + ["dog"] * (10 - number)
    expected = published("cat", answers)
    assert whatif.vqa_accuracy("Cat.", answers, rule="published") == pytest.approx(expected)
    assert whatif.vqa_accuracy("cat", answers) == pytest.approx(expected)
    assert whatif.vqa_accuracy("the cat", answers) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "by_published", "ours"),
    [
        ("cat", 0.9, 1.0),  # three wrote `cat` or `a cat`, a fourth one `cats`
        ("dogs", 0.0, 0.6),
        ("gray cats", 0.0, 0.6),
        ("It is a dog.", 0.0, 0.6),
        ("It is not a dog.", 0.0, 0.0),
        ("There is a dog and a kitten.", 0.0, 0.0),  # two of the human answers
        ("horse", 0.0, 0.0),
    ],
)
def test_both_rules_are_named_where_they_differ(given: str, by_published: float, ours: float) -> None:
    assert whatif.vqa_accuracy(given, ANSWERS, rule="published") == pytest.approx(by_published)
    assert whatif.vqa_accuracy(given, ANSWERS) == pytest.approx(ours)


def test_of_fewer_than_four_human_answers_one_is_enough() -> None:
    assert whatif.vqa_accuracy("red", ["red"]) == 1
    assert whatif.vqa_accuracy("red", ["blue", "green", "red"]) == 1
    assert whatif.vqa_accuracy("red", ["blue"]) == 0
    with pytest.raises(ValueError, match="no human answers; give at least one"):
        whatif.vqa_accuracy("red", [])
