"""Which questions of VQAv2 can be changed: "how many" with a whole number, and yes or no (C-VQA 3.1).

People must agree on the answer. Questions about drawn scenes have the same format, and the same rules apply.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, NUMERICAL, ORIGINAL, WHOLE_NUMBER
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.language.number_words import FIGURE, canonical, in_digits
from whatif.formats.vqa_v2 import VqaQuestion, VqaQuestions

# Reasons of rejections.
OTHER_TYPE, NOT_HOW_MANY, NO_TEXT = "other answer type", 'not "how many"', "no text"
NO_MAJORITY, NOT_A_NUMBER, NOT_YES_OR_NO = "no majority", "not a whole number", "not yes or no"
BY_DESIGN = (OTHER_TYPE, NOT_HOW_MANY)  # what the files contain besides the questions that are looked for

_KINDS = {NUMERICAL: "number", BOOLEAN: "boolean"}
_GROUPS = {"number": NUMERICAL, "yes/no": BOOLEAN}  # answer type of VQAv2 -> group
_HOW_MANY = re.compile(r"how many\b", re.IGNORECASE)
_FIGURE = re.compile(FIGURE)
_FORMS = {  # group -> the reason to reject an answer without this form
    NUMERICAL: (NOT_A_NUMBER, WHOLE_NUMBER),
    BOOLEAN: (NOT_YES_OR_NO, re.compile("yes|no")),
}

Rejection = dict[str, str]


class Majority(NamedTuple):
    """The answer that most people gave, in its usual form, and how many of how many gave it."""

    answer: str
    agreement: int
    answers: int


class SourceRows(NamedTuple):
    """Rows of `questions` without `image_ids`, with the image's number in the files, and rows of `rejections`.

    Together they are all questions and all records of the files that gave no question.
    """

    rows: list[tuple[int, dict[str, Any]]]
    rejections: list[Rejection]


def source_rows(
    vqa: VqaQuestions,
    *,
    least_agreement: int,
    picture: Callable[[int], str],
    of_image: Callable[[int], Mapping[str, Any]],
) -> SourceRows:
    """The questions that can be changed, in the order of the files.

    `picture` returns the file name of an image by its number in the files, and `of_image` what else its provenance has.
    """
    found = SourceRows(
        [],
        [
            rejection(f"{rejected.question_id}-{place}", rejected.reason, rejected.detail)
            for place, rejected in enumerate(vqa.rejected)
        ],
    )
    for question in vqa.questions:
        source_id = str(question.question_id)
        chosen = chosen_answer(question, least_agreement)
        if not isinstance(chosen, Majority):
            found.rejections.append(rejection(source_id, *chosen))
            continue
        group = _GROUPS[question.answer_type]
        known = {
            "img_path": picture(question.image_id),
            "image": question.image_id,
            "question_type": question.question_type,
            "agreement": chosen.agreement,
            "answers": chosen.answers,
            **of_image(question.image_id),
        }
        row = {
            "question_id": f"{source_id}-{ORIGINAL}",
            "pair_id": source_id,
            "group": group,
            "variant": ORIGINAL,
            "question": " ".join(question.question.split()),
            "choices": None,
            "answer": chosen.answer,
            "answer_kind": _KINDS[group],
            "provenance": canonical_json(known),
        }
        found.rows.append((question.image_id, row))
    return found


def chosen_answer(question: VqaQuestion, least_agreement: int) -> Majority | tuple[str, str]:
    """The answer of a question that can be changed; otherwise the reason why it cannot, and its detail."""
    fault = _fault(question)
    if fault is not None:
        return fault
    group = _GROUPS[question.answer_type]
    majority, detail = majority_of((usual_answer(answer, group) for answer in question.answers), least_agreement)
    if majority is None:
        return NO_MAJORITY, detail
    reason, form = _FORMS[group]
    return majority if form.fullmatch(majority.answer) else (reason, f"the answer is {majority.answer[:80]!r}")


def _fault(question: VqaQuestion) -> tuple[str, str] | None:
    """Why a question cannot be changed, whatever its answers; None if it can."""
    if question.answer_type not in _GROUPS:
        return OTHER_TYPE, f"the answer type is {question.answer_type}"
    words = question.question.split()
    if not words:
        return NO_TEXT, "the question is empty"
    if _GROUPS[question.answer_type] == NUMERICAL and not _HOW_MANY.match(" ".join(words)):
        return NOT_HOW_MANY, f"it begins with {' '.join(words[:3])[:80]!r}"
    return None


def majority_of(answers: Iterable[str], least_agreement: int) -> tuple[Majority | None, str]:
    """The most frequent answer, if `least_agreement` people gave it and no other is as frequent; or why not."""
    counts = Counter(answers)
    ranked = sorted(counts.items(), key=lambda found: (-found[1], found[0]))
    if not ranked:
        return None, "it has no answers"
    (answer, agreement), total = ranked[0], counts.total()
    if agreement < least_agreement:
        return None, f"{agreement} of {total} answers are {answer[:80]!r}; least_agreement is {least_agreement}"
    if len(ranked) > 1 and ranked[1][1] == agreement:
        return None, f"{agreement} of {total} answers are {answer[:80]!r}, and as many are {ranked[1][0][:80]!r}"
    return Majority(answer, agreement, total), ""


@lru_cache(maxsize=65_536)
def usual_answer(answer: str, group: str) -> str:
    """An answer in the form in which answers are counted: lower case, without spaces and full stop at its ends.

    Numbers are in figures: `Two.` is 2, `none` is 0, `1,000` is 1000. Any other answer remains text, such as `lots`.
    """
    plain = " ".join(answer.lower().split()).strip(" .")
    if group != NUMERICAL:
        return plain
    figures = in_digits(plain)
    return canonical(figures) if _FIGURE.fullmatch(figures) else plain
