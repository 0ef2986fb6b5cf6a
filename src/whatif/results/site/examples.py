"""One item of each benchmark for the overview: its pictures, and what its two sides ask or say."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.results.site.differences import marked
from whatif.results.site.item_index import SIDES
from whatif.results.site.item_pictures import PictureFiles

_LONGEST = 200  # characters of a text
Row = Mapping[str, Any]


@dataclass(frozen=True)
class ExamplePicture:
    """A picture: its file below `pictures/`, its size in pixels (0 if unknown), and its text alternative."""

    file: str
    width: int
    height: int
    alt: str


@dataclass(frozen=True)
class ExampleText:
    """A question or caption of one side in parts, of which every second one differs from the other side.

    side: as in `SIDES`. right: the right answer; empty for a caption.
    """

    side: str
    parts: Sequence[str]
    right: str = ""


@dataclass(frozen=True)
class Example:
    """What the overview shows of an item. Without pictures, it is its texts alone."""

    item_id: str
    pictures: Sequence[ExamplePicture]
    texts: Sequence[ExampleText]


class ChosenItem:
    """The item to show of those that are added: one with both sides if there is any, then the least id."""

    def __init__(self) -> None:
        self._row: Row | None = None
        self._place: tuple[bool, bool, str] | None = None

    def add(self, row: Row) -> None:
        """Considers a row of ITEMS."""
        place = (not _is_paired(row["questions"]) and not _is_paired(row["pictures"]), not row["pictures"])
        if self._place is None or (*place, row["item_id"]) < self._place:
            self._row, self._place = row, (*place, row["item_id"])

    def example(self, pictures: PictureFiles) -> Example | None:
        """What is shown of it; None if no item was added."""
        return None if self._row is None else _example(self._row, pictures)


def shown_pictures(row: Row) -> list[Row]:
    """The pictures that stand for an item: of a pair, the original and the counterfactual; otherwise the first."""
    paired = [_first(row["pictures"], side) for side in SIDES[:2]]
    return [one for one in paired if one is not None] if all(paired) else row["pictures"][:1]


def _example(row: Row, pictures: PictureFiles) -> Example:
    shown = shown_pictures(row)
    found = []
    for picture in shown:
        words = " ".join(filter(None, (picture["side"], "picture")))
        found.append(ExamplePicture(*pictures.file(picture["image_id"]), _short(picture["caption"]) or words))
    return Example(row["item_id"], found, _texts(row, shown))


def _texts(row: Row, shown: Sequence[Row]) -> list[ExampleText]:
    """The captions of two pictures, otherwise a question of each side, otherwise the title."""
    sides = SIDES[:2]
    asked = [_first(row["questions"], side) for side in sides]
    if len(shown) == len(sides) and all(picture["caption"] for picture in shown):
        texts, right = [picture["caption"] for picture in shown], ["", ""]
    elif all(asked):
        texts, right = ([one[name] for one in asked if one] for name in ("text", "right"))
    else:
        return [ExampleText("", [_short(row["title"])])]
    pairs = marked([_short(texts[0])], [_short(texts[1])])
    return [ExampleText(*given) for pair in pairs for given in zip(sides, pair, right, strict=True)]


def _is_paired(rows: Sequence[Row]) -> bool:
    return set(SIDES[:2]) <= {row["side"] for row in rows}


def _first(rows: Sequence[Row], side: str) -> Row | None:
    return next((row for row in rows if row["side"] == side), None)


def _short(text: str) -> str:
    return textwrap.shorten(text, _LONGEST, placeholder=" …")
