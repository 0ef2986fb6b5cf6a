"""The part of a benchmark that people judge: which table has the items, and how tasks are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from whatif.params.whole import Params

if TYPE_CHECKING:
    from whatif.graph.steps import OutputOf
    from whatif.verification.exports.tasks import TaskSet
    from whatif.verification.imports.items import Items

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class PeoplesWork:
    """What people judge.

    rows: the table with the items; images: the table with their images.
    tasks: makes the tasks of the rows, with a seed; items: the same rows as the importer of labels needs them.
    share: the share of the items that several people judge, from the parameters; one person judges each other item.
    """

    rows: OutputOf
    images: OutputOf
    tasks: Callable[[Sequence[Row], int], TaskSet]
    items: Callable[[Sequence[Row], int], Items]
    share: Callable[[Params], float] = lambda params: 1.0
