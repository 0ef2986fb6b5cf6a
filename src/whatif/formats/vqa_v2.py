"""Reads questions and answers in the format of VQAv2: two files, joined by question id; and makes rows of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.formats.annotation_files import AnnotationFile

_FORMAT = "in the format of VQAv2"
ANSWER_TYPES = ("number", "yes/no", "other")
# VQAv2's answer type -> the answer kind, which determines extraction and comparison.
_KINDS = {"number": "number", "yes/no": "boolean", "other": "text"}


@dataclass(frozen=True)
class VqaQuestion:
    """A question and its human answers; `answer` is the most frequent answer, `question_type` the first words."""

    question_id: int
    image_id: int
    question: str
    question_type: str
    answer_type: str
    answer: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Rejected:
    """A record of either file that gave no question, and the reason."""

    question_id: int
    reason: str
    detail: str


@dataclass(frozen=True)
class VqaQuestions:
    """Questions in file order, and every record that gave no question.

    `subtypes` are what the file of questions and that of annotations state as their part of MS-COCO, for example
    `val2014`; empty if a file states none.
    """

    questions: list[VqaQuestion]
    rejected: list[Rejected]
    subtypes: tuple[str, str] = ("", "")


def read_vqa(questions_path: Path, annotations_path: Path) -> VqaQuestions:
    """Joins a file such as `v2_OpenEnded_mscoco_val2014_questions.json` with its annotations.

    Records that cannot be joined are in `rejected`, none is dropped: a duplicate question or annotation (the first
    counts), a question without annotation, an annotation without question, and two records that name different images.

    Raises WhatifError that names the file, the place and the remedy when a file has another format or a field of a
    record is missing or has another type.
    """
    question_file = AnnotationFile(questions_path, f"questions {_FORMAT}", ("questions",))
    annotation_file = AnnotationFile(annotations_path, f"annotations {_FORMAT}", ("annotations",))
    rejected: list[Rejected] = []
    annotations = _by_id(annotation_file, "annotations", "annotation twice", rejected)
    places = _by_id(question_file, "questions", "question twice", rejected)
    questions = []
    for question_id, place in places.items():
        text = question_file.value("questions", place, "question", str)
        image_id = question_file.value("questions", place, "image_id", int)
        annotated = annotations.pop(question_id, None)
        if annotated is None:
            rejected.append(Rejected(question_id, "question without annotation", f"none in {annotations_path.name}"))
            continue
        answered_image = annotation_file.value("annotations", annotated, "image_id", int)
        if answered_image != image_id:
            detail = f"image {image_id} in {questions_path.name}, {answered_image} in {annotations_path.name}"
            rejected.append(Rejected(question_id, "images differ", detail))
            continue
        questions.append(_question(annotation_file, annotated, question_id, image_id, text))
    missing = f"none in {questions_path.name}"
    rejected += [Rejected(question_id, "annotation without question", missing) for question_id in annotations]
    subtypes = (question_file.stated("data_subtype"), annotation_file.stated("data_subtype"))
    return VqaQuestions(questions, rejected, subtypes)


def _by_id(file: AnnotationFile, name: str, twice: str, rejected: list[Rejected]) -> dict[int, int]:
    """The index of each question id's first record; later ones are rejected."""
    places: dict[int, int] = {}
    for place in range(len(file.records(name))):
        question_id = file.value(name, place, "question_id", int)
        if question_id in places:
            rejected.append(Rejected(question_id, twice, f"{name}[{places[question_id]}] counts, {name}[{place}] not"))
        else:
            places[question_id] = place
    return places


def _question(file: AnnotationFile, place: int, question_id: int, image_id: int, text: str) -> VqaQuestion:
    answer_type = file.value("annotations", place, "answer_type", str)
    if answer_type not in ANSWER_TYPES:
        raise file.error("annotations", place, f"`answer_type` is {answer_type!r}; it is {' or '.join(ANSWER_TYPES)}")
    return VqaQuestion(
        question_id,
        image_id,
        text,
        file.value("annotations", place, "question_type", str),
        answer_type,
        file.value("annotations", place, "multiple_choice_answer", str),
        tuple(_answer(file, place, given) for given in file.value("annotations", place, "answers", list)),
    )


def _answer(file: AnnotationFile, place: int, given: Any) -> str:
    if not isinstance(given, dict) or not isinstance(given.get("answer"), str):
        raise file.error("annotations", place, "an entry of `answers` has no text `answer`; each needs one")
    answer: str = given["answer"]
    return answer


def question_rows(vqa: VqaQuestions, image_ids: Mapping[int, str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of `questions` and `rejections`; together they are all questions and unmatched records of the files.

    `image_ids` maps an image id of the files to the id in `images`, for the available images. The group of a question
    is VQAv2's answer type. Each question is its own pair. A question without its image is rejected.
    """
    rows = []
    rejections = [
        {"item_id": f"{rejected.question_id}-{place}", "reason": rejected.reason, "detail": rejected.detail}
        for place, rejected in enumerate(vqa.rejected)
    ]
    for question in vqa.questions:
        name = str(question.question_id)
        if question.image_id not in image_ids:
            detail = f"image {question.image_id} is not there"
            rejections.append({"item_id": name, "reason": "no picture", "detail": detail})
            continue
        rows.append(
            {
                "question_id": f"{name}-original",
                "pair_id": name,
                "group": question.answer_type,
                "variant": "original",
                "question": question.question,
                "choices": None,
                "answer": question.answer,
                "answer_kind": _KINDS[question.answer_type],
                "image_ids": [image_ids[question.image_id]],
                "provenance": canonical_json({"image": question.image_id, "question_type": question.question_type}),
            }
        )
    return rows, rejections
