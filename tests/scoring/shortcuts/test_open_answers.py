"""Shortcuts to open answers: fixed rules, models of the text that were tested on other images, and arithmetic."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from whatif.scoring.shortcuts.audit import Shortcut
from whatif.scoring.shortcuts.open_answers import OPEN_RULES, OpenQuestion, numbers_in, open_shortcuts, operations

pytestmark = pytest.mark.slow

RELEASED = Path(os.environ.get("WHATIF_DATA", "")) / "c-vqa" / "C-VQA-Real_questions.csv"


def found(questions: list[OpenQuestion], *rules: str, folds: int = 4) -> dict[str, Shortcut]:
    shortcuts = open_shortcuts(questions, variant="v", folds=folds, seed=1, rules=rules or OPEN_RULES)
    return {one.rule: one for one in shortcuts}


def asked(presupposition: str, answer: str, image: int, original: str | None = None) -> OpenQuestion:
    return OpenQuestion(
        f"How many would there be {presupposition}?", presupposition, answer, f"image-{image}", original
    )


def test_the_most_frequent_answer_and_the_first_of_equal_ones() -> None:
    rows = [asked("", answer, image) for image, answer in enumerate(["2", "1", "1", "2", "3"])]
    assert found(rows, "most-frequent")["most-frequent"] == Shortcut("most-frequent", "v", "1", 2, 5)


def test_the_answer_to_the_other_question_and_its_opposite() -> None:
    rows = [asked("", "no", 0, "yes"), asked("", "yes", 1, "no"), asked("", "no", 2, "no"), asked("", "yes", 3)]
    of_booleans = found(rows, "same-answer", "opposite-answer")
    assert of_booleans["same-answer"] == Shortcut("same-answer", "v", "", 1, 3)
    assert of_booleans["opposite-answer"] == Shortcut("opposite-answer", "v", "", 2, 3)
    of_numbers = found([asked("", "2", 0, "2"), asked("", "2", 1, "3")], "same-answer", "opposite-answer")
    assert of_numbers == {"same-answer": Shortcut("same-answer", "v", "", 1, 2)}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("if two more cats came", [2]),
        ("if 3 of 12 dogs left", [3, 12]),
        ("if twenty-one people sat", [21]),
        ("if it was red", []),
        ("if 2.5 more", []),
        ("if no cat was there", [0]),
    ],
)
def test_numbers_in_a_presupposition(text: str, numbers: list[int]) -> None:
    assert numbers_in(text) == numbers


def test_a_number_in_the_presupposition_counts_only_where_there_is_one() -> None:
    rows = [
        asked("if 2 of 5 stayed", "5", 0),
        asked("if 4 came", "4", 1),
        asked("if 3 of 7 left", "7", 2),
        asked("if it rained", "1", 3),
        asked("if 3 came", "yes", 4),
    ]
    assert found(rows, "number")["number"] == Shortcut("number", "v", "last", 3, 3)


def test_operations_on_an_original_answer() -> None:
    assert operations("if 3 more came", 2) == {
        "same": "2",
        "none": "0",
        "double": "4",
        "plus one": "3",
        "minus one": "1",
        "half": "1",
        "plus": "5",
    }
    assert operations("if another one came", 3).keys() == {"same", "none", "double", "plus one", "minus one"}
    assert "minus one" not in operations("if all left", 0)


def test_arithmetic_learns_from_the_words_what_becomes_of_a_number() -> None:
    random = np.random.default_rng(0)
    rows = []
    for image in range(120):
        number, change = int(random.integers(4, 9)), int(random.integers(2, 4))
        kind = image % 4
        presupposition, answer = [
            (f"if {change} more were added", number + change),
            (f"if {change} were removed", number - change),
            ("if their number doubled", 2 * number),
            ("if all were taken away", 0),
        ][kind]
        rows.append(asked(presupposition, str(answer), image, str(number)))
    assert found(rows, "arithmetic")["arithmetic"] == Shortcut("arithmetic", "v", "", 120, 120)
    alone = found(rows, "question", "presupposition", "keyword")
    assert all(one.right < 80 for one in alone.values())  # without the original answer, most cannot be known
    without = [asked(row.presupposition, row.answer, image) for image, row in enumerate(rows)]
    assert "arithmetic" not in found(without)


def test_the_keyword_is_chosen_on_other_images() -> None:
    rows = [
        asked(f"if the {'lamp' if image % 2 else 'cat'} was not red", "yn"[image % 2], image) for image in range(40)
    ]
    # `cat` and `lamp` tell the same; the first in the alphabet is taken.
    assert found(rows, "keyword")["keyword"] == Shortcut("keyword", "v", "cat", 40, 40)
    unhelpful = [asked("if it rained", "yn"[image % 4 == 0], image) for image in range(40)]
    assert found(unhelpful, "keyword")["keyword"] == Shortcut("keyword", "v", "", 30, 40)


def test_words_that_name_an_image_do_not_help_because_folds_are_by_image() -> None:
    random = np.random.default_rng(3)
    rows = []
    for image in range(60):
        answer = "yn"[int(random.integers(2))]
        rows += [asked(f"if word{image} was there", answer, image)] * 5
    by_image = found(rows, "question", "presupposition", "keyword")
    assert all(one.n == 300 and one.right < 0.7 * 300 for one in by_image.values())
    by_question = [asked(row.presupposition, row.answer, place) for place, row in enumerate(rows)]
    assert found(by_question, "presupposition")["presupposition"].right == 300  # a model could have used the words


def test_presuppositions_tell_more_than_the_question_without_them() -> None:
    texts = ("if it was switched off", "if it was not off")
    rows = [OpenQuestion("Is it on?", texts[image % 2], "ny"[image % 2], f"image-{image}") for image in range(30)]
    shortcuts = found(rows, "question", "presupposition")
    assert shortcuts["presupposition"].right == 30
    assert shortcuts["question"].right < 20


def test_few_images_are_folds_of_their_own_and_a_single_one_gives_no_model() -> None:
    rows = [asked("if it rained", "1", 0), asked("if it rained", "1", 1)]
    assert found(rows, folds=5)["presupposition"] == Shortcut("presupposition", "v", "", 2, 2)
    one = found([asked("if 1 came", "1", 0, "0"), asked("if 2 came", "2", 0, "0")])
    assert set(one) == {"most-frequent", "number", "same-answer"}
    assert found([]) == {}


def test_the_same_questions_give_the_same_numbers() -> None:
    random = np.random.default_rng(5)
    rows = [
        asked(f"if {random.integers(5)} {random.choice(['came', 'left'])}", str(random.integers(4)), image, "4")
        for image in range(50)
    ]
    assert found(rows) == found(rows)


@pytest.mark.soak
@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_most_released_direct_answers_follow_from_the_original_answer_and_the_text() -> None:
    from whatif.benchmarks.cvqa_real.shortcut_audit import shortcuts_of
    from whatif.formats.c_vqa import read_released

    audited = list(shortcuts_of(read_released(RELEASED), folds=5, seed=0))
    right = {(one.variant, one.rule): (one.right, one.n) for one in audited}
    assert right["direct counterfactual", "same-answer"] == (3, 1150)
    assert right["indirect counterfactual", "same-answer"] == (49, 864)
    assert right["boolean counterfactual", "same-answer"] == (26, 1130)
    assert right["boolean counterfactual", "opposite-answer"] == (1104, 1130)
    assert right["boolean counterfactual", "most-frequent"] == (623, 1130)
    right_direct, direct = right["direct counterfactual", "arithmetic"]
    assert direct == 1150 and right_direct > 0.95 * direct
    right_boolean, boolean = right["boolean counterfactual", "presupposition"]
    assert boolean >= 1128 and 0.70 < right_boolean / boolean < 0.80
