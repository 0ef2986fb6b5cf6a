"""The items that labels are about, as a benchmark gives them to the importer, and how a row of a file names one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.engine.errors import WhatifError
from whatif.people.exports.tasks import task_ids
from whatif.people.imports.labels import UNKNOWN, Label, UnusableError, plain, quoted
from whatif.people.items import DECISIONS, VARIANTS, Row, pairs_by_id
from whatif.people.picture_tasks import picture_tasks

ACCEPTED, REJECTED = "accept", "reject"
SIDE_WORDS = {word: side for side in SIDES for word in (str(side), VARIANTS[side], f"caption_{side}")}
_TASK, _TASK_COLUMN = "task-", "task_id"
_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")
_NUMBERED = re.compile(r"(.+)_[0-9]+")


@dataclass(frozen=True)
class Item:
    """One item. Only an image of a pair has a side and captions (original, counterfactual)."""

    item_id: str
    side: int | None = None
    captions: tuple[str, str] | None = None
    fields: Mapping[str, str] = field(default_factory=dict)  # the fields that people may correct -> current value
    forms: Mapping[str, Callable[[str], str]] = field(default_factory=dict)  # field -> the usual form of its values
    candidates: Mapping[str, str] = field(default_factory=dict)  # file name of a candidate image -> its id


@dataclass(frozen=True)
class ShownTask:
    """A task of our own export: its item and, for pairs, the sides of the captions in the order shown."""

    item_id: str
    sides: tuple[int, int] | None = None


@dataclass(frozen=True)
class Items:
    """The items of a step, by every name that a label file may use.

    `names` has further names of single items (image files, for example), `pairs` the items by pair id and side.
    `make_tasks` returns the tasks of our own export by task id; it is called only if a file names a task.
    """

    by_id: Mapping[str, Item]
    decisions: tuple[str, ...] = (ACCEPTED, REJECTED)
    kind: str = "labels"  # for messages: the contents of a label file
    things: str = "items"  # for messages: what the items were made from
    names: Mapping[str, str] = field(default_factory=dict)
    pairs: Mapping[tuple[str, int], str] = field(default_factory=dict)
    make_tasks: Callable[[], Mapping[str, ShownTask]] | None = None
    image_field: str = "image"  # the field that the choice of an image corrects
    # Reads a decision in people's own words, where there are no `decisions`; raises UnusableError if it cannot be used.
    read: Callable[[Item, str], str] | None = None

    @cached_property
    def tasks(self) -> Mapping[str, ShownTask]:
        """The tasks of our own export, by task id."""
        return self.make_tasks() if self.make_tasks else {}

    @cached_property
    def correctable(self) -> tuple[str, ...]:
        """The fields that people may correct, in ascending order."""
        return tuple(sorted({name for item in self.by_id.values() for name in item.fields}))

    @property
    def are_images_of_pairs(self) -> bool:
        """Whether each item is an image of a pair, to be matched with one of two captions."""
        return bool(self.pairs)

    @classmethod
    def of_pairs(cls, pairs: Iterable[Row], *, seed: int, names: Mapping[str, str] | None = None) -> Items:
        """The images of chosen pairs; `seed` is that of the exported tasks.

        Raises WhatifError when a pair has several candidates.
        """
        rows = pairs_by_id(pairs)
        found = {}
        by_pair = {}
        for pair_id, row in rows.items():
            captions = (str(row["caption_0"]), str(row["caption_1"]))
            for side in SIDES:
                item = item_id(pair_id, side)
                found[item] = Item(item, side, captions)
                by_pair[pair_id, side] = item

        def tasks() -> dict[str, ShownTask]:
            # It does not matter here which annotator a task was assigned to.
            made = picture_tasks(rows.values(), seed=seed, labelled_three_times=0)
            return {task.task_id: ShownTask(task.item_id, task.sides) for task in made}

        return cls(found, DECISIONS, "labels of images", "pairs", dict(names or {}), by_pair, tasks)

    @classmethod
    def of_rows(
        cls,
        rows: Iterable[Row],
        *,
        key: str,
        fields: Sequence[str] = (),
        decisions: tuple[str, ...] = (ACCEPTED, REJECTED),
        names: Mapping[str, str] | None = None,
        seed: int = 0,
        forms: Callable[[Row], Mapping[str, Callable[[str], str]]] = lambda row: {},
        things: str = "questions",
        read: Callable[[Item, str], str] | None = None,
    ) -> Items:
        """One item for each row of a table: its id is the column `key`, people may correct the columns `fields`.

        Fields that the table does not have are to be written by people. `seed` is that of the tasks, which
        `whatif.people.exports.tasks.row_task_set` makes of the same rows. `forms` returns those of a row's item;
        `names`, `things` and `read` are those of `Items`. Raises WhatifError when two rows have the same id.
        """
        found: dict[str, Item] = {}
        for row in rows:
            item = str(row[key])
            if item in found:
                raise WhatifError(f"{key} {item}: two rows have this id; give rows with one id each")
            found[item] = Item(item, fields={name: str(row.get(name, "")) for name in fields}, forms=forms(row))

        def tasks() -> dict[str, ShownTask]:
            return {task: ShownTask(item) for task, item in task_ids(found, seed).items()}

        return cls(found, decisions, things=things, names=names or {}, make_tasks=tasks, read=read)

    def resolve(self, label: Label, sides: Mapping[str, int]) -> tuple[Item, tuple[int, int] | None]:
        """The item of a label, and the sides of its captions in the order shown (None if not known).

        A name is a task id, an item id, one of `names` or, with a side, a pair id; folders and the suffix of an image
        are ignored, and so is `_<number>` behind a pair id. Captions in the row must be those of the pair.

        Raises UnusableError when the row does not name exactly one item of these.
        """
        task = self.tasks.get(label.item) if _names_a_task(label) else None
        side = self._side(label, sides)
        item = self.by_id[task.item_id] if task else self._named(label, side)
        if side is not None and item.side is not None and side != item.side:
            said, own = label.columns[1], VARIANTS[item.side]
            raise UnusableError("side", f"column {said} is {quoted(label.side)}, but item {item.item_id} is the {own}")
        order = task.sides if task else None
        if label.shown is not None and item.captions is not None:
            read = _order(label.shown, item)
            if order is not None and read is not None and read != order:
                raise UnusableError("other captions", f"task {label.item} shows the captions in the other order")
            order = order or read
        return item, order

    def _side(self, label: Label, sides: Mapping[str, int]) -> int | None:
        if not label.side or not self.are_images_of_pairs:
            return None
        known = {plain(word): side for word, side in sides.items()} if sides else SIDE_WORDS
        side = known.get(plain(label.side))
        if side is None:
            words = ", ".join(sides or ("original", "counterfactual", "0", "1"))
            raise UnusableError("unknown side", f"column {label.columns[1]}: {quoted(label.side)} is none of {words}")
        return side

    def _named(self, label: Label, side: int | None) -> Item:
        bare = PurePosixPath(label.item.replace("\\", "/")).name
        stem = bare[: bare.rindex(".")] if bare.lower().endswith(_SUFFIXES) else bare
        for name in dict.fromkeys((label.item, bare, stem)):
            found = name if name in self.by_id else self.names.get(name)
            if found is not None:
                return self.by_id[found]
        numbered = _NUMBERED.fullmatch(stem)
        for pair in (stem, numbered.group(1) if numbered else stem):
            if (pair, 0) in self.pairs:
                if side is None:
                    raise UnusableError("no side", f"{label.columns[0]} names pair {pair}, but no column says its side")
                return self.by_id[self.pairs[pair, side]]
        raise UnusableError(*self._unknown(label))

    def _unknown(self, label: Label) -> tuple[str, str]:
        column = label.columns[0]
        is_task = _names_a_task(label)
        if is_task:
            told = f"; give the {self.things} and the seed that the tasks were made with"
        else:
            told = (
                f"; an item is for example {quoted(next(iter(self.by_id)))}" if self.by_id else "; there are no items"
            )
        return UNKNOWN[is_task], f"{column} is {quoted(label.item)}{told}"


def _names_a_task(label: Label) -> bool:
    """Whether a label is about a task of our own export, by its id or by the name of the column."""
    return label.item.startswith(_TASK) or label.columns[0].rpartition(".")[2] == _TASK_COLUMN


def _order(shown: tuple[str, str], item: Item) -> tuple[int, int] | None:
    """The sides of two captions as shown; None if they cannot be told apart.

    Raises UnusableError when they are not the captions of the pair.
    """
    captions = item.captions or ("", "")
    for same in (str.strip, plain):
        first, second = map(same, shown)
        names = [same(text) for text in captions]
        orders = [order for order in ((0, 1), (1, 0)) if (first, second) == (names[order[0]], names[order[1]])]
        if orders:
            return orders[0] if len(orders) == 1 else None
    raise UnusableError(
        "other captions",
        f"the captions {quoted(shown[0])} and {quoted(shown[1])} are not those of item {item.item_id}: "
        f"{quoted(captions[0])}, {quoted(captions[1])}",
    )
