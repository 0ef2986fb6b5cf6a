"""What the site reads of one benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas as pd

Publish = Callable[[str, bytes], None]
"""Writes a file of the site: its path below the folder of the site, and its content."""

PublishPicture = Callable[[str, bytes], None]
"""Writes a picture: its path below the folder of the site, and its encoded content."""


class Rows(Protocol):
    """Rows in order that can be read several times, such as a list."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Mapping[str, Any]]: ...


@dataclass(frozen=True, eq=False)
class BenchmarkSource:
    """The results of one benchmark.

    about: what is counterfactual in it, for readers who do not know it; may be empty.
    frames: the tidy table of each CSV file, by its name without suffix (see `whatif.results.reporting.table`).
    printed: rows of the table `printed-tables`, in order; items and views: rows of `items` and `item-views`, in order.
    figures: content of the SVG files by file name; files: content of all text files by file name.
    picture: the encoded image of an id, reduced for the page.
    kinds: what answers for each model, by its key (`kind` of its settings); `own` for a model that is not there.
    items_in_all: how many items the benchmark has, if `items` are a sample of them.
    """

    name: str
    title: str
    about: str
    frames: Mapping[str, pd.DataFrame]
    printed: Sequence[Mapping[str, Any]]
    figures: Mapping[str, bytes]
    files: Mapping[str, bytes]
    items: Rows
    views: Sequence[Mapping[str, Any]]
    picture: Callable[[str], bytes]
    kinds: Mapping[str, str] = field(default_factory=dict)
    items_in_all: int = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """The stems of its pages; a benchmark without items has no page of items."""
        return ("index", "tables", "figures", *(("items",) if len(self.items) else ()))
