"""Finds the tables and figures of benchmarks: each is a module, whose name is its name. None is imported to find it.

    PACKAGE/tables/question_set.py    TABLE     the table `question-set`: its CSV, Markdown and LaTeX files
    PACKAGE/figures/figure3_svg.py    FIGURE    the file `figure3.svg`

So a benchmark gets a further table by a further file. The step that makes the tables declares `files` as what it
publishes and `code` as code that it looks up, which makes it stale when a module is added, changed or removed:

    TABLES = TableModules("my_benchmark")

    @step("aggregate", code=TABLES.code, publishes=("report.md", *TABLES.files), ...)

What the modules define is in `whatif.results.reporting.declared`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from whatif.results.reporting.standard_figures import DRAWN

SUFFIXES = ("csv", "md", "tex")
_POSITION = re.compile(r"^TABLE(?:: [^=\n]+)? = \w+\(\s*(?:position=)?(\d+),", re.MULTILINE)


class TableModules:
    """The tables and figures of some packages, as `module:name` by the name of the table or the figure's file.

    A place is a package with the folders `tables` and `figures`, or a single module in a folder `tables`, as of a table
    that several benchmarks have. If two places have a table of the same name, the last one counts. `without` are the
    names of tables that are left out.
    """

    def __init__(self, *places: str, without: Collection[str] = ()) -> None:
        self.places = places
        self.without = without

    @cached_property
    def tables(self) -> Mapping[str, str]:
        """The tables, in the order of their positions, then of their names. Raises ValueError for one without."""
        found = {name.replace("_", "-"): where for name, where in self._found("tables").items()}
        order = sorted(found, key=lambda name: (_position(found[name][1]), name))
        return {name: f"{found[name][0]}:TABLE" for name in order}

    @cached_property
    def figures(self) -> Mapping[str, str]:
        """The files of the figures, in the order of their names."""
        found = sorted(self._found("figures").items())
        return {".".join(name.replace("_", "-").rsplit("-", 1)): f"{module}:FIGURE" for name, (module, _) in found}

    @property
    def code(self) -> tuple[str, ...]:
        """The roots of the code behind all tables and figures."""
        return (*self.tables.values(), *self.figures.values())

    @property
    def files(self) -> tuple[str, ...]:
        """The text files that hold all tables and figures."""
        return (*table_files(self.tables), *self.figures)

    def _found(self, folder: str) -> dict[str, tuple[str, Path]]:
        """The modules in folders of this name, with their files, by their own name."""
        return {
            path.stem: (f"{package}.{path.stem}", path)
            for place in self.places
            for package, path in _modules(place, folder)
            if path.stem != "__init__" and path.stem not in self.without
        }


def _modules(place: str, folder: str) -> Iterator[tuple[str, Path]]:
    package, single, name = place.partition(f".{folder}.")
    if not single and ".tables." in place:
        return
    spec = find_spec(f"{package}.{folder}")
    for path in spec.submodule_search_locations or () if spec else ():
        yield from ((f"{package}.{folder}", file) for file in sorted(Path(path).glob(f"{name or '*'}.py")))


def _position(path: Path) -> int:
    """The position of a table, from its file: the first argument of what `TABLE` is."""
    found = _POSITION.search(path.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{path}: defines no table; write `TABLE: Declared[...] = Declared(position=30, ...)`")
    return int(found[1])


def table_files(tables: Iterable[str]) -> tuple[str, ...]:
    """The text files of tables: one CSV, Markdown and LaTeX file for each, and the figure of those that have one."""
    names = list(tables)
    drawn = (f"{table}.svg" for table in names if table in DRAWN)
    return (*(f"{table}.{suffix}" for table in names for suffix in SUFFIXES), *drawn)
