"""Which questions a model is asked with a strategy (MuCR 4.1, 5.3, B.1).

All questions are asked with the first strategy of the settings. The others are compared with it where Table 3 does:
C2E, CP and EXP in the main visual form, in mixed styles, in English and without hints. A model that takes no images is
asked the questions in text alone (Table 7). The baseline `blind` takes none either, but is asked all questions: its
score shows what the words of a question give away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT
from whatif.benchmarks.shared.pilots import Pilot, pilot_of

Row = Mapping[str, Any]
IMAGES = ("images", "drawn-images", "composites")  # the inputs with the images of the questions
LABELS = "image_labels"  # in the provenance of a question with several images: their labels, in order


def asked_questions(
    questions: Sequence[Row], items: Iterable[Row], *, first: bool, takes_images: bool = True
) -> list[Row]:
    """The rows of `questions` that a model is asked: with the `first` strategy, or with one of the others."""
    wanted = {row["question_id"] for row in items if _is_asked(row, first=first, takes_images=takes_images)}
    return [row for row in questions if row["question_id"] in wanted]


def pilot_sample(
    limit: int | None, questions: Sequence[Row], items: Iterable[Row], seed: int, benchmark: str
) -> Pilot | None:
    """The pilot sample of a model with this `limit` of pairs, in proportion to the categories; None for all pairs.

    A sample is the same for all strategies, forms and metrics.
    """
    category = {row["pair_id"]: row["category"] for row in items}
    return pilot_of(limit, [{**row, "group": category[row["pair_id"]]} for row in questions], seed, benchmark)


def labelled(questions: Iterable[Row]) -> list[dict[str, Any]]:
    """Questions with the column `image_labels`, by which a composite for models that take one image names its images.

    The labels are those in the provenance, if it has any.
    """
    return [{**row, LABELS: json.loads(row["provenance"]).get(LABELS)} for row in questions]


def _is_asked(item: Row, *, first: bool, takes_images: bool) -> bool:
    if not takes_images:
        return first and item["form"] == TEXT
    in_main_form = item["form"] == MAIN_FORM and item["mixture"] and item["metric"] in SCORES
    return first or (in_main_form and not item["hints"] and item["language"] == "en")
