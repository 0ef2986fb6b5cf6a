"""Which items are shown: those of named views with their notes, and examples spread over a set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif.results.reporting.items import ItemView


class Selection:
    """Views of items, collected one after another.

    views: the views in the order of the site.
    """

    def __init__(self) -> None:
        self.views: list[ItemView] = []
        self._names: dict[str, list[str]] = {}
        self._notes: dict[str, list[str]] = {}

    def add(self, view: ItemView, items: Mapping[str, str], *, none: str = "None was found.") -> None:
        """Adds a view with its items: item id -> a note that the item then has, which may be empty.

        A view without items remains in the list, and its text ends with the sentence `none`.
        """
        self.views.append(view if items else replace(view, text=f"{view.text} {none}"))
        for item_id, note in items.items():
            self._names.setdefault(item_id, []).append(view.name)
            if note:
                self._notes.setdefault(item_id, []).append(note)

    def names(self, item_id: str) -> tuple[str, ...]:
        """The names of the views that show an item."""
        return tuple(self._names.get(item_id, ()))

    def notes(self, item_id: str) -> tuple[str, ...]:
        """What these views say about it, in their order."""
        return tuple(dict.fromkeys(self._notes.get(item_id, ())))


def evenly(items: Sequence[Any], number: int) -> list[Any]:
    """At most `number` of the items, in order and evenly spaced over all of them."""
    shown = min(number, len(items))
    return [items[(2 * place + 1) * len(items) // (2 * shown)] for place in range(shown)]
