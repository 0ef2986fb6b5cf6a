"""Rows of the table `questions` whose answer is the letter of an option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from whatif.engine.artifacts.reader import canonical_json


def choice_question(  # noqa: PLR0917
    question_id: str, pair_id: str, group: str, variant: str, question: str, choices: Sequence[str], **changes: Any
) -> dict[str, Any]:
    """The right option is A, unless `changes` say otherwise; the provenance is given as a mapping."""
    names = {"question_id": question_id, "pair_id": pair_id, "group": group, "variant": variant}
    texts = {"question": question, "choices": list(choices), "answer": "A", "answer_kind": "choice"}
    row = {**names, **texts, "image_ids": [], "provenance": {}, **changes}
    return {**row, "provenance": canonical_json(row["provenance"])}
