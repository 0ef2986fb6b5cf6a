"""The results of the scenes from rows, and the tables made from them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from whatif.benchmarks.scenes.report import SceneResults
from whatif.benchmarks.scenes.steps import TABLES
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.engine.looked_up import looked_up
from whatif.results.reporting.table import Table


def made_table(name: str, **fields: Any) -> Table:
    """A table of the scenes from results with these fields."""
    how: Any = SimpleNamespace(confidence=0.95)
    given = {"names": {}, "questions": [], **fields}
    found = SceneResults(task=None, title="Scenes", settings=how, dimension=ANSWERER, **given)  # type: ignore[arg-type]
    made: Table = looked_up(TABLES.tables[name]).table(name, found)
    return made
