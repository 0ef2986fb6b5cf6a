"""Which named views show which items, and what they say about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from whatif.reporting.items import ItemView


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
