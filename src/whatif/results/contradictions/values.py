"""Values that follow from printed numbers by a named formula, as a file of claims states them.

A value is a number, the name of one, a cell (`{system: VisProg, variant: original}`), or a formula of values:
`{difference: [A, B]}`. What a formula is of is a list, or `{of: VALUE, over: ROWS}`; `of` is the cell of each row where
it is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import sqrt
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.results.contradictions.counts import likeliest_size, sizes_that_fit
from whatif.results.contradictions.quantity import Printed, Quantity, exactly, largest, mean, printed, total
from whatif.results.contradictions.selection import ALL_BUT, IN, Cell, Scope, keys, unknown


def value(given: Any, scope: Scope) -> Quantity:
    """The value that is stated. Raises WhatifError with one line if it is stated wrongly."""
    found = _found(given, scope)
    return found.quantity if isinstance(found, Cell) else found


def number(given: Any, scope: Scope) -> Printed:
    """A printed number: a cell, the name of one, or the number itself."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return printed(str(given))
    found = _found(given, scope)
    if not isinstance(found, Cell):
        raise WhatifError(f"{given!r}: is computed; a number is needed that the paper prints")
    return found.printed


def operands(given: Any, scope: Scope) -> list[tuple[Scope, Any]]:
    """What a formula is of: the stated values, each with the scope in which it is meant."""
    if isinstance(given, list):
        return [(scope, one) for one in given]
    if isinstance(given, dict) and "over" in given:
        for key in given:
            if key not in ("of", "over", "times"):
                raise unknown("key beside `over`", key, ("of", "over"))
        return [(inner, given.get("of", {})) for inner in scope.loops(given["over"])]
    return [(scope, given)]


def values(given: Any, scope: Scope) -> list[Quantity]:
    """The values of `operands`. Texts of the claim can name the rows, and which of them has an extreme value."""
    stated = operands(given, scope)
    found = [value(one, inner) for inner, one in stated]
    if isinstance(given, dict) and "over" in given:
        scope.told["rows"] = [(inner.bound, each) for (inner, _), each in zip(stated, found, strict=True)]
    return found


def numbers(given: Any, scope: Scope) -> list[Printed]:
    """The printed numbers of `operands`."""
    return [number(one, inner) for inner, one in operands(given, scope)]


def _found(given: Any, scope: Scope) -> Cell | Quantity:
    if isinstance(given, int | float) and not isinstance(given, bool):
        return exactly(str(given))
    if isinstance(given, str):
        return _named(scope.filled(given), scope)
    spec = keys(given, "a value")
    formula = next((name for name in FORMULAS if name in spec), None)
    if formula is None:
        if _looks_like_formula(spec):
            raise unknown("formula", next(iter(spec)), FORMULAS)
        return scope.cell(spec)
    options = {name: one for name, one in spec.items() if name != formula}
    for name in options:
        if name not in _OPTIONS.get(formula, ()):
            raise unknown(f"key beside `{formula}`", name, (formula, *_OPTIONS.get(formula, ())))
    return FORMULAS[formula](spec[formula], scope, options)


def _named(name: str, scope: Scope) -> Cell | Quantity:
    if name in scope.stated.numbers:
        return _found(scope.stated.numbers[name], scope)
    if name in ("above", "below"):
        return exactly(sum(1 for _ in compared(scope, name)))
    try:
        return Cell(printed(name), exact=False)
    except WhatifError:
        raise unknown("number", name, scope.stated.numbers) from None


def compared(scope: Scope, side: str) -> list[Quantity]:
    """The values of the rows that are above or below the value that they are compared with."""
    mine, rows = scope.told.get("value"), scope.told.get("rows")
    if mine is None or rows is None:
        raise WhatifError(f"{side!r} counts rows against `value`; the claim has no `value` or goes over no rows")
    sign = 1 if side == "above" else -1
    return [each for _, each in rows if (each.nominal - mine.nominal) * sign > 0]


def _looks_like_formula(spec: Mapping[str, Any]) -> bool:
    """Whether a mapping that is no known formula was not meant as a cell either, which has values of columns."""
    of = next(iter(spec.values()), None)
    return len(spec) == 1 and (isinstance(of, list) or (isinstance(of, dict) and not {IN, ALL_BUT} & set(of)))


Formula = Callable[[Any, Scope, Mapping[str, Any]], Quantity]


def _of(compute: Callable[..., Quantity], arity: int) -> Formula:
    def formula(given: Any, scope: Scope, options: Mapping[str, Any]) -> Quantity:
        found = values(given, scope)
        if len(found) != arity:
            raise WhatifError(f"{given!r}: is {len(found)} values, and the formula needs {arity}")
        return compute(*found)

    return formula


def _of_all(compute: Callable[[Sequence[Quantity]], Quantity]) -> Formula:
    return lambda given, scope, options: compute(values(given, scope))


def _extreme(sign: int) -> Formula:
    """The largest or smallest value; texts of the claim can name its row as `at`."""

    def formula(given: Any, scope: Scope, options: Mapping[str, Any]) -> Quantity:
        found = [each * sign for each in values(given, scope)]
        best = max(range(len(found)), key=lambda place: found[place].nominal)
        scope.told["at"] = operands(given, scope)[best][0].bound
        return largest(found) * sign

    return formula


def _product(found: Sequence[Quantity]) -> Quantity:
    result = exactly(1)
    for each in found:
        result *= each
    return result


def _count(given: Any, scope: Scope, options: Mapping[str, Any]) -> Quantity:
    if isinstance(given, dict) and list(given) == [IN]:
        return exactly(len(scope.listed("count", given)))
    return exactly(sum(1 for _ in scope.loops(given)))


def _positive(given: Any, scope: Scope, options: Mapping[str, Any]) -> Quantity:
    return exactly(sum(each.nominal > 0 for each in values(given, scope)))


def _between(options: Mapping[str, Any]) -> range:
    first, last = options.get("between", (1, 1000))
    return range(first, last + 1)


def _fewest_items(given: Any, scope: Scope, options: Mapping[str, Any]) -> Quantity:
    """The smallest number of items from which all of these percentages can come."""
    fitting = sizes_that_fit(numbers(given, scope), _between(options))
    if not fitting:
        raise WhatifError(f"no number of items in {options.get('between')} gives all of these percentages")
    return exactly(fitting[0])


def _likeliest_items(given: Any, scope: Scope, options: Mapping[str, Any]) -> Quantity:
    """The number of items from which most of these percentages can come; each item counts `times` times in them."""
    groups = tuple((tuple(numbers(group, scope)), int(group.get("times", 1))) for group in given)
    return exactly(_likeliest(groups, _between(options)))


@cache
def _likeliest(groups: tuple[tuple[tuple[Printed, ...], int], ...], sizes: range) -> int:
    return likeliest_size(groups, sizes)


def _noticeable(given: Any, scope: Scope, options: Mapping[str, Any]) -> Quantity:
    """The difference in points from which two shares of so many items each differ at 5%, by the normal distribution."""
    shares = [float(one.value) / 100 for one in numbers(given, scope)]
    items = options.get("items", 100)
    return exactly(Fraction(100 * 1.96 * sum(share * (1 - share) / items for share in shares) ** 0.5))


def _mean_association(given: Any, scope: Scope, options: Mapping[str, Any]) -> Quantity:
    """The mean correlation (phi) of two yes-or-no variables, from the percentages of one, the other, and both."""
    found = []
    for inner, three in operands(given, scope):
        first, second, both = (float(one.value) / 100 for one in numbers(three, inner))
        phi = (both - first * second) / sqrt(first * (1 - first) * second * (1 - second))
        found.append((inner.bound, phi))
    scope.told["rows"] = [(bound, exactly(Fraction(phi))) for bound, phi in found]
    return exactly(Fraction(sum(phi for _, phi in found) / len(found)))


FORMULAS: dict[str, Formula] = {
    "sum": _of_all(total),
    "mean": _of_all(mean),
    "product": _of_all(_product),
    "largest": _extreme(1),
    "smallest": _extreme(-1),
    "difference": _of(lambda a, b: a - b, 2),
    "ratio": _of(lambda a, b: a / b, 2),
    "percentage": _of(lambda part, whole: part / whole * 100, 2),
    "percent of": _of(lambda percent, whole: percent * whole / 100, 2),
    "absolute": _of(abs, 1),
    "exactly": _of(lambda a: exactly(a.nominal), 1),
    "count": _count,
    "positive": _positive,
    "fewest items": _fewest_items,
    "likeliest items": _likeliest_items,
    "noticeable difference": _noticeable,
    "mean association": _mean_association,
}
_OPTIONS = {"fewest items": ("between",), "likeliest items": ("between",), "noticeable difference": ("items",)}
