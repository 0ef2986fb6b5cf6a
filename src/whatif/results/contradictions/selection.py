"""Which rows of reported tables a claim is about, and the one number that a cell of a claim names.

`table3`, `text` and so on are the files in `published/`. Where a claim goes over rows, the values of the columns that
it goes over are bound: `{variant: original}` is the row of the same system and group. A number in a sentence (`text`)
is found only by what is written, unless the claim goes over the sentences themselves.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.results.contradictions.quantity import Printed, Quantity, exactly, printed

Row = Mapping[str, str]
ROW = "each row"  # in place of a column: each row by itself
TEXT = "text"  # the table of numbers in sentences, which is meant where no other is named
OTHERS, ALL_BUT, IN = "others", "all but", "in"
_OF_NUMBERS = ("value", "std", "printed_delta")  # columns with a number of their own in each row
_COUNT = "count"  # a unit: not rounded


class Name(str):
    """A value of a column, as texts show it."""

    @property
    def words(self) -> str:
        """Spaces for hyphens and underscores."""
        return self.replace("-", " ").replace("_", " ")

    @property
    def number(self) -> str:
        """The number of a table: 3 for `table3`."""
        return self.removeprefix("table")


@dataclass(frozen=True)
class Cell:
    """A printed number, and whether it is a count, which is not rounded."""

    printed: Printed
    exact: bool

    @property
    def quantity(self) -> Quantity:
        """What the number may stand for."""
        return exactly(self.printed.value) if self.exact else self.printed.quantity


@dataclass(frozen=True)
class Stated:
    """What a file of claims defines for all of its claims.

    tables: reads a reported table. numbers: named cells and formulas. lists: named lists of values, or of values with
    the values of further columns.
    """

    tables: Callable[[str], Sequence[Row]]
    numbers: Mapping[str, Any]
    lists: Mapping[str, Any]


@dataclass(frozen=True)
class Scope:
    """The values that are bound while a claim is read, and what its formulas found on the way (`told`, for texts)."""

    stated: Stated
    bound: Mapping[str, str] = field(default_factory=dict)
    told: dict[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> str:
        """The table that is meant where none is named."""
        return self.bound.get("table", TEXT)

    def filled(self, value: Any) -> str:
        """A value with the bound ones in its braces."""
        text = str(value)
        if "{" not in text:
            return text
        try:
            return text.format_map(self.bound)
        except (KeyError, ValueError, IndexError):
            raise WhatifError(f"{text!r}: has braces around what is not bound ({', '.join(self.bound)})") from None

    def loops(self, over: Any) -> Iterator[Scope]:
        """A scope for each combination of the values of some columns that a table has, the first column outermost.

        Raises WhatifError for an unknown column, and where there is no such row.
        """
        named = dict(keys(over, "rows"))
        tables = named.pop("table", self.table)
        for table in tables if isinstance(tables, list) else [self.filled(tables)]:
            bound = {**self.bound, "table": Name(table)}
            rows = self._left(self._rows(table), table, named)
            found = list(self._combinations(list(named.items()), bound, rows, table))
            if not found:
                raise WhatifError(f"{table} has no rows with {_told(named)}")
            for values in found:
                yield replace(self, bound=values)

    def cell(self, spec: Mapping[str, Any]) -> Cell:
        """The number that a cell names. Raises WhatifError unless this is exactly one."""
        named = dict(spec)
        table = self.filled(named.pop("table", self.table))
        column = named.pop("column", "value")
        rows = self._rows(table)
        for name in (*named, column):
            if name not in rows[0]:
                raise unknown(f"column of {table}", name, rows[0])
        found = self._left(rows, table, named)
        for name, given in named.items():
            test = self._test(name, given)
            found = [row for row in found if test(row[name])]
        texts = [row[column] for row in found]
        if column not in _OF_NUMBERS:
            texts = list(dict.fromkeys(texts))
        if len(texts) != 1:
            wanted = {name: value for name, value in self.bound.items() if name in rows[0] and self._inherits(table)}
            told = _told({**wanted, **named})
            differ = [name for name in rows[0] if name not in _OF_NUMBERS and len({row[name] for row in found}) > 1]
            say = f"; say which {' and '.join(differ)}" if texts else ""
            raise WhatifError(f"{table} has {len(texts) or 'no'} rows with {told}, not one{say}")
        return Cell(printed(texts[0]), column not in _OF_NUMBERS or found[0]["unit"] == _COUNT)

    def matches(self, wanted: Mapping[str, Any]) -> bool:
        """Whether bound values are those that a claim is for."""
        for name in wanted:
            if name not in self.bound:
                raise unknown("bound column", name, self.bound)
        return all(self._test(name, given)(self.bound[name]) for name, given in wanted.items())

    def _rows(self, table: str) -> Sequence[Row]:
        return self.stated.tables(table)

    def _inherits(self, table: str) -> bool:
        return table != TEXT or self.table == TEXT

    def _left(self, rows: Sequence[Row], table: str, named: Collection[str]) -> Sequence[Row]:
        """The rows with the bound values in columns that are not named."""
        for name, value in self.bound.items() if self._inherits(table) else ():
            if rows and name in rows[0] and name not in named and name != "table":
                rows = [row for row in rows if row[name] == value]
        return rows

    def _test(self, column: str, given: Any) -> Callable[[str], bool]:
        """Which values of a column are meant: one, a list of them, a pattern with `*`, all but some, or the others.

        `others` are all but the bound one, and `{in: NAME}` is a list of the file.
        """
        if isinstance(given, dict):
            if list(given) == [ALL_BUT]:
                inner = self._test(column, given[ALL_BUT])
                return lambda value: not inner(value)
            return self._test(column, self.listed(column, given))
        if given == OTHERS:
            return lambda value: value != self.bound.get(column)
        if isinstance(given, list):
            tests = [self._test(column, one) for one in given]
            return lambda value: any(test(value) for test in tests)
        text = self.filled(given)
        return (lambda value: fnmatchcase(value, text)) if "*" in text else (lambda value: value == text)

    def listed(self, column: str, given: Mapping[str, Any]) -> Any:
        """The list that `{in: NAME}` means."""
        if list(given) != [IN]:
            raise WhatifError(f"{column}: must be a value, a list, `{IN}` or `{ALL_BUT}`, not {_told(given)}")
        if given[IN] not in self.stated.lists:
            raise unknown("list", given[IN], self.stated.lists)
        return self.stated.lists[given[IN]]

    def _combinations(
        self, named: list[tuple[str, Any]], bound: dict[str, str], rows: Sequence[Row], table: str
    ) -> Iterator[dict[str, str]]:
        if not named:
            yield bound
            return
        (name, given), *rest = named
        for values in self._choices(name, given, rows, table):
            left = [row for row in rows if all(row[one] == value for one, value in values.items() if one in row)]
            if left:
                yield from self._combinations(rest, {**bound, **values}, left, table)

    def _choices(self, name: str, given: Any, rows: Sequence[Row], table: str) -> Iterator[dict[str, str]]:
        """The values that a column is to have, in order, with those of further columns that go with them."""
        is_named = isinstance(given, dict) and list(given) != [ALL_BUT]
        chosen = self.listed(name, given) if is_named else given
        if isinstance(chosen, dict) and list(chosen) != [ALL_BUT]:
            for value, more in chosen.items():
                yield {name: Name(value), **{key: Name(one) for key, one in keys(more, f"{name} {value}").items()}}
            return
        if name == ROW:
            for row in rows:
                yield {key: Name(value) for key, value in row.items() if key not in (*_OF_NUMBERS, "table")}
            return
        if rows and name not in rows[0]:
            raise unknown(f"column of {table}", name, rows[0])
        known = list(dict.fromkeys(row[name] for row in rows))
        for one in chosen if isinstance(chosen, list) else [chosen]:
            test = self._test(name, one)
            for value in known:
                if test(value):
                    yield {name: Name(value)}


def keys(given: Any, what: str) -> Mapping[str, Any]:
    """A mapping of a file. Raises WhatifError for anything else."""
    if not isinstance(given, dict):
        raise WhatifError(f"{what}: must have keys and values, not {given!r}")
    return {str(key): value for key, value in given.items()}


def unknown(what: str, name: Any, known: Collection[str]) -> WhatifError:
    """What is wrong with a name, and what may be meant."""
    alike = difflib.get_close_matches(str(name), known, n=1)
    right = f"did you mean {alike[0]!r}?" if alike else f"it must be one of {', '.join(map(str, known))}"
    return WhatifError(f"unknown {what} {str(name)!r}; {right}")


def _told(named: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in named.items()) or "any values"
