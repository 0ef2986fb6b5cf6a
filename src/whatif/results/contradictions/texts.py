"""The texts of a claim: words with names in braces, which stand for bound values and for numbers.

`{system}` is a bound value, `{group.words}` the same without hyphens, `{table.number}` the number of a table.
`{other}` is what a value is compared with, `{at.system}` the row of the largest or smallest value; `{number}`,
`{above}`, `{below}` and `{negative}` count the rows that a formula went over, `{terms}` lists their values, and
`{listed}` does so with the last column. Named numbers and the keys of the claim can be shown, too: `{drop:.1f}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.results.contradictions.quantity import Printed, Quantity
from whatif.results.contradictions.selection import Scope, unknown
from whatif.results.contradictions.values import compared, number, value

_COUNTS = ("number", "above", "below", "negative", "listed", "terms", "at")


@dataclass(frozen=True)
class _Shown:
    """A number in a text: as printed, without decimals where it is whole, or as the format after the colon says."""

    found: Quantity | Printed

    def __format__(self, spec: str) -> str:
        if isinstance(self.found, Printed) and not spec:
            return self.found.text
        exact = self.found.value if isinstance(self.found, Printed) else self.found.nominal
        return format(exact.numerator if _is_whole(exact) and "f" not in spec else float(exact), spec)


class _Names(Mapping[str, Any]):
    """What the names in a text stand for."""

    def __init__(self, scope: Scope, arguments: Mapping[str, Any]) -> None:
        self._scope, self._arguments = scope, arguments

    def __getitem__(self, name: str) -> Any:
        if name in self._scope.bound:
            return self._scope.bound[name]
        if isinstance(self._arguments.get(name), Quantity | Printed):
            return _Shown(self._arguments[name])
        if name in _COUNTS and "rows" in self._scope.told:
            return self._counted(name)
        if name in self._scope.stated.numbers:
            return _Shown(_number_or_value(name, self._scope))
        raise unknown("name in braces", name, list(self))

    def _counted(self, name: str) -> Any:
        rows = self._scope.told["rows"]
        if name == "at":
            return SimpleNamespace(**self._scope.told["at"])
        if name == "listed":
            last = list(rows[0][0])[-1]
            return ", ".join(f"{bound[last]} {_Shown(each)}" for bound, each in rows)
        if name == "terms":
            return " + ".join(f"{_Shown(each)}" for _, each in rows)
        if name == "negative":
            return sum(each.nominal < 0 for _, each in rows)
        return len(rows) if name == "number" else len(compared(self._scope, name))

    def __iter__(self) -> Any:
        yield from (*self._scope.bound, *self._arguments, *_COUNTS, *self._scope.stated.numbers)

    def __len__(self) -> int:
        return len(list(iter(self)))


def shown_text(text: Any, scope: Scope, arguments: Mapping[str, Any]) -> str:
    """A text with its names replaced. Raises WhatifError for an unknown name."""
    try:
        return str(text).format_map(_Names(scope, arguments))
    except (ValueError, AttributeError, IndexError) as error:
        raise WhatifError(f"{text!r}: {error}") from None


def note(given: Any, scope: Scope, arguments: Mapping[str, Any]) -> str:
    """The end of an explanation: a text, or a text that is shown only if a value is above 0."""
    if not isinstance(given, dict):
        return shown_text(given, scope, arguments)
    if sorted(given) != ["if positive", "text"]:
        raise WhatifError(f"note: must be a text, or have the keys 'if positive' and 'text', not {', '.join(given)}")
    return shown_text(given["text"], scope, arguments) if value(given["if positive"], scope).nominal > 0 else ""


def _number_or_value(name: str, scope: Scope) -> Quantity | Printed:
    try:
        return number(name, scope)
    except WhatifError:
        return value(name, scope)


def _is_whole(number: Fraction) -> bool:
    return number.denominator == 1
