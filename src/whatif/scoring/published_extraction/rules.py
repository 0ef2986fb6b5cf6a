"""The sets of published rules by name, and whether a prediction is correct by them.

Their result is reported beside that of `whatif.scoring.extraction`, never instead of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

from whatif.scoring.extraction.answer import is_correct
from whatif.scoring.extraction.extracted import Extracted, Kind
from whatif.scoring.published_extraction.c_vqa import c_vqa_answer
from whatif.scoring.published_extraction.lmms_eval import lmms_eval_answer
from whatif.scoring.published_extraction.vlmevalkit import vlmevalkit_answer

PublishedRules: TypeAlias = Literal["c-vqa", "vlmevalkit", "lmms-eval"]
PUBLISHED_RULES: tuple[PublishedRules, ...] = get_args(PublishedRules)


def published_answer(
    response: str, kind: Kind, choices: Sequence[str] | None = None, *, rules: PublishedRules
) -> Extracted:
    """The answer by a set of published rules; raises ValueError for a kind that they do not support."""
    if rules == "c-vqa":
        return c_vqa_answer(response, kind)
    if rules == "vlmevalkit":
        return vlmevalkit_answer(response, kind, choices)
    if rules == "lmms-eval":
        return lmms_eval_answer(response, kind, choices)
    raise ValueError(f"rules {rules!r}: unknown; known are {', '.join(PUBLISHED_RULES)}")


def supports(rules: PublishedRules, kind: Kind) -> bool:
    """Whether a set of rules can extract answers of this kind: none can extract words, those of C-VQA no choices."""
    return kind in ("number", "boolean") or (kind in ("choice", "option text") and rules != "c-vqa")


def published_correct(prediction: Mapping[str, Any], question: Mapping[str, Any], rules: PublishedRules) -> bool | None:
    """Whether a row of `predictions` is correct by published rules; None if they do not support its kind of answer.

    If options were ranked, or a letter was chosen without text, there is nothing to extract, and the prediction is
    correct by any rules.
    """
    if prediction["status"] == "error":
        return False
    if prediction["response"] is None or prediction["choice_scores"] is not None:
        return bool(prediction["correct"])
    kind = question["answer_kind"]
    if not supports(rules, kind):
        return None
    found = published_answer(prediction["response"], kind, question["choices"], rules=rules)
    return is_correct(found, question["answer"], kind)
