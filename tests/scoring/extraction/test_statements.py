"""Statements as answers to yes-or-no questions: used if they entail or exclude what is asked, otherwise ignored.

The labels are in `labelled_statements.jsonl`, one object per line: `answer` is null if a statement decides nothing.
The set `development` was written before the rules; `held out` and `adversarial` after them, before they were first run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whatif.scoring.extraction.answer import extract
from whatif.scoring.extraction.asked_statement import asked_of
from whatif.scoring.extraction.statement_words import base_form

LABELLED: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "labelled_statements.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(("name", "missed"), [("development", 2), ("held out", 7), ("adversarial", 2)])
def test_no_statement_is_read_wrongly_and_few_are_not_read(name: str, missed: int) -> None:
    wrong, unread = [], []
    rows = [row for row in LABELLED if row["set"] == name]
    for row in rows:
        found = extract(row["response"], "boolean", row["question"])
        if found.answer not in (None, row["answer"]):
            wrong.append(f"{row['question']} | {row['response']}: {row['answer']} by hand, {found.answer}")
        elif found.answer is None and row["answer"] is not None:
            unread.append(f"{row['question']} | {row['response']}: {row['answer']} by hand")
    assert len(rows) > 120
    assert not wrong, "\n".join(wrong)
    assert len(unread) <= missed, "\n".join(unread)


def test_labels_are_of_every_kind() -> None:
    for name in ("development", "held out", "adversarial"):
        answers = [row["answer"] for row in LABELLED if row["set"] == name]
        assert min(answers.count("yes"), answers.count("no"), answers.count(None)) >= 30, name
    assert len({(row["question"], row["response"]) for row in LABELLED}) == len(LABELLED)


THINGS = [("dog", "dogs"), ("red car", "red cars"), ("fire hydrant", "fire hydrants"), ("woman", "women")]


@pytest.mark.parametrize(("one", "many"), THINGS)
def test_there_is_and_there_is_no(one: str, many: str) -> None:
    article = "an" if one[0] in "aeiou" else "a"
    for question in (
        f"Is there {article} {one}?",
        f"Are there any {many} in the picture?",
        f"Can you see {article} {one}?",
    ):
        for yes in (f"There is {article} {one} in the image.", f"There are two {many}.", f"I see {article} {one}."):
            assert extract(yes, "boolean", question).answer == "yes", (question, yes)
        for no in (f"There is no {one} in the image.", f"There aren't any {many}.", f"I don't see {article} {one}."):
            assert extract(no, "boolean", question).answer == "no", (question, no)
        for neither in (
            f"There is {article} {one} shop.",
            f"There may be {article} {one}.",
            f"There was {article} {one}.",
        ):
            assert extract(neither, "boolean", question).status == "none", (question, neither)


def test_a_statement_that_contradicts_its_own_yes_is_ambiguous() -> None:
    assert extract("Yes. There is no dog in the image.", "boolean", "Is there a dog?").status == "ambiguous"
    assert extract("No. There is no dog in the image.", "boolean", "Is there a dog?").answer == "no"


@pytest.mark.parametrize(
    "question",
    ["What is it?", "Is there no dog?", "Isn't it red?", "Is it a cat or a dog?", "Can you see if it is on?", ""],
)
def test_questions_that_are_not_understood_decide_nothing(question: str) -> None:
    assert asked_of(question) is None


def test_base_forms() -> None:
    same = [
        "sit sits sitting",
        "drive drives driving",
        "bus buses",
        "party parties",
        "glass glasses",
        "wear wears wearing",
    ]
    same += ["person people", "child children", "have has had having", "lie lies lying", "bike bikes", "ball balls"]
    for forms in same:
        assert len({base_form(form) for form in forms.split()}) == 1, forms
    for one, other in (("closed", "closing"), ("building", "build"), ("his", "hi"), ("cut", "cute")):
        assert base_form(one) != base_form(other)
