"""Questions that people have checked: what is removed, for which reason, and what is corrected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whatif.engine.artifacts.schemas import CORRECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.params.resolution import Resolution
from whatif.people.exports.questions import question_items
from whatif.people.imports.importer import import_labels
from whatif.people.imports.settings import LabelFile
from whatif.people.question_checks import check_questions, usual_form
from whatif.scoring.extraction.answer import Kind


def question(pair: str, variant: str = "counterfactual", **changes: Any) -> dict[str, Any]:
    row = {"pair_id": pair, "variant": variant, "question": f"How many would be left in {pair}?", "answer": "2"}
    return {"question_id": f"{pair}-{variant}", **row, **changes}


def judged(item: str, annotator: str, decision: str, **corrected: str) -> dict[str, Any]:
    row = {"item_id": f"{item}-counterfactual", "annotator": annotator, "decision": decision}
    return {**row, "corrected": json.dumps(corrected), "comment": "", "time": None, "seconds": None}


def is_number(row: Any) -> str | None:
    return None if row["answer"].isdigit() else f"{row['answer']} is no number"


QUESTIONS = [question(pair, variant) for pair in "abcdefgh" for variant in ("original", "counterfactual")]
JUDGEMENTS = [
    *(judged("a", who, "unrelated", answer="7") for who in ("ann", "bob")),
    judged("b", "ann", "ambiguous"),
    judged("b", "bob", "unrelated"),
    judged("c", "ann", "accept", answer="3"),
    judged("c", "bob", "accept", answer="3", question="How many would be left?"),
    judged("d", "ann", "accept"),
    judged("d", "bob", "ambiguous"),
    *(judged("e", who, "accept", answer="many") for who in ("ann", "bob")),
    *(judged("f", who, "accept", question="How many remain?") for who in ("ann", "bob")),
    judged("g", "ann", "reject"),
]


def test_unrelated_and_ambiguous_questions_are_removed_and_the_others_corrected(tmp_path: Any) -> None:
    found = check_questions(QUESTIONS, JUDGEMENTS, Resolution(), check=is_number)
    assert {item.removesuffix("-counterfactual"): reason for item, (reason, _) in found.removed.items()} == {
        "a": "unrelated",
        "b": "unrelated",  # both reject it; of two reasons, that which is decided first
        "c": "corrections differ",  # about the wording
        "d": "annotators disagree",
        "e": "correction refused",
        "g": "reject",
    }
    assert found.removed["b-counterfactual"][1] == "ann: ambiguous; bob: unrelated"
    assert "many is no number" in found.removed["e-counterfactual"][1]
    assert [row["question_id"] for row in found.questions if row["pair_id"] in "fh"] == [
        f"{pair}-{variant}" for pair in "fh" for variant in ("original", "counterfactual")
    ]
    changed = [row for row in found.questions if row not in QUESTIONS]
    assert changed == [question("f", question="How many remain?")]
    assert [(row["item_id"], row["field"], row["annotators"]) for row in found.corrections] == [
        ("f-counterfactual", "question", ["ann", "bob"])
    ]
    assert len(found.questions) + len(found.removed) == len(QUESTIONS)
    assert found.judged == {f"{pair}-counterfactual" for pair in "abcdefg"}
    write_artifact(tmp_path / "corrections.parquet", CORRECTIONS, found.corrections)


@pytest.mark.parametrize(
    ("rule", "adjudicator", "reasons"),
    [
        ("first", None, {"b": "unrelated", "d": "annotators disagree"}),
        ("unanimous", None, {"b": "unrelated", "d": "annotators disagree"}),
        ("adjudicated", "ann", {"b": "ambiguous"}),
        ("adjudicated", "bob", {"b": "unrelated", "d": "ambiguous"}),
    ],
)
def test_the_rule_decides_and_the_adjudicator_names_the_reason(
    rule: Any, adjudicator: str | None, reasons: dict[str, str]
) -> None:
    settings = Resolution(rule=rule, adjudicator=adjudicator)
    found = check_questions(QUESTIONS, JUDGEMENTS, settings, check=is_number)
    of = {item[0]: reason for item, (reason, _) in found.removed.items()}
    assert {pair: of[pair] for pair in "bd" if pair in of} == reasons
    if adjudicator == "ann":
        (row,) = [row for row in found.questions if row["question_id"] == "c-counterfactual"]
        assert (row["answer"], row["question"]) == ("3", QUESTIONS[5]["question"])


def test_the_most_frequent_reason_is_that_of_the_question() -> None:
    rows = [judged("a", "ann", "unrelated"), judged("a", "bob", "ambiguous"), judged("a", "cas", "ambiguous")]
    found = check_questions(QUESTIONS, rows, Resolution(), check=is_number)
    assert found.removed == {"a-counterfactual": ("ambiguous", "ann: unrelated; bob: ambiguous; cas: ambiguous")}


@pytest.mark.parametrize(
    ("written", "answer"),
    [("B", "B"), (" b ", "B"), ("(b)", "B"), ("C.", "C"), ("Two  dogs", "B"), ("a", "A"), ("D", None), ("dogs", None)],
)
def test_a_letter_may_be_written_as_people_write_it(written: str, answer: str | None) -> None:
    options = question("a", choices=["one dog", "two dogs", "a"], answer="C")
    found = check_questions(
        [options],
        [judged("a", "ann", "accept", answer=written), judged("a", "bob", "accept", answer=answer or written)],
        Resolution(),
        check=lambda row: None if row["answer"] in "ABC" else "no letter",
    )
    assert [row["answer"] for row in found.questions] == ([answer] if answer else [])
    assert bool(found.removed) is (answer is None)


def test_a_final_decision_is_no_vote_under_other_rules() -> None:
    rows = [judged("a", "ann", "accept"), judged("a", "adjudicated", "ambiguous"), judged("b", "adjudicated", "reject")]
    found = check_questions(QUESTIONS, rows, Resolution(), check=is_number)
    assert (found.removed, found.judged) == ({}, {"a-counterfactual"})
    final = Resolution(rule="adjudicated", adjudicator="adjudicated")
    assert set(check_questions(QUESTIONS, rows, final, check=is_number).removed) == {
        "a-counterfactual",
        "b-counterfactual",
    }


def test_the_id_of_a_pair_names_its_counterfactual_question() -> None:
    items = question_items([{**row, "answer_kind": "number"} for row in QUESTIONS], seed=0)
    assert items.names["a"] == "a-counterfactual" and items.correctable == ("answer", "question")


@pytest.mark.parametrize(
    ("answer", "kind", "form"),
    [
        ("three", "number", "3"),
        (" 3.0", "number", "3"),
        ("3 dogs", "number", "3 dogs"),
        ("YES.", "boolean", "yes"),
        ("maybe", "boolean", "maybe"),
        ("Red", "text", "Red"),
    ],
)
def test_an_answer_has_one_form(answer: str, kind: Kind, form: str) -> None:
    assert usual_form(answer, kind) == form


def test_annotators_who_write_an_answer_in_two_forms_agree(tmp_path: Path) -> None:
    """And the answer that the question has, in another form, is no correction."""
    questions = [{**question(pair, "counterfactual"), "answer": "2", "answer_kind": "number"} for pair in "ab"]
    path = tmp_path / "labels.csv"
    lines = ["a,ann,accept,3.0", "a,bob,accept,three", "b,ann,accept,2.0", "b,bob,accept,"]
    path.write_text("\n".join(["item_id,annotator,decision,corrected_answer", *lines]))
    read = import_labels([LabelFile(path=str(path), format="long")], question_items(questions, seed=0))
    found = check_questions(questions, read.judgements, Resolution(), check=is_number)
    assert found.removed == {} and [row["answer"] for row in found.questions] == ["3", "2"]
    assert [(row["annotators"], row["after"]) for row in found.corrections] == [(["ann", "bob"], '"3"')]
