"""Converts VQAv2 questions about available images to rows of `questions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.formats.vqa_v2 import VqaQuestions

# VQAv2's answer type -> the answer kind, which determines extraction and comparison.
_KINDS = {"number": "number", "yes/no": "boolean", "other": "text"}


def question_rows(vqa: VqaQuestions, image_ids: Mapping[int, str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of `questions` and `rejections`; together they are all questions and unmatched records of the files.

    `image_ids` maps an image id of the files to the id in `images`, for the available images. The group of a question
    is VQAv2's answer type. A question has no twin, so each is its own pair. A question without its image is rejected.
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
