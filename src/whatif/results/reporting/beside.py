"""The order of rows in which ours stand beside a paper's: each reported system is followed by ours of the same name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

Ours = TypeVar("Ours")
Row = Mapping[str, Any]


def is_of(name: str, system: str) -> bool:
    """Whether the display name of one of our models names a reported system, with or without its language model."""
    return name == system or name.startswith(f"{system} (")


def beside(
    reported: Iterable[str], ours: Sequence[Ours], name_of: Callable[[Ours], str]
) -> Iterator[tuple[str | None, list[Ours]]]:
    """Each reported system with ours of its name, in the paper's order; at the end None with our other systems."""
    used: list[Ours] = []
    for system in dict.fromkeys(reported):
        same = [one for one in ours if is_of(name_of(one), system)]
        used += same
        yield system, same
    yield None, [one for one in ours if one not in used]


def rows_beside(reported: Sequence[Row], ours: Sequence[Row]) -> Iterator[Row]:
    """The rows of each reported system, then ours of models of its name; at the end the rows of our other models."""
    for system, same in beside([str(row["name"]) for row in reported], ours, lambda row: str(row["name"])):
        yield from (row for row in reported if row["name"] == system)
        yield from same
