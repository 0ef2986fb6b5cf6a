"""Tables and figures that are declared in modules of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from whatif.results.reporting.declared import report_of, tables_of
from whatif.results.reporting.report import text_files
from whatif.results.reporting.table import to_csv
from whatif.results.reporting.table_modules import TableModules

TABLE = """
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.table import Column, View

TABLE: Declared[list[int]] = Declared(
    position={position},
    title="{title}",
    identity=("measure",),
    rows=lambda found: [{{"measure": "sum", "value": sum(found), "n": len(found)}}],
    views=lambda found: (View("Sums.", {{"measure": "Of"}}, (Column("Value", "sum"),)),),
)
"""
FIGURE = """
from whatif.results.reporting.declared import Figure

FIGURE: Figure[list[int]] = Figure(
    lambda found, tables: f"{max(found)} of {list(tables)}".encode(), above="later-sums"
)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with two tables, whose positions are not in the order of their names, and a figure."""
    folder = tmp_path / "declaring"
    for inner in ("", "tables", "figures"):
        (folder / inner).mkdir(exist_ok=True)
        (folder / inner / "__init__.py").write_text("", encoding="utf-8")
    (folder / "tables/later_sums.py").write_text(TABLE.format(position=20, title="Later"), encoding="utf-8")
    (folder / "tables/sums.py").write_text(TABLE.format(position=10, title="Sums"), encoding="utf-8")
    (folder / "figures/largest_svg.py").write_text(FIGURE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for module in [name for name in sys.modules if name.partition(".")[0] == "declaring"]:
        del sys.modules[module]


def test_a_module_is_a_table_and_its_name_the_name_of_its_files(package: Path) -> None:
    modules = TableModules("declaring")
    assert modules.tables == {
        "sums": "declaring.tables.sums:TABLE",
        "later-sums": "declaring.tables.later_sums:TABLE",
    }
    assert modules.code == (*modules.tables.values(), "declaring.figures.largest_svg:FIGURE")
    assert modules.files == (
        *("sums.csv", "sums.md", "sums.tex", "later-sums.csv", "later-sums.md", "later-sums.tex"),
        "largest.svg",
    )
    made = tables_of(modules, [2, 3])
    assert [(table.name, table.title) for table in made] == [("sums", "Sums"), ("later-sums", "Later")]
    assert to_csv(made[0].frame) == "measure,value,low,high,n,p\nsum,5,,,2,\n"


def test_nothing_is_imported_to_find_them(package: Path) -> None:
    (package / "tables/broken.py").write_text("TABLE = Made(5, lambda found: 1 / 0)\n1 / 0\n", encoding="utf-8")
    assert next(iter(TableModules("declaring").tables)) == "broken"
    assert not any(name.startswith("declaring.tables.") for name in sys.modules)


def test_the_report_shows_a_figure_above_its_table(package: Path) -> None:
    report = report_of(TableModules("declaring"), "Numbers", [2, 3], {"m": {"sum": 5}})
    files = text_files("numbers", report)
    assert files["metrics/numbers/largest.svg"] == b"3 of ['sums', 'later-sums']"
    page = files["metrics/numbers/report.md"].decode()
    assert page.index("## Sums") < page.index("## Later") < page.index("![Later](largest.svg)")


def test_of_two_places_the_last_one_counts(package: Path) -> None:
    (package / "further/tables").mkdir(parents=True)
    for inner in ("further", "further/tables"):
        (package / inner / "__init__.py").write_text("", encoding="utf-8")
    text = TABLE.format(position=30, title="Others")
    (package / "further/tables/sums.py").write_text(text, encoding="utf-8")
    both = TableModules("declaring", "declaring.further")
    assert list(both.tables.items())[-1] == ("sums", "declaring.further.tables.sums:TABLE")
    single = TableModules("declaring.tables.later_sums")
    assert (list(single.tables), single.figures) == (["later-sums"], {})


def test_a_module_without_a_table_is_an_error(package: Path) -> None:
    (package / "tables/empty.py").write_text("TABLE = 3\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"empty.py: defines no table; write `TABLE: Declared"):
        TableModules("declaring").files  # noqa: B018


def test_a_table_that_the_results_do_not_have_is_in_no_report(package: Path) -> None:
    empty = "from whatif.results.reporting.declared import Made\n\nTABLE = Made(5, lambda found: None)\n"
    (package / "tables/absent.py").write_text(empty, encoding="utf-8")
    modules = TableModules("declaring")
    assert "absent" in modules.tables and "absent.csv" in modules.files
    assert [table.name for table in tables_of(modules, [2, 3])] == ["sums", "later-sums"]
