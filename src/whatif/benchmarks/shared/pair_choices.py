"""The choices of a matcher in a counterfactual pair: the right caption or image of two (COCO-Counterfactuals 4.2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.scoring.match import margins

# The choices: the image of the original or counterfactual caption, the caption of either image, or all four.
CHOICES = (
    "image_retrieval",
    "image_retrieval_counterfactual",
    "text_retrieval",
    "text_retrieval_counterfactual",
    "pair",
)


def found(row: Mapping[str, Any]) -> dict[str, bool]:
    """Whether each choice of a row of `matches` is right, by the names of `CHOICES`; all False without scores."""
    if row["status"] != "ok":
        return dict.fromkeys(CHOICES, False)
    margin = margins(row)
    values = [value > 0 for value in (*margin.image_retrieval, *margin.text_retrieval)]
    return dict(zip(CHOICES, [*values, all(values)], strict=True))
