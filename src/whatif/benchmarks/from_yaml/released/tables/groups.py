"""The accuracy of each model on the questions of each group."""

from __future__ import annotations

from whatif.benchmarks.from_yaml.released.report import ReleasedResults, columns_of
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.table import View

TABLE: Declared[ReleasedResults] = Declared(
    position=30,
    title="By group",
    identity=("model", "name", "source", "group", "measure"),
    numbers=("value", "low", "high", "n"),
    rows=lambda found: found.rows_by("group"),
    views=lambda found: (
        View(
            f"{found.title} by group: accuracy in percent with {found.level} intervals by set of questions.",
            {"model": "", "name": "Model", "group": "Group"},
            columns_of(found),
        ),
    ),
)
