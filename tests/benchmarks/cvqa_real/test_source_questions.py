"""Which questions of VQAv2 can be changed: answer type, first words, agreement, and the form of the answer."""

from __future__ import annotations

import pytest

from tests.benchmarks.cvqa_real.vqa import asked
from whatif.benchmarks.cvqa_real.source_questions import Majority, chosen_answer, majority_of, source_rows, usual_answer
from whatif.formats.vqa_v2 import Rejected, VqaQuestion, VqaQuestions


def question(text: str, kind: str, *given: tuple[int, str]) -> VqaQuestion:
    one, annotation = asked(7001, text, kind, *given)
    texts = tuple(answer["answer"] for answer in annotation["answers"])
    return VqaQuestion(7001, 7, one["question"], annotation["question_type"], kind, "not used", texts)


@pytest.mark.parametrize(
    ("text", "kind", "given", "expected"),
    [
        ("How many cats are there?", "number", [(5, "2"), (5, "3 or 4")], "no majority"),
        ("How many cats are there?", "number", [(5, "2"), (3, "1"), (2, "3")], Majority("2", 5, 10)),
        ("How many cats are there?", "number", [(4, "2"), (3, "1"), (3, "3")], "no majority"),
        ("How many cats are there?", "number", [(3, "two"), (2, " Two. "), (5, "lots")], "no majority"),
        ("How many cats are there?", "number", [(3, "two"), (2, " Two. "), (1, "2"), (4, "1")], Majority("2", 6, 10)),
        ("  how many cats?", "number", [(10, "0")], Majority("0", 10, 10)),
        ("How many cats?", "number", [(6, "none"), (4, "zero")], Majority("0", 10, 10)),
        ("How many people?", "number", [(10, "1,000")], Majority("1000", 10, 10)),
        ("How many cats are there?", "number", [(10, "many")], "not a whole number"),
        ("How many cats are there?", "number", [(10, "lots")], "not a whole number"),
        ("How many cats are there?", "number", [(10, "a few")], "not a whole number"),
        ("How many cats are there?", "number", [(10, "2.5")], "not a whole number"),
        ("How many cats are there?", "number", [(10, "-1")], "not a whole number"),
        ("How many cats are there?", "number", [(10, "3 or 4")], "not a whole number"),
        ("How many cats are there?", "number", [(10, "2+")], "not a whole number"),
        ("How many cats are there?", "number", [(10, "9" * 10)], "not a whole number"),
        ("How many cats are there?", "number", [], "no majority"),
        ("How many cats are there?", "number", [(3, "2")], "no majority"),
        ("What time is it?", "number", [(10, "10")], 'not "how many"'),
        ("What number is on the bus?", "number", [(10, "7")], 'not "how many"'),
        ("How manyfold is it?", "number", [(10, "7")], 'not "how many"'),
        ("How old is she?", "number", [(10, "7")], 'not "how many"'),
        ("  ", "yes/no", [(10, "yes")], "no text"),
        ("Is it red?", "yes/no", [(8, "Yes"), (2, "no")], Majority("yes", 8, 10)),
        ("Is it red?", "yes/no", [(4, "no"), (3, "No."), (3, "yes")], Majority("no", 7, 10)),
        ("Is it red?", "yes/no", [(5, "no"), (5, "yes")], "no majority"),
        ("Is it red or blue?", "yes/no", [(10, "red")], "not yes or no"),
        ("Is it red?", "yes/no", [(10, "yeah")], "not yes or no"),
        ("Why is it red?", "other", [(10, "yes")], "other answer type"),
        ("How many are there?", "other", [(10, "2")], "other answer type"),
    ],
)
def test_a_question_can_be_changed_if_people_agree_on_a_whole_number_or_on_yes_or_no(
    text: str, kind: str, given: list[tuple[int, str]], expected: Majority | str
) -> None:
    found = chosen_answer(question(text, kind, *given), 5)
    assert (found if isinstance(found, Majority) else found[0]) == expected


def test_how_many_must_agree_is_a_setting() -> None:
    cats = question("How many cats?", "number", (7, "2"), (3, "1"))
    assert chosen_answer(cats, 7) == Majority("2", 7, 10)
    assert chosen_answer(cats, 8) == ("no majority", "7 of 10 answers are '2'; least_agreement is 8")
    assert chosen_answer(question("How many cats?", "number", (4, "2"), (3, "1"), (3, "0")), 4) == Majority("2", 4, 10)


def test_two_answers_that_are_equally_frequent_are_no_majority() -> None:
    assert majority_of(["b", "a", "a", "b"], 1) == (None, "2 of 4 answers are 'a', and as many are 'b'")
    assert majority_of([], 1) == (None, "it has no answers")


def test_an_answer_is_read_without_regard_to_its_writing() -> None:
    assert [usual_answer(text, "numerical") for text in ("Twenty  two", "02", "3.0", "a dozen", "10.", "3 or 4")] == [
        "22",
        "2",
        "3",
        "12",
        "10",
        "3 or 4",
    ]
    assert usual_answer(" YES. ", "boolean") == "yes"


def test_every_record_becomes_a_row_or_a_rejection() -> None:
    vqa = VqaQuestions(
        [question("How   many cats?", "number", (9, "2"), (1, "3")), question("Why?", "other", (10, "it is"))],
        [Rejected(9, "question without annotation", "none in a.json")],
    )
    found = source_rows(vqa, least_agreement=5, picture=lambda image: f"{image}.jpg", of_image=lambda image: {"x": 1})
    ((image, row),) = found.rows
    assert image == 7
    assert row == {
        "question_id": "7001-original",
        "pair_id": "7001",
        "group": "numerical",
        "variant": "original",
        "question": "How many cats?",
        "choices": None,
        "answer": "2",
        "answer_kind": "number",
        "provenance": '{"agreement":9,"answers":10,"image":7,"img_path":"7.jpg","question_type":"how many","x":1}',
    }
    assert found.rejections == [
        {"item_id": "9-0", "reason": "question without annotation", "detail": "none in a.json"},
        {"item_id": "7001", "reason": "other answer type", "detail": "the answer type is other"},
    ]
