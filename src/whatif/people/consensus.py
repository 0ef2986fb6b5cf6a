"""The consensus of several annotators about an image, and the correct images and errors that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from whatif.engine.errors import WhatifError
from whatif.engine.params.resolution import Resolution
from whatif.people.items import Row, outcome
from whatif.people.resolution import MAJORITY, UNDECIDED, judgements_by_item, resolve

__all__ = ["AUTOMATIC", "UNDECIDED", "consensus", "decisions_of", "errors", "human_evaluated", "made_by", "outcomes_of"]

AUTOMATIC = "automatic:"  # prefix of annotator names that stand for automatic checks


def decisions_of(judgements: Iterable[Row]) -> dict[str, dict[str, str]]:
    """Item -> annotator -> decision, both in ascending order. Raises WhatifError when somebody judged an item twice."""
    return {
        item: {one.annotator: one.decision for one in judged} for item, judged in judgements_by_item(judgements).items()
    }


def made_by(judgements: Iterable[Row]) -> str | None:
    """`people` or `automatic`, depending on who made the judgements; None if there are no judgements.

    Raises WhatifError when both did: an automatic check must not be counted as a person.
    """
    kinds = {"automatic" if row["annotator"].startswith(AUTOMATIC) else "people" for row in judgements}
    if len(kinds) > 1:
        raise WhatifError("judgements: people made some and automatic checks made others; use either kind alone")
    return next(iter(kinds), None)


def consensus(judgements: Iterable[Row], resolution: Resolution = MAJORITY) -> dict[str, str]:
    """Item -> its decision by the rule of `resolution`, or `undecided`; items in ascending order.

    The paper (COCO-Counterfactuals 4.1) does not say how the three labels of an image are combined. By default, the
    decision of more than half of its annotators counts. Without such a majority (three different labels, or two) the
    image is undecided, which counts as not correct. Raises WhatifError as `resolve`.
    """
    return resolve(judgements, resolution).decisions


def outcomes_of(decided: Mapping[str, str]) -> dict[str, str]:
    """Item -> `correct`, `incorrect`, `neither`, `both` or `undecided`, from the result of `consensus`."""
    return {item: UNDECIDED if one == UNDECIDED else outcome(item, one) for item, one in decided.items()}


def human_evaluated(judgements: Iterable[Row], resolution: Resolution = MAJORITY) -> list[str]:
    """The items whose own caption was chosen for their image: the human-evaluated subset of the paper's 4.2.1.

    The subset consists of single images with their captions, so it may contain only one side of a pair.
    """
    return [item for item, one in outcomes_of(consensus(judgements, resolution)).items() if one == "correct"]


def errors(judgements: Iterable[Row], resolution: Resolution = MAJORITY) -> list[str]:
    """The items that were judged but not as correct (A.3). Items without judgements are in neither list."""
    return [item for item, one in outcomes_of(consensus(judgements, resolution)).items() if one != "correct"]
