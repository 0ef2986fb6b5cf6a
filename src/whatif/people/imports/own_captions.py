"""Recognises labels that only repeat the caption that each image was made from.

The column `label` of the released labels of COCO-Counterfactuals is such a column: it holds no decisions of people, and
with it every image would be right.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from whatif.engine.errors import WhatifError

_CONTESTED = 10  # images with other labels by people, from which a column that repeats can be told from decisions
_SUSPECT = 20  # images from which a column that nearly always repeats is worth a warning
_RELEASED = "label"  # the column of the released file
Decisions = Mapping[str, str]  # item -> decision


def repeats_own_captions(decisions: Decisions, others: Mapping[str, Sequence[str]], own: Decisions) -> bool:
    """Whether decisions give images their own caption although people decided otherwise.

    `others` are the decisions of other annotators and `own` the caption that each image was made from, by item. Either
    every decision is the own caption, and ten images are contested; or most annotators decided otherwise for ten
    images, and at most one in ten of the decisions about these follows them.
    """
    against = {item: [vote != own[item] for vote in others.get(item, ())] for item in decisions}
    differing = {item for item, decision in decisions.items() if decision != own[item]}
    if not differing:
        return sum(map(any, against.values())) >= _CONTESTED
    overruled = {item for item, votes in against.items() if 2 * sum(votes) > len(votes)}
    return len(overruled) >= _CONTESTED and 10 * len(differing & overruled) <= len(overruled)


def check_named_column(
    path: Path,
    column: str,
    decisions: Decisions,
    own: Decisions,
    *,
    votes: Mapping[str, Sequence[str]],
    elsewhere: Mapping[str, Sequence[str]],
) -> None:
    """Checks the one column of decisions that the settings name in a file that shows both captions in each row.

    `votes` are the decisions in the columns label_1, label_2, ... of this file, `elsewhere` those of other files, by
    item. Raises WhatifError when the column repeats the own captions by `votes`, or by `elsewhere` if it is called as
    in the released file. If it only may repeat them, prints a line on standard error.
    """
    same = sum(decision == own[item] for item, decision in decisions.items())
    told = (
        f"{path}: column {column} gives {same:,} of {len(decisions):,} images the caption that they were made from; in "
        f"the released labels of COCO-Counterfactuals, this column holds no decisions of people"
    )
    remedy = "name the columns of the annotators: format wide reads label_1, label_2, ..."
    is_released = column.lower() == _RELEASED
    if repeats_own_captions(decisions, votes, own) or (is_released and repeats_own_captions(decisions, elsewhere, own)):
        raise WhatifError(f"{told}; {remedy}")
    if len(decisions) >= _SUSPECT and 50 * (len(decisions) - same) <= len(decisions):
        print(f"whatif: {told}; if so here, {remedy}", file=sys.stderr)
