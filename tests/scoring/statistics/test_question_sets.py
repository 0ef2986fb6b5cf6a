"""What is counted of a set of questions agrees with counting by hand, and with what C-VQA 3.4 prints."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.formats.c_vqa import read_released
from whatif.scoring.statistics.question_sets import Summary, compare_markdown, summary


def question(text: str, choices: list[str] | None, answer: str, **changes: str) -> dict[str, Any]:
    """The columns that are counted."""
    row = {"question_id": "q", "group": "dots", "variant": "original", "question": text}
    return {**row, "choices": choices, "answer": answer, **changes}


PUZZLES = [
    question("How many dots?", ["4", "10", "3", "6"], "C"),  # smallest; the only odd one
    question("How many red dots are there?", ["9", "10", "11", "8"], "C"),  # largest; two are odd
    question("How many dots?", ["5", "7", "9", "12"], "A", variant="counterfactual"),  # smallest; three are odd
    question("Is it off?", None, "yes", group="boolean"),
    question("Is it on?", None, "no", group="boolean"),
    question("Is it on?", None, "no", group="boolean"),
]


def released(name: str) -> Summary:
    folder = os.environ.get("WHATIF_DATA")
    if not folder:
        pytest.skip("WHATIF_DATA does not point to the folder with the released C-VQA files")
    return summary(read_released(Path(folder) / "c-vqa" / f"C-VQA-{name}_questions.csv"))


def test_multiple_choice_questions_are_counted_with_their_options() -> None:
    assert summary(PUZZLES)["dots"]["original"] == {
        "number": 2,
        "mean_words": (3 + 7 + 6 + 7) / 2,
        "answers": {"3": 1, "11": 1},
        "values": {"minimum": 3.0, "median": 7.0, "mean": 7.0, "maximum": 11.0},
        "letters": {"C": 2},
        "ranks": {"1": 1, "4": 1},
        "odd_options": {"1": 1, "2": 1},
        "alone_in_parity": 1,
    }


def test_open_questions_have_no_options_to_count() -> None:
    cell = summary(PUZZLES)["boolean"]["original"]
    assert cell["answers"] == {"no": 2, "yes": 1}
    assert (cell["values"], cell["letters"], cell["ranks"], cell["mean_words"]) == (None, {}, {}, 3.0)


def test_all_groups_come_first_and_together() -> None:
    made = summary(PUZZLES)
    assert list(made) == ["all", "boolean", "dots"]
    assert list(made["all"]) == ["original", "counterfactual"]
    assert made["all"]["original"]["number"] == 5
    assert list(made["all"]["original"]["answers"]) == ["3", "11", "no", "yes"]
    assert made["all"]["counterfactual"] == made["dots"]["counterfactual"]


def test_options_that_are_no_numbers_have_a_letter_but_no_rank() -> None:
    cell = summary([question("Which?", ["left", "right"], "B")])["dots"]["original"]
    assert (cell["letters"], cell["answers"]) == ({"B": 1}, {"right": 1})
    assert (cell["ranks"], cell["odd_options"], cell["alone_in_parity"]) == ({}, {}, 0)


def test_answer_that_is_no_option_is_named() -> None:
    bad = question("How many?", ["1", "2"], "C", question_id="dot-removal-0007-original")
    with pytest.raises(WhatifError, match=r"question dot-removal-0007-original: answer is `C`; .* A, B$"):
        summary([bad])


def test_summary_survives_json() -> None:
    made = summary(PUZZLES)
    assert json.loads(json.dumps(made)) == made


def test_comparison_has_a_table_a_group_and_a_row_for_what_either_side_has() -> None:
    ours = summary(PUZZLES[:3])
    text = compare_markdown(ours, summary(PUZZLES[1:]))
    assert [line for line in text.splitlines() if line.startswith("#")] == ["### all", "### boolean", "### dots"]
    boolean = text.split("### boolean")[1].split("### dots")[0].splitlines()
    assert "| questions | – | 3 | – | – |" in boolean
    assert "| right answer in words: no (%) | – | 66.67 | – | – |" in boolean
    dots = text.split("### dots")[1].splitlines()
    assert "| questions | 2 | 1 | 1 | 1 |" in dots
    assert "| mean words | 11.50 | 13.00 | 10.00 | 10.00 |" in dots
    assert "| right answer, median | 7.00 | 11.00 | 5.00 | 5.00 |" in dots
    assert "| right answer 10–14 (%) | 50.00 | 100.00 | 0.00 | 0.00 |" in dots
    assert "| right option A (%) | 0.00 | 0.00 | 100.00 | 100.00 |" in dots
    assert "| rank of the right option 1 (%) | 50.00 | 0.00 | 100.00 | 100.00 |" in dots
    assert "| right option alone in its parity (%) | 50.00 | 0.00 | 0.00 | 0.00 |" in dots


def test_comparison_of_a_set_with_itself_agrees_everywhere() -> None:
    made = summary(PUZZLES)
    rows = [line.split(" | ") for line in compare_markdown(made, made).splitlines() if line.endswith(" |")]
    numbers = [row for row in rows if "ours" not in row[1]]
    assert len(numbers) > 20
    for _, ours, theirs, counterfactual_ours, counterfactual_theirs in numbers:
        assert ours == theirs
        assert counterfactual_ours == counterfactual_theirs.removesuffix(" |")


def test_right_answers_fall_into_bins_of_which_the_last_is_open() -> None:
    made = summary([question("How many?", None, answer) for answer in ("10", "49", "50", "2000")])
    assert made["all"]["original"]["values"]["median"] == 49.5
    text = compare_markdown(made, {})
    assert "| right answer 10–14 (%) | 25.00 | – | – | – |" in text
    assert "| right answer 30–49 (%) | 25.00 | – | – | – |" in text
    assert "| right answer 50 or more (%) | 50.00 | – | – | – |" in text


def test_synthetic_agrees_with_the_paper() -> None:
    made = released("Synthetic")
    for variant, words, second_smallest in (("original", "16.00", 1429), ("counterfactual", "25.33", 1431)):
        cell = made["all"][variant]
        assert cell["number"] == 3000
        assert f"{cell['mean_words']:.2f}" == words
        assert cell["ranks"]["2"] == second_smallest
        for letter in "ABCD":
            assert abs(cell["letters"][letter] / 3000 - 0.25) < 0.01  # "close to 25%"
    assert [made[group]["original"]["number"] for group in made if group != "all"] == [500] * 6


def test_real_agrees_with_the_paper() -> None:
    made = released("Real")
    numbers = {group: made[group]["counterfactual"]["number"] for group in made}
    assert numbers == {"all": 3144, "direct": 1150, "indirect": 864, "boolean": 1130}
    assert made["all"]["original"]["mean_words"] == pytest.approx(5.879, abs=5e-4)
    assert made["all"]["counterfactual"]["mean_words"] == pytest.approx(13.157, abs=5e-4)  # printed cut off, as 13.15
    assert made["boolean"]["counterfactual"]["answers"] == {"no": 623, "yes": 507}
    assert round(100 * 623 / 1130, 2) == 55.13
