"""The rows of a reported table by the columns that tell them apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from whatif.engine.errors import WhatifError
from whatif.results.contradictions.quantity import Printed, Quantity, printed

Row = Mapping[str, str]


class Cells:
    """The numbers of a table by some of its columns: `cells[system, group]` is the printed number of that row.

    Raises WhatifError when two rows have the same values in these columns, and when a key is looked up that is not
    there.
    """

    def __init__(self, rows: Iterable[Row], *columns: str) -> None:
        self._rows: dict[tuple[str, ...], Row] = {}
        for row in rows:
            key = tuple(row[column] for column in columns)
            if key in self._rows:
                raise WhatifError(f"reported numbers: {', '.join(key)} is there twice; add a column to tell them apart")
            self._rows[key] = row

    def __getitem__(self, key: str | tuple[str, ...]) -> Printed:
        return printed(self.row(key)["value"])

    def __contains__(self, key: object) -> bool:
        return (key if isinstance(key, tuple) else (key,)) in self._rows

    def row(self, key: str | tuple[str, ...]) -> Row:
        """The whole row."""
        whole = key if isinstance(key, tuple) else (key,)
        if whole not in self._rows:
            raise WhatifError(f"reported numbers: there is no {', '.join(whole)}")
        return self._rows[whole]

    def q(self, *key: str) -> Quantity:
        """A number with its rounding."""
        return self[key].quantity

    def delta(self, *key: str) -> Printed:
        """The difference that is printed beside a number."""
        return printed(self.row(key)["printed_delta"])

    def deviation(self, *key: str) -> Printed:
        """The standard deviation that is printed beside a number."""
        return printed(self.row(key)["std"])

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """All keys, in the order of the table."""
        return iter(self._rows)

    def names(self, place: int) -> list[str]:
        """The different values of a column of the key, in the order of the table."""
        return list(dict.fromkeys(key[place] for key in self._rows))
