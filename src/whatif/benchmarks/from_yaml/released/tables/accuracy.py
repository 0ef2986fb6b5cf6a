"""The accuracy of each model on all questions, and on those of each variant."""

from __future__ import annotations

from whatif.benchmarks.from_yaml.released.report import ReleasedResults, columns_of
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.table import View

TABLE: Declared[ReleasedResults] = Declared(
    position=10,
    title="Accuracy",
    identity=("model", "name", "source", "variant", "measure"),
    numbers=("value", "low", "high", "n"),
    rows=lambda found: found.rows_by("variant"),
    views=lambda found: (
        View(
            f"{found.title}: accuracy in percent with {found.level} intervals by set of questions.",
            {"model": "", "name": "Model", "variant": "Variant"},
            columns_of(found),
            "A question without an answer counts as wrong.",
        ),
    ),
    further=lambda found, table: found.with_judge_and_people(table),
)
