"""VQAv2's two files are joined; records that cannot be joined are reported, never dropped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whatif.errors import WhatifError
from whatif.formats.vqa_v2 import Rejected, VqaQuestions, read_vqa


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


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda a: a.update(answer_type="text"), "`answer_type` is 'text'; it is number or yes/no or other"),
        (lambda a: a.pop("multiple_choice_answer"), "has no `multiple_choice_answer`; it needs a text"),
        (lambda a: a.update(answers="yes"), '`answers` is "yes"; it needs a list'),
        (lambda a: a.update(answers=["yes"]), "an entry of `answers` has no text `answer`; each needs one"),
        (lambda a: a.update(image_id=None), "`image_id` is null; it needs a whole number"),
    ],
)
def test_a_bad_annotation_is_named(spoil: Callable[[dict[str, Any]], Any], message: str, tmp_path: Path) -> None:
    bad = annotation(5)
    spoil(bad)
    with pytest.raises(WhatifError, match=message) as raised:
        read(tmp_path, [question(5)], [bad])
    assert str(raised.value).startswith(f"{tmp_path / 'annotations.json'}: annotations[0] (id 5): ")


def test_a_bad_question_is_named(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"questions.json: questions\[0\]: has no `question_id`; it needs a whole"):
        read(tmp_path, [{"image_id": 1, "question": "Why?"}], [])


def test_exchanged_files_are_refused(tmp_path: Path) -> None:
    read(tmp_path, [], [])
    with pytest.raises(WhatifError, match=r"annotations.json: is not a file of questions in the format of VQAv2"):
        read_vqa(tmp_path / "annotations.json", tmp_path / "questions.json")
