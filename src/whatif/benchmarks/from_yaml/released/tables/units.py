"""How often a model answers all questions of a unit correctly, such as both questions about a picture."""

from __future__ import annotations

from whatif.benchmarks.from_yaml.released.report import ReleasedResults
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.table import Column, View

TABLE: Declared[ReleasedResults] = Declared(
    position=20,
    title="All right",
    identity=("model", "name", "source", "unit", "measure"),
    numbers=("value", "low", "high", "n"),
    rows=lambda found: found.of_units(),
    views=lambda found: (
        View(
            f"{found.title}: share (%) of units whose questions are all answered correctly, with {found.level} "
            "intervals by set of questions.",
            {"model": "", "name": "Model", "unit": "Unit"},
            (Column("All right", "all right", interval=True), Column("Units", "all right", number="n")),
        ),
    ),
)
