"""Tables and figures as declarations, each in a module of its own (`whatif.results.reporting.table_modules`).

    TABLE: Declared[Puzzles] = Declared(
        position=30,
        title="By template",
        identity=("model", "name", "source", "template", "variant", "measure"),
        rows=lambda found: of_models(found, *PAIR_MEASURES, by="template"),
        views=lambda found: (View("Accuracy by template.", {"name": "Model", "template": "Template"}, ACCURACIES),),
    )

`found` are the results of a benchmark, in any class that its tables know. Rows are mostly measures of parts of the
answers (`pair_measures`). A table that several benchmarks have is made by one function: `Made`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from whatif.engine.looked_up import looked_up
from whatif.results.reporting.report import Headline, Report
from whatif.results.reporting.table import NUMBERS, Table, View, tidy
from whatif.results.reporting.table_modules import TableModules

Results = TypeVar("Results")
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Declared(Generic[Results]):
    """A table: its rows and how they are printed.

    position: tables are in the order of their positions, then of their names.
    identity, numbers: the columns of the CSV file, those that identify a row and those with its numbers.
    further: what a benchmark adds to the made table, such as rows and views of a judge.
    """

    position: int
    title: str
    identity: Sequence[str]
    rows: Callable[[Results], Iterable[Row]]
    views: Callable[[Results], Sequence[View]]
    numbers: Sequence[str] = tuple(name for name in NUMBERS if name != "p_holm")
    further: Callable[[Results, Table], Table] = lambda found, table: table

    def table(self, name: str, found: Results) -> Table:
        """The table of this name."""
        frame = tidy(self.rows(found), self.identity, self.numbers)
        return self.further(found, Table(name, self.title, frame, tuple(self.views(found))))


@dataclass(frozen=True)
class Made(Generic[Results]):
    """A table that a function makes, because several benchmarks have it; it may return None for no table.

    A step that publishes such a table says so in its `leaves_out`.
    """

    position: int
    make: Callable[[Results], Table | None]

    def table(self, name: str, found: Results) -> Table | None:
        """The table, under the name of its module."""
        made = self.make(found)
        return None if made is None else replace(made, name=name)


@dataclass(frozen=True)
class Figure(Generic[Results]):
    """A file that is drawn from the results and the made tables, by name: a figure as SVG, or its points as CSV.

    above: the table above which a report shows it; "" for the top of the report, None if it is not shown.
    """

    draw: Callable[[Results, Mapping[str, Table]], bytes]
    above: str | None = None


def tables_of(modules: TableModules, found: Any) -> list[Table]:
    """The tables of all modules, in their order, without those that these results do not have."""
    made = (looked_up(place).table(name, found) for name, place in modules.tables.items())
    return [table for table in made if table is not None]


def report_of(modules: TableModules, title: str, found: Any, headline: Headline) -> Report:
    """The report with all tables and figures of some modules."""
    tables = tables_of(modules, found)
    figures: dict[str, Figure[Any]] = {file: looked_up(place) for file, place in modules.figures.items()}
    by_name = {table.name: table for table in tables}
    files = {file: figure.draw(found, by_name) for file, figure in figures.items()}
    shown = {figure.above: file for file, figure in figures.items() if figure.above is not None}
    return Report(title, tables, headline, files, shown)
