"""What follows from the text of a released puzzle: its template, and what its answers must satisfy."""

from __future__ import annotations

from typing import Any

import pytest

from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES
from whatif.benchmarks.cvqa_synthetic_released.text_checks import EXACT, Finding, answer_of, findings
from whatif.benchmarks.cvqa_synthetic_released.wording import Reading, readings

REMOVES = ("flower-removal", "dot-removal")


def pair(
    group: str, answers: tuple[int, int], colours: tuple[str, str] = ("red", "blue"), removed: int = 3, **changes: Any
) -> list[dict[str, Any]]:
    """The pair of questions of a puzzle with these answers; `changes` are of the counterfactual question."""
    template = TEMPLATES[group]
    made = []
    for variant, answer in zip(("original", "counterfactual"), answers, strict=True):
        made.append(
            {
                "variant": variant,
                "group": group,
                "question": template.question(variant, colours, removed),
                "choices": [str(number) for number in (answer + 2, answer, answer + 1, answer + 4)],
                "answer": "B",
            }
        )
    made[1].update(changes)
    return made


def contradictions(questions: list[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    return {found.check: found.contradictions for found in findings(questions) if found.contradictions}


@pytest.mark.parametrize("group", TEMPLATES)
def test_every_template_is_read_with_its_blanks(group: str) -> None:
    template = TEMPLATES[group]
    text = template.question("counterfactual", ("red", "blue"), 12)
    read = readings(text, "counterfactual")
    assert list(read) == [group]
    assert read[group] == Reading(
        group,
        "red" if template.subject == "flowers" else None,
        "blue" if group == "flower-removal-other" else None,
        12 if group in REMOVES else None,
    )
    assert readings(text, "original") == {}
    assert group in readings(template.question("original", ("red", "blue"), 12), "original")


def test_two_templates_share_their_original_question() -> None:
    assert set(readings("How many flowers are inside the red polygons?", "original")) == {
        "flower-removal",
        "flower-removal-other",
    }


@pytest.mark.parametrize(
    "text",
    [
        "How many flowers would be outside the red polygons if all polygons were blue?",  # one blank, twice
        "How many flowers would be inside red polygons if we removed 03 flowers in red polygons?",
        "How many flowers would be inside red polygons if we removed three flowers in red polygons?",
        "How many flowers are inside the red polygons? ",
        "how many flowers are inside the red polygons?",
    ],
)
def test_other_words_fit_no_template(text: str) -> None:
    assert readings(text, "original") == readings(text, "counterfactual") == {}


@pytest.mark.parametrize("group", TEMPLATES)
def test_a_good_pair_has_no_contradiction(group: str) -> None:
    assert findings(pair(group, (10, 7))) == [Finding("options"), Finding("wording"), Finding("answers")]


def test_the_templates_whose_answer_follows_are_those_that_remove_a_number() -> None:
    assert EXACT == REMOVES


@pytest.mark.parametrize("group", TEMPLATES)
@pytest.mark.parametrize("after", [11, 10, 8, 7, 6, 0])
def test_only_answers_that_contradict_the_text_are_rejected(group: str, after: int) -> None:
    found = contradictions(pair(group, (10, after)))
    wrong = after != 7 if group in REMOVES else after > 10
    assert set(found) == ({"answers"} if wrong else set())
    if wrong:
        assert f"the answers are 10 and {after}; the counterfactual one must be " in found["answers"][0]


def test_more_removed_than_there_are_is_a_contradiction() -> None:
    assert set(contradictions(pair("dot-removal", (2, 0), removed=3))) == {"answers"}


def test_all_flowers_of_the_polygons_that_are_asked_about_leave_none() -> None:
    same = ("red", "red")
    assert contradictions(pair("flower-removal-other", (4, 0), same)) == {}
    (told,) = contradictions(pair("flower-removal-other", (4, 2), same))["answers"]
    assert told.endswith("must be 0, since all flowers in red polygons are removed")


def test_equal_answers_are_noted_and_kept() -> None:
    *_, answers = findings(pair("dot-columns", (5, 5)))
    assert answers == Finding("answers", (), "unchanged: both answers are 5")


def test_a_question_of_another_template_is_a_contradiction_and_unknown_words_are_not() -> None:
    other = TEMPLATES["dot-columns"].counterfactual
    (told,) = contradictions(pair("dot-maximum", (5, 4), question=other))["wording"]
    assert told == f"counterfactual: `{other}` is of dot-columns, not of dot-maximum"
    options, wording, answers = findings(pair("dot-maximum", (5, 9), question="How many?"))
    assert not (options.contradictions or wording.contradictions or answers.contradictions)
    assert wording.note == "not checked: counterfactual: `How many?` fits no template"
    assert answers.note == "not checked: the wording cannot be relied on"


def test_questions_that_name_other_polygons_are_a_contradiction() -> None:
    text = TEMPLATES["flower-recolour"].question("counterfactual", ("pink", "red"), None)
    (told,) = contradictions(pair("flower-recolour", (5, 4), question=text))["wording"]
    assert told == "the original asks about red polygons, the counterfactual about pink ones"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"choices": ["1", "2", "2", "3"]}, "must have four different options, has 1, 2, 2, 3"),
        ({"choices": ["1", "2", "3"]}, "must have four different options, has 1, 2, 3"),
        ({"choices": None}, "must have four different options, has none"),
        ({"choices": ["1", "2", "3", "x"]}, "its options must be whole numbers, are 1, 2, 3, x"),
        ({"answer": "E"}, "its answer must be one of A, B, C, D, is E"),
    ],
)
def test_bad_options_are_a_contradiction_and_answers_are_then_not_checked(changes: dict[str, Any], told: str) -> None:
    options, _, answers = findings(pair("dot-removal", (9, 6), **changes))
    assert options.contradictions == (f"counterfactual: {told}",)
    assert answers == Finding("answers", (), "not checked: the options cannot be relied on")


def test_a_pair_needs_both_questions() -> None:
    questions = pair("dot-removal", (9, 6))
    for wrong in (questions[:1], [questions[0], questions[0]], [*questions, questions[0]]):
        assert set(contradictions(wrong)) == {"options", "wording", "answers"}


def test_the_answer_is_the_number_at_its_letter() -> None:
    assert [answer_of(row) for row in pair("dot-removal", (9, 6))] == [9, 6]
