"""Tables of scores by metric: the reported numbers, then ours, with intervals and paired changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from whatif.benchmarks.mucr.reported import Number
from whatif.benchmarks.mucr.results import CHANGE, SCORE, Results, Row
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.results.reporting.answers import System
from whatif.results.reporting.beside import beside
from whatif.results.reporting.numerals import signed
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, Table, View, tidy

PLACE = ("model", "name", "source", "strategy")
BESIDE = {"model": "", "name": "Model", "source": "From", "strategy": ""}
OF_OURS = {"model": "", "name": "Model", "strategy": ""}
ONLY_OURS = {"source": OURS}
MIXED = (
    "The paper asks in a style that it calls mixture and does not define, which is also the name of a category; here "
    "each pair is asked in one style, drawn at random."
)
_NOTHING = "No such questions were asked."


def in_order(
    results: Results,
    reported: Iterable[Number],
    of_reported: Callable[[Sequence[Number]], Iterable[Row]],
    ours: Callable[[System], Iterable[Row]],
    systems: Sequence[System],
    *,
    people: Callable[[], Iterable[Row]] = lambda: (),
) -> Iterator[Row]:
    """The rows of each reported system, then ours of models with its name; at the end our other models and people."""
    by_system: dict[str, list[Number]] = {}
    for number in reported:
        by_system.setdefault(number.system, []).append(number)
    for system, same in beside(by_system, systems, results.name):
        if system is not None:
            yield from of_reported(by_system[system])
        for one in same:
            yield from ours(one)
    yield from people()


def as_printed(found: Iterable[Number], *labels: str) -> Iterator[Row]:
    """Rows of reported scores, with some of their labels."""
    for one in found:
        of_labels = {name: one.labels[name] for name in labels}
        place = {"name": one.system, "source": REPORTED, **of_labels, "metric": one.metric}
        yield {**place, "measure": SCORE, "value": one.value, PUBLISHED: one.text}


def scores_view(caption: str, note: str = "", metrics: Sequence[str] = SCORES, **shown: str) -> View:
    """Scores of reported systems and ours, and our number of answers about the first of the metrics.

    `shown` are further identifying columns with their headings.
    """
    columns = (
        *(Column(metric, SCORE, {"metric": metric}) for metric in metrics),
        Column(f"Pairs ({metrics[0]})", SCORE, {**ONLY_OURS, "metric": metrics[0]}, number="n"),
    )
    return View(caption, {**BESIDE, **shown}, columns, note)


def intervals_view(caption: str, note: str = "", metrics: Sequence[str] = SCORES, **shown: str) -> View:
    """Our scores with their intervals; of a single metric also the number of answers."""
    columns = (
        *(Column(metric, SCORE, {**ONLY_OURS, "metric": metric}, interval=True) for metric in metrics),
        *(Column("Pairs", SCORE, {**ONLY_OURS, "metric": one}, number="n") for one in metrics if len(metrics) == 1),
    )
    return View(caption, {**OF_OURS, **shown}, columns, note)


def changes_view(caption: str, note: str = "", measure: str = CHANGE, **shown: str) -> View:
    """Our paired changes or drops in points with intervals and p-values, one row for each metric.

    `metric=""` hides the name of the metric.
    """
    columns = (
        Column(measure.capitalize(), measure, ONLY_OURS, write=signed(1), interval=True),
        Column("Pairs", measure, ONLY_OURS, number="n"),
        Column("p", measure, ONLY_OURS, number="p"),
        Column("Holm p", measure, ONLY_OURS, number="p_holm"),
    )
    return View(caption, {**OF_OURS, **shown, "metric": shown.get("metric", "Metric")}, columns, note)


def score_table(
    title: str, rows: Iterable[Mapping[str, object]], labels: Sequence[str], views: tuple[View, ...]
) -> Table:
    """A table of scores whose rows are identified by the system, by `labels`, and by metric and measure.

    Its name is that of its module (`Made`).
    """
    identity = (*PLACE, *labels, "metric", "measure", PUBLISHED)
    frame = tidy(rows, identity)
    if frame.empty:
        views = (replace(views[0], note=_NOTHING), *views[1:])
    return Table("", title, frame, views)
