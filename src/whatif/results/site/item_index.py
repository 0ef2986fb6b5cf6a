"""The index over all items of a benchmark by which the item browser lists, filters and finds them, in shards.

A shard is a script file that the page loads when it needs it (`script_data`). The kinds of shards, with what they hold:

- `list`: what the list shows of 500 items each;
- `group`: the number of each item's group, for 250,000 items, as all columns below;
- `codes-S`: the codes of system S on each side;
- `answers`: the number of each item's text in a list of texts, which say how systems answered it (`over_all`);
- `view-V`: the positions of the items of view V, in one shard;
- `ids`: the CRC-32 of ids with their positions, in ascending order, divided evenly by the value of the CRC.

A benchmark of at most 10,000 items has them all in `data/index.js`.
"""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

# Codes of the answers of a system to the questions of one side of an item. If several questions are on a side, it is
# right only if all of them are; otherwise the first of the other codes that occurs counts.
RIGHT, WRONG, NO_ANSWER, ERROR, NOT_ASKED = "rwne-"
SIDES = ("original", "counterfactual", "")
TOGETHER = 10_000  # items whose index is one file
PER_LIST = 500  # items of a shard of the list
PER_COLUMN = 250_000  # items of a shard of a column
PER_IDS = 20_000  # ids of a shard, about

_SPACE = re.compile(r"\s+")
# Inside a script file these could end the element or start a comment if somebody pastes the file into a page.
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def script_data(kind: str, number: int, data: Any) -> bytes:
    """A script file that hands `data` to the page, whether the page's own script has run before or not.

    The file is pure ASCII: everything else is escaped, so U+2028 and half surrogates do no harm either. Raises
    ValueError for infinite numbers, which JSON does not have.
    """
    text = json.dumps([kind, number, data], separators=(",", ":"), allow_nan=False).translate(_ESCAPED)
    return f"(self.whatifItems=self.whatifItems||[]).push({text});\n".encode("ascii")


class ItemIndex:
    """Publishes the shards while items are added in order.

    Memory holds one shard of each kind, and of all items four bytes for the id and four for each of its views.
    """

    def __init__(self, publish: Callable[[str, bytes], None]) -> None:
        self._publish = publish
        self._held: dict[str, bytes] = {}  # shards by path, until there are more items than are kept together
        self._systems: dict[str, int] = {}
        self._first: list[int] = []  # shard of columns in which each system was met
        self._sides: set[str] = set()
        self._groups: dict[str, int] = {}
        self._in_group: list[int] = []
        self._views: dict[str, array[int]] = {}
        self._ids: array[int] = array("I")
        self._list: list[Any] = []
        self._group: list[int] = []
        self._over_all: dict[str, int] = {}
        self._answers: list[int] = []
        self._codes: dict[tuple[str, str], bytearray] = {}

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def systems(self) -> Mapping[str, int]:
        """The number of each system, in the order in which they were met."""
        return self._systems

    def add(self, row: Mapping[str, Any], thumbnails: Sequence[str]) -> None:
        """Adds a row of ITEMS; `thumbnails` are the files of its first pictures."""
        position, item_id, codes = len(self), one_line(row["item_id"]), side_codes(row["questions"])
        self._ids.append(zlib.crc32(item_id.encode()))
        for view in row["views"]:
            self._views.setdefault(view, array("I")).append(position)
        group = self._groups.setdefault(row["group"], len(self._groups))
        self._in_group += [0] * (len(self._groups) - len(self._in_group))
        self._in_group[group] += 1
        place = len(self._group)
        for (system, side), code in codes.items():
            if self._systems.setdefault(system, len(self._systems)) == len(self._first):
                self._first.append(position // PER_COLUMN)
            self._sides.add(side)
            column = self._codes.setdefault((system, side), bytearray())
            column += NOT_ASKED.encode() * (place - len(column)) + code.encode()
        self._group.append(group)
        self._answers.append(self._over_all.setdefault(over_all(codes), len(self._over_all)))
        of_sides = {
            side: "".join(codes.get((system, side), NOT_ASKED) for system in self._systems)
            for side in sorted({side for _, side in codes})
        }
        self._list.append([item_id, one_line(row["title"]), thumbnails, group, of_sides])
        if len(self) % PER_LIST == 0:
            self._end_list()
        if len(self) % PER_COLUMN == 0:
            self._end_columns()

    def finish(self, views: Sequence[Mapping[str, Any]], further: Mapping[str, Any]) -> None:
        """Publishes what is left, and `data/index.js`: the names and counts of all that can be chosen, and `further`.

        views: rows of ITEM_VIEWS; one that has `items` shows these positions.
        """
        if self._list:
            self._end_list()
        if self._group:
            self._end_columns()
        for number, shard in enumerate(self._first):
            for earlier in range(shard):
                self._put(f"codes-{number}", earlier, {})
        shown = [(view, list(view.get("items", self._views.get(view["view"], ())))) for view in views]
        for number, (_, items) in enumerate(shown):
            self._put(f"view-{number}", 0, items)
        summary = {
            "count": len(self),
            "groups": [*self._groups],
            "inGroup": self._in_group,
            "views": [
                {"name": view["view"], "heading": view["heading"], "text": view["text"], "count": len(items)}
                for view, items in shown
            ],
            "sides": [side for side in SIDES if side in self._sides],
            "systems": [*self._systems],
            "perList": PER_LIST,
            "perColumn": PER_COLUMN,
            "idFiles": self._put_ids(),
        }
        held = b"".join(self._held.values())
        self._publish("data/index.js", held + script_data("index", 0, {**summary, **further}))

    def _put(self, kind: str, number: int, data: Any) -> None:
        self._held[f"data/{kind}-{number}.js"] = script_data(kind, number, data)
        if len(self) > TOGETHER:
            for path, script in self._held.items():
                self._publish(path, script)
            self._held = {}

    def _end_list(self) -> None:
        self._put("list", (len(self) - 1) // PER_LIST, self._list)
        self._list = []

    def _end_columns(self) -> None:
        shard = (len(self) - 1) // PER_COLUMN
        self._put("group", shard, self._group)
        self._put("answers", shard, [[*self._over_all], self._answers])
        for system, number in self._systems.items():
            columns = {side: self._codes[system, side] for side in SIDES if (system, side) in self._codes}
            texts = {side: column.decode().ljust(len(self._group), NOT_ASKED) for side, column in columns.items()}
            self._put(f"codes-{number}", shard, texts)
        self._group, self._answers, self._over_all, self._codes = [], [], {}, {}

    def _put_ids(self) -> int:
        """Publishes the shards of ids; returns their number."""
        import numpy as np

        hashes = np.array(self._ids, dtype=np.uint64)
        order = np.argsort(hashes, kind="stable")
        files = len(self) // PER_IDS + 1
        ends = np.searchsorted(hashes[order] * files >> np.uint64(32), np.arange(files + 1))
        for number in range(files):
            found = order[ends[number] : ends[number + 1]]
            self._put("ids", number, [hashes[found].tolist(), found.tolist()])
        return files


def over_all(codes: Mapping[tuple[str, str], str]) -> str:
    """How many systems were asked about an item, and the codes that systems have on its `SIDES`: `2 rr- rw-`.

    Codes that several systems have are there once, so that few of these texts differ.
    """
    asked = {system for system, _ in codes}
    found = {"".join(codes.get((system, side), NOT_ASKED) for side in SIDES) for system in asked}
    return " ".join((str(len(asked)), *sorted(found)))


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
