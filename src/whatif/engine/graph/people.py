"""What people do in a benchmark: which table has the items that they judge, and how tasks are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from whatif.engine.params.whole import Params

if TYPE_CHECKING:
    from whatif.engine.graph.steps import OutputOf

Row: TypeAlias = Mapping[str, Any]
SEVERAL = 3  # people who judge an item, unless the benchmark says otherwise
ONE = 1  # person who writes something about an item, which others check later


@dataclass(frozen=True, eq=False)
class PeoplesWork:
    """One kind of work by people: what they judge, or write.

    rows: the table with the items; images: the tables with their images, none for items without images.
    further, joined: other tables that the tasks need, by role, and what makes the rows of the tasks from the rows of
        the items and those of these tables.
    tasks: makes the tasks of the rows, with a seed; items: the same rows as the importer of labels needs them.
    share: the share of the items that several people judge, from the parameters; one person judges each other item.
    annotators: how many people judge an item, unless the user says otherwise.
    """

    rows: OutputOf
    images: Sequence[OutputOf]
    tasks: Callable[[Sequence[Row], int], Any]  # a TaskSet of whatif.people
    items: Callable[[Sequence[Row], int], Any]  # Items of whatif.people
    share: Callable[[Params], float] = lambda params: 1.0
    annotators: int = SEVERAL
    further: Mapping[str, Sequence[OutputOf]] = field(default_factory=dict)
    joined: Callable[[Sequence[Row], Mapping[str, Sequence[Row]]], Sequence[Row]] = lambda rows, further: rows
