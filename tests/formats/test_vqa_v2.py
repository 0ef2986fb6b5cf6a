"""VQAv2's two files are joined and become rows; records that cannot be joined are reported, never dropped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from whatif.formats.vqa_v2 import Rejected, VqaQuestion, VqaQuestions, question_rows, read_vqa
from whatif.scoring.extraction.answer import extract, is_correct


def question(question_id: int, **changes: Any) -> dict[str, Any]:
    return {"question_id": question_id, "image_id": 7, "question": "Is it red?", **changes}


def annotation(question_id: int, **changes: Any) -> dict[str, Any]:
    answers = [
        {"answer": "yes" if number < 8 else "no", "answer_confidence": "maybe", "answer_id": number + 1}
        for number in range(10)
    ]
    return {
        "question_id": question_id,
        "image_id": 7,
        "question_type": "is it",
        "answer_type": "yes/no",
        "multiple_choice_answer": "yes",
        "answers": answers,
        **changes,
    }


def read(folder: Path, questions: list[Any], annotations: list[Any]) -> VqaQuestions:
    for name, records in (("questions", questions), ("annotations", annotations)):
        (folder / f"{name}.json").write_text(json.dumps({name: records}), encoding="utf-8")
    return read_vqa(folder / "questions.json", folder / "annotations.json")


def test_questions_are_joined_in_the_order_of_their_file(tmp_path: Path) -> None:
    found = read(tmp_path, [question(2), question(1)], [annotation(1), annotation(2, multiple_choice_answer="no")])
    assert [(one.question_id, one.answer) for one in found.questions] == [(2, "no"), (1, "yes")]
    first = found.questions[0]
    assert (first.image_id, first.question, first.question_type, first.answer_type) == (
        7,
        "Is it red?",
        "is it",
        "yes/no",
    )
    assert first.answers == ("yes",) * 8 + ("no",) * 2
    assert not found.rejected


def test_what_does_not_join_is_reported(tmp_path: Path) -> None:
    questions = [question(1), question(2), question(1, question="Is it blue?"), question(3)]
    annotations = [annotation(1), annotation(4), annotation(3, image_id=8), annotation(1)]
    found = read(tmp_path, questions, annotations)
    assert [(one.question_id, one.question) for one in found.questions] == [(1, "Is it red?")]
    assert found.rejected == [
        Rejected(1, "annotation twice", "annotations[0] counts, annotations[3] not"),
        Rejected(1, "question twice", "questions[0] counts, questions[2] not"),
        Rejected(2, "question without annotation", "none in annotations.json"),
        Rejected(3, "images differ", "image 7 in questions.json, 8 in annotations.json"),
        Rejected(4, "annotation without question", "none in questions.json"),
    ]


def asked(number: int, answer_type: str, answer: str, image: int = 7) -> VqaQuestion:
    return VqaQuestion(number, image, "What is it?", "what is", answer_type, answer, (answer,) * 10)


def test_every_record_is_a_question_or_a_rejection() -> None:
    questions = [asked(1, "number", "2"), asked(2, "yes/no", "no"), asked(3, "other", "dark red")]
    vqa = VqaQuestions([*questions, asked(4, "other", "x", image=8)], [Rejected(9, "question twice", "why")] * 2)
    rows, rejections = question_rows(vqa, {7: "abc"})
    assert [(row["question_id"], row["group"], row["answer_kind"]) for row in rows] == [
        ("1-original", "number", "number"),
        ("2-original", "yes/no", "boolean"),
        ("3-original", "other", "text"),
    ]
    assert all(row["image_ids"] == ["abc"] and row["choices"] is None for row in rows)
    assert [row["reason"] for row in rejections] == ["question twice", "question twice", "no picture"]
    assert len({row["item_id"] for row in rejections}) == 3
    for row in rows:
        said = extract(row["answer"], row["answer_kind"], row["question"])
        assert is_correct(said, row["answer"], row["answer_kind"])
