"""Tables of scores by metric: the reported numbers, then ours, with intervals and paired changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif.benchmarks.mucr.outcomes import CHANGE, SCORE
from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import signed
from whatif.results.reporting.precision import corrected
from whatif.results.reporting.table import NUMBERS, OURS, PUBLISHED, Column, Table, View

PLACE = ("model", "name", "source", "strategy")
BESIDE = {"model": "", "name": "Model", "source": "From", "strategy": ""}
OF_OURS = {"model": "", "name": "Model", "strategy": ""}
ONLY_OURS = {"source": OURS}
C2E = "C2E"
IN_FIGURE = "The paper's values are in its {} only."
MIXED = (
    "The paper asks in a style that it calls mixture and does not define, which is also the name of a category; here "
    "each pair is asked in one style, drawn at random."
)
_NOTHING = "No such questions were asked."


def score_table(
    position: int,
    *,
    title: str,
    rows: Callable[[Mucr], Iterable[Mapping[str, Any]]],
    views: Callable[[Mucr], Sequence[View]],
    labels: Sequence[str] = (),
    further: Callable[[Mucr, Table], Table] = lambda found, table: table,
) -> Declared[Mucr]:
    """A table of scores whose rows are identified by the system, by `labels`, and by metric and measure.

    p-values of real models are corrected over the table (Holm); baselines and people do not count.
    """

    def told(found: Mucr, table: Table) -> Table:
        if table.frame.empty:
            first, *others = table.views
            table = replace(table, views=(replace(first, note=_NOTHING), *others))
        return further(found, table)

    return Declared(
        position=position,
        title=title,
        identity=(*PLACE, *labels, "metric", "measure", PUBLISHED),
        numbers=NUMBERS,
        rows=lambda found: corrected(rows(found), found.is_real_model),
        views=views,
        further=told,
    )


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
