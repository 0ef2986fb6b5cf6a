"""The tables of people's work that benchmarks share: agreement of the annotators, and the work of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from whatif.engine.graph.task import Task
from whatif.engine.params.resolution import Resolution
from whatif.people.consensus import AUTOMATIC
from whatif.people.imports.labels import REJECTED_LABEL
from whatif.people.items import Row
from whatif.results.reporting.funnel import FunnelStage, stage_of_losses

if TYPE_CHECKING:
    from whatif.results.reporting.precision import Resampling
    from whatif.results.reporting.table import Table

_NOBODY = "No labels by people were given."


def by_people(judgements: Iterable[Row]) -> list[Row]:
    """The judgements that people made, without those of automatic checks."""
    return [row for row in judgements if not row["annotator"].startswith(AUTOMATIC)]


class Annotated(Protocol):
    """The results of a step that reads `judgements` and `gold`."""

    @property
    def task(self) -> Task[Any]: ...
    @property
    def settings(self) -> Resampling: ...
    @property
    def resolution(self) -> Resolution: ...


def agreement_of(found: Annotated) -> Table:
    """The table `annotator-agreement`; it is empty without people."""
    from whatif.results.reporting.annotators import annotator_agreement

    people = by_people(found.task.rows("judgements"))
    made = annotator_agreement(people, found.settings, found.task.seed, resolution=found.resolution)
    return made if people else _without_people(made)


def work_of(found: Annotated) -> Table:
    """The table `annotators`; it is empty without people.

    `gold` has the judgements that the annotation tool marked as the ground truth. Gold items are those on which these
    agree.
    """
    from whatif.results.reporting.annotators import annotators

    people, gold = by_people(found.task.rows("judgements")), _gold(found.task.rows("gold"))
    made = annotators(people, found.settings, found.task.seed, resolution=found.resolution, gold=gold)
    return made if people else _without_people(made)


def is_of_label(rejection: Row) -> bool:
    """Whether a row of `rejections` is about a label in a file, and not about an item."""
    return str(rejection["item_id"]).startswith(REJECTED_LABEL)


def labels_stage(judgements: Iterable[Row], rejections: Iterable[Row], stage: str = "verify") -> list[FunnelStage]:
    """The stage of the funnel in which people's labels were imported: those that count, and the others by reason."""
    counted = len(by_people(judgements))
    found = stage_of_losses(stage, "labels", counted, (row for row in rejections if is_of_label(row)))
    return [found] if found.came_in else []


def _gold(rows: Iterable[Row]) -> Mapping[str, str]:
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row["item_id"], set()).add(row["decision"])
    return {item: next(iter(decisions)) for item, decisions in found.items() if len(decisions) == 1}


def _without_people(table: Table) -> Table:
    """An empty table, which says that there are no labels."""
    frame: Any = table.frame.iloc[:0]
    return replace(table, frame=frame, views=(replace(table.views[0], note=_NOBODY),))
