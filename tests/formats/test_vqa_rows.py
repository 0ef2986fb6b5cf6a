"""VQAv2's questions as rows: each record is a question or has a reason for its rejection."""

from __future__ import annotations

from whatif.formats.vqa_rows import question_rows
from whatif.formats.vqa_v2 import Rejected, VqaQuestion, VqaQuestions
from whatif.scoring.extraction.answer import extract, is_correct


def question(number: int, answer_type: str, answer: str, image: int = 7) -> VqaQuestion:
    return VqaQuestion(number, image, "What is it?", "what is", answer_type, answer, (answer,) * 10)


def test_every_record_is_a_question_or_a_rejection() -> None:
    questions = [question(1, "number", "2"), question(2, "yes/no", "no"), question(3, "other", "dark red")]
    vqa = VqaQuestions([*questions, question(4, "other", "x", image=8)], [Rejected(9, "question twice", "why")] * 2)
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
