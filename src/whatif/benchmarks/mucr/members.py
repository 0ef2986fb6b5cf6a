"""The pairs of a group with what questions show of them: captions, cues, descriptions, and images in each style."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.mucr.schemas import STYLES, Style
from whatif.engine.errors import WhatifError

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Siamese:
    """The chosen images of a cause and its effect in one style, and the effects of the same sentence not chosen.

    `cause`, `effect` and `siblings` are rows of the table `image-candidates`. The siblings are different images, sorted
    by id; none of them is the chosen one.
    """

    cause: Row
    effect: Row
    siblings: tuple[Row, ...]


@dataclass(frozen=True)
class Member:
    """A pair of a group: its row, its descriptions if it has any, and its images by style."""

    pair: Row
    description: Row | None
    images: Mapping[Style, Siamese]

    @property
    def pair_id(self) -> str:
        """The id of the pair."""
        return str(self.pair["pair_id"])

    @property
    def group_id(self) -> str:
        """The id of the group."""
        return str(self.pair["group_id"])


def groups_of(
    pairs: Iterable[Row],
    descriptions: Iterable[Row],
    candidates: Iterable[Row],
    choices: Iterable[Row],
    styles: Sequence[Style],
) -> dict[str, list[Member]]:
    """The members of each group by the group's id, both in ascending order of their ids.

    `candidates` are all images that were drawn or provided, `choices` name those that were chosen. Images in other
    styles than `styles` are left out.

    Raises WhatifError when a choice names a candidate that does not exist, or is of another pair, style or side.
    """
    by_id = {str(row["candidate_id"]): row for row in candidates}
    effects: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in by_id.values():
        if row["side"] == "effect":
            effects[row["pair_id"], row["style"]].append(row)
    images: dict[str, dict[Style, Siamese]] = defaultdict(dict)
    for choice in choices:
        style: Style = choice["style"]
        if style not in styles:
            continue
        cause, effect = (_chosen(by_id, choice, side) for side in ("cause", "effect"))
        others = _different(effects[choice["pair_id"], style], str(effect["image_id"]))
        images[choice["pair_id"]][style] = Siamese(cause, effect, tuple(others))
    described = {str(row["pair_id"]): row for row in descriptions}
    found: dict[str, list[Member]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda row: str(row["pair_id"])):
        pair_id = str(pair["pair_id"])
        own = images.get(pair_id, {})
        in_order = {style: own[style] for style in STYLES if style in own}
        found[pair["group_id"]].append(Member(pair, described.get(pair_id), in_order))
    return {group: found[group] for group in sorted(found)}


def _chosen(by_id: Mapping[str, Row], choice: Row, side: str) -> Row:
    candidate_id = str(choice[f"{side}_candidate"])
    row = by_id.get(candidate_id)
    if row is None or (row["pair_id"], row["style"], row["side"]) != (choice["pair_id"], choice["style"], side):
        fault = "does not exist" if row is None else f"is the {row['side']} of {row['pair_id']} as {row['style']}"
        raise WhatifError(
            f"choices: {choice['pair_id']}, {choice['style']}: the chosen {side} {candidate_id} {fault}; it must be a "
            "candidate of this pair, style and side; run the choice of images again"
        )
    return row


def _different(rows: Iterable[Row], chosen: str) -> list[Row]:
    """The candidates whose images are neither the chosen one nor that of an earlier candidate, sorted by id."""
    seen, found = {chosen}, []
    for row in sorted(rows, key=lambda row: str(row["candidate_id"])):
        if row["image_id"] not in seen:
            seen.add(row["image_id"])
            found.append(row)
    return found
