"""Reads the claims of a paper from `published/claims.yaml` and checks them (docs/contradictions.md).

The file has the keys `paper`, `claims`, and, where needed, `numbers` and `lists` (named values) and `also` (a package
whose reported tables are used, too). An entry of `claims` is a claim, or has `claims` of its own, to which its other
keys apply. With `for`, it is repeated for rows of a table; with `when`, it is only about some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

import yaml

from whatif.engine.errors import WhatifError
from whatif.engine.params.files import read_yaml
from whatif.results.contradictions.checks import CHECKS, outcome
from whatif.results.contradictions.claim import Claim, Kind
from whatif.results.contradictions.selection import Row, Scope, Stated, keys, unknown
from whatif.results.contradictions.texts import shown_text

_TOP = ("paper", "also", "numbers", "lists", "claims")
_ABOUT = ("place", "cell", "kind", "finding")  # of a claim; the last may be left out
_ENTRY = (*_ABOUT, "for", "when", "claims")
Tables = Callable[[str, str], Sequence[Row]]


@dataclass(frozen=True)
class _Place:
    """An entry of the file, for messages: its file, its node with a line number."""

    file: Path
    node: yaml.Node | None

    def inside(self, number: int) -> _Place:
        """The place of one of the entries in it."""
        entries = self.node
        if isinstance(entries, yaml.MappingNode):
            entries = next((value for key, value in entries.value if key.value == "claims"), None)
        return replace(self, node=entries.value[number] if isinstance(entries, yaml.SequenceNode) else None)

    def __str__(self) -> str:
        return f"{self.file}:{self.node.start_mark.line + 1}" if self.node else str(self.file)


def claims_in(file: Path, package: str, read: Tables) -> Iterator[Claim]:
    """The claims of a file, checked, in its order.

    package: of the benchmark; read: gives the rows of a reported table of a package. Raises WhatifError with one line:
    the file, the line of the claim, what is wrong with it, and what would be right.
    """
    parsed, tree = read_yaml(file)
    place = _Place(file, tree)
    try:
        given = keys(parsed, "a file of claims")
        for name in given:
            if name not in _TOP:
                raise unknown("key", name, _TOP)
        for name in ("paper", "claims"):
            if name not in given:
                raise WhatifError(f"needs the key {name!r}")
        stated = Stated(
            _tables(package, given.get("also"), read),
            keys(given.get("numbers", {}), "numbers"),
            keys(given.get("lists", {}), "lists"),
        )
    except WhatifError as error:
        raise WhatifError(f"{file}: {error}") from None
    yield from _entries(given["claims"], {}, Scope(stated), str(given["paper"]), place)


def _tables(package: str, also: str | None, read: Tables) -> Callable[[str], Sequence[Row]]:
    @cache
    def table(name: str) -> Sequence[Row]:
        try:
            return read(package, name)
        except WhatifError:
            if also is None:
                raise
            return read(also, name)

    return table


def _entries(given: Any, defaults: Mapping[str, Any], scope: Scope, paper: str, place: _Place) -> Iterator[Claim]:
    if not isinstance(given, list):
        raise WhatifError(f"{place}: `claims` must be a list of claims")
    for number, entry in enumerate(given):
        here = place.inside(number)
        try:
            stated = {**defaults, **keys(entry, "a claim")}
            loops, wanted, inner = (stated.pop(name, None) for name in ("for", "when", "claims"))
            scopes = [scope] if loops is None else list(scope.loops(loops))
            chosen = [one for one in scopes if wanted is None or one.matches(keys(wanted, "when"))]
            found = [] if inner is not None else [_claim(stated, one, paper) for one in chosen]
        except WhatifError as error:
            raise WhatifError(f"{here}: {error}") from None
        except RecursionError:
            raise WhatifError(f"{here}: needs a number that is defined by itself; see `numbers`") from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise WhatifError(f"{here}: cannot be computed ({error})") from error
        yield from found
        if inner is not None:
            for name in stated:
                if name not in _ABOUT:
                    raise WhatifError(f"{here}: {unknown('key of a group of claims', name, _ENTRY)}")
            for one in chosen:
                yield from _entries(inner, stated, one, paper, here)


def _claim(stated: Mapping[str, Any], scope: Scope, paper: str) -> Claim:
    named = [name for name in stated if name in CHECKS]
    known = [*_ENTRY, *(key for name in named or CHECKS for key in CHECKS[name][1])]
    for name in stated:
        if name not in known:
            raise unknown("key of the claim", name, known)
    if len(named) != 1:
        raise WhatifError(f"needs one check, such as `equals`, not {' and '.join(named) or 'none'}")
    for name in ("place", "kind"):
        if name not in stated:
            raise WhatifError(f"needs the key {name!r}")
    if stated["kind"] not in get_args(Kind):
        raise unknown("kind", stated["kind"], get_args(Kind))
    own = replace(scope, told={})
    found = outcome(named[0], stated, own)
    place, cell, finding = (shown_text(stated.get(name, ""), own, {}) for name in ("place", "cell", "finding"))
    return Claim(paper, place, cell, stated["kind"], found, finding)
