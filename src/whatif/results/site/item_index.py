"""The columns over all items of a benchmark that the item browser filters by, and the text that it searches."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# Codes of the answers of a system to the questions of one side of an item. If several questions are on a side, it is
# right only if all of them are; otherwise the first of the other codes that occurs counts.
RIGHT, WRONG, NO_ANSWER, ERROR, NOT_ASKED = "rwne-"
SIDES = ("original", "counterfactual", "")

_SPACE = re.compile(r"\s+")


class ItemIndex:
    """Collects the columns while items are added in order; about 100 bytes an item and one a system and side."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._titles: list[str] = []
        self._thumbnails: list[str] = []
        self._groups: dict[str, int] = {}
        self._group_of: list[int] = []
        self._views: dict[str, list[int]] = {}
        self._systems: dict[str, int] = {}
        self._codes: dict[tuple[str, str], bytearray] = {}

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def systems(self) -> Mapping[str, int]:
        """The number of each system, in the order in which they were met."""
        return self._systems

    def add(self, row: Mapping[str, Any], thumbnails: Sequence[str]) -> None:
        """Adds a row of ITEMS; `thumbnails` are the files of its first pictures."""
        position = len(self)
        self._ids.append(one_line(row["item_id"]))
        self._titles.append(one_line(row["title"]))
        self._thumbnails.append(" ".join(thumbnails))
        self._group_of.append(self._groups.setdefault(row["group"], len(self._groups)))
        for view in row["views"]:
            self._views.setdefault(view, []).append(position)
        for (system, side), code in side_codes(row["questions"]).items():
            self._systems.setdefault(system, len(self._systems))
            column = self._codes.setdefault((system, side), bytearray())
            column += NOT_ASKED.encode() * (position - len(column)) + code.encode()

    def columns(self, views: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The columns as the page reads them; `views` are rows of ITEM_VIEWS."""
        sides = [side for side in SIDES if any(key[1] == side for key in self._codes)]
        return {
            "count": len(self),
            "ids": "\n".join(self._ids),
            "titles": "\n".join(self._titles),
            "thumbnails": "\n".join(self._thumbnails),
            "groups": [*self._groups],
            "groupOf": self._group_of,
            "views": [
                {
                    "name": view["view"],
                    "heading": view["heading"],
                    "text": view["text"],
                    "items": self._views.get(view["view"], []),
                }
                for view in views
            ],
            "sides": sides,
            "systems": [*self._systems],
            "codes": [[self._column(system, side) for side in sides] for system in self._systems],
        }

    def _column(self, system: str, side: str) -> str:
        """One code for each item; empty if the system was never asked on this side."""
        column = self._codes.get((system, side))
        return column.decode().ljust(len(self), NOT_ASKED) if column else ""


def side_codes(questions: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """The code of each system on each side on which it was asked, over all questions of the side."""
    found: dict[tuple[str, str], str] = {}
    for question in questions:
        for answer in question["answers"]:
            key, code = (answer["system"], question["side"]), code_of(answer)
            found[key] = max(found.get(key, RIGHT), code, key=_RANK.__getitem__)
    return found


_RANK = {RIGHT: 0, ERROR: 1, NO_ANSWER: 2, WRONG: 3}


def code_of(answer: Mapping[str, Any]) -> str:
    """The code of one answer, a value of ITEM_ANSWER."""
    if answer["correct"]:
        return RIGHT
    return {"ok": WRONG, "error": ERROR}.get(answer["status"], NO_ANSWER)


def searched(row: Mapping[str, Any]) -> str:
    """What the search looks through for an item, normalised: its texts, and every answer once, but no responses."""
    return normalised(" ".join(dict.fromkeys(_texts(row))))


def normalised(text: str) -> str:
    """Lower case without accents, in one line with single spaces; the page's script does the same to what is typed."""
    if text.isascii():
        return one_line(text.lower())
    letters = unicodedata.normalize("NFKD", text)
    return one_line("".join(letter for letter in letters if not unicodedata.category(letter).startswith("M")).lower())


def one_line(text: str) -> str:
    """The text without line breaks and repeated spaces."""
    return _SPACE.sub(" ", text).strip()


def _texts(row: Mapping[str, Any]) -> Iterator[str]:
    yield from (row["item_id"], row["group"], row["title"], *row["notes"])
    yield from (picture["caption"] for picture in row["pictures"])
    for question in row["questions"]:
        yield from (question["label"], question["text"], *question["choices"], question["right"])
        yield from (answer["answer"] for answer in question["answers"] if answer["answer"])
