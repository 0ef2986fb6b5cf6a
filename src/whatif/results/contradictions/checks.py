"""The checks that a file of claims can name: what each is called, what it needs, and the function that answers it.

A claim has the name of its check as a key: `{reported: numerical, equals: {sum: [direct, indirect]}, what: ...}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.results.contradictions.claim import Outcome
from whatif.results.contradictions.counts import both_right, multiples, possible, same_baseline
from whatif.results.contradictions.formulas import (
    about,
    at_least,
    at_most,
    equals,
    less_than,
    more_than,
    not_checkable,
    ordered,
    part_of,
    same,
    up_to,
)
from whatif.results.contradictions.quantity import Printed
from whatif.results.contradictions.selection import Scope
from whatif.results.contradictions.significance import (
    Seeds,
    against_chance,
    better_over_seeds,
    correlation,
    kappa_allows,
    paired_fall,
    random_part,
)
from whatif.results.contradictions.texts import note, shown_text
from whatif.results.contradictions.values import number, numbers, operands, value, values


def _count(given: Any, scope: Scope) -> int:
    return int(value(given, scope).nominal)


def _pairs(given: Any, scope: Scope) -> list[tuple[Printed, Printed]]:
    """Two cells of each row that the claim goes over: `{of: [A, B], over: ROWS}`."""
    found = [numbers(both, inner) for inner, both in operands(given, scope)]
    if any(len(both) != 2 for both in found):
        raise WhatifError(f"{given!r}: must have two cells for each row, `of: [A, B]`")
    return [(first, second) for first, second in found]


def _seeds(given: Any, scope: Scope) -> Seeds:
    """A mean over seeds with the deviation that is printed beside it."""
    return Seeds(number(given, scope), number({**given, "column": "std"}, scope))


def _flag(given: Any, scope: Scope) -> bool:
    if not isinstance(given, bool):
        raise WhatifError(f"{given!r}: must be true or false")
    return given


def _better(new: Seeds, old: Seeds, seeds: int, significant: bool) -> Outcome:
    return better_over_seeds(new, old, seeds, significant=significant)


def _correlation(reported: Printed, pairs: Sequence[tuple[Printed, Printed]], statistic: str) -> Outcome:
    return correlation(reported, [(float(x.value), float(y.value)) for x, y in pairs], of=statistic)


Reader = Callable[[Any, Scope], Any]
TEXT: Reader | None = None  # in place of a reader
_COMPARED = {"value": value, "what": TEXT, "note": TEXT}
_REPORTED = {"what": TEXT, "note": TEXT}

# The function, and its arguments in their order: the key in the file, and what reads it. Texts are read last.
CHECKS: dict[str, tuple[Callable[..., Outcome], Mapping[str, Reader | None]]] = {
    "equals": (equals, {"reported": number, "equals": value, **_REPORTED}),
    "is about": (about, {"reported": number, "is about": value, **_REPORTED}),
    "is up to": (up_to, {"reported": number, "is up to": value, **_REPORTED}),
    "is part": (part_of, {"reported": number, "is part": value, **_REPORTED}),
    "same as": (same, {"reported": number, "same as": number, "where": TEXT, "note": TEXT}),
    "more than": (more_than, {"limit": TEXT, "more than": value, **_COMPARED}),
    "at least": (at_least, {"limit": TEXT, "at least": value, **_COMPARED}),
    "less than": (less_than, {"limit": TEXT, "less than": value, **_COMPARED}),
    "at most": (at_most, {"limit": TEXT, "at most": value, **_COMPARED}),
    "rising": (ordered, {"rising": values, "what": TEXT}),
    "possible of": (possible, {"reported": number, "possible of": _count, "what": TEXT}),
    "multiples of": (
        multiples,
        {"reported": numbers, "multiples of": _count, "items": _count, "what": TEXT},
    ),
    "both right": (both_right, {"first": number, "second": number, "both right": number}),
    "one baseline": (same_baseline, {"one baseline": _pairs}),
    "falls to": (paired_fall, {"reported": number, "falls to": number, "items": _count, "what": TEXT}),
    "against chance": (
        lambda share, chance, items, claim, what: against_chance(share, chance.nominal, items, claim, what),
        {"reported": number, "chance": value, "items": _count, "against chance": TEXT, "what": TEXT},
    ),
    "random part": (
        random_part,
        {"reported": number, "chosen": _count, "random part": _count, "sample": _count, "what": TEXT},
    ),
    "beats": (_better, {"reported": _seeds, "beats": _seeds, "seeds": _count, "significant": _flag}),
    "kappa": (kappa_allows, {"kappa": number, "shares": numbers, "in disagreement": numbers}),
    "correlation": (_correlation, {"reported": number, "correlation": _pairs, "statistic": TEXT}),
    "cannot be checked": (not_checkable, {"reported": TEXT, "cannot be checked": TEXT}),
}


def outcome(check: str, stated: Mapping[str, Any], scope: Scope) -> Outcome:
    """What a check finds. Raises WhatifError with one line if it is stated wrongly."""
    function, readers = CHECKS[check]
    for name in readers:
        if name not in stated and name != "note":
            raise WhatifError(f"`{check}` also needs the key {name!r}")
    # Texts are about what the check compares with, so this is read last of all values.
    found: dict[str, Any] = {
        name: reader(stated[name], scope)
        for name, reader in sorted(readers.items(), key=lambda one: one[0] == check)
        if reader is not None
    }
    shown = {**found, "other": found.get(check)}
    scope.told["value"] = found.get("value")
    for name in (name for name, reader in readers.items() if reader is None):
        found[name] = (note if name == "note" else shown_text)(stated.get(name, ""), scope, shown)
    return function(*(found[name] for name in readers))
