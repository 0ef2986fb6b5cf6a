"""The claims of all installed benchmarks that have a file `published/claims.yaml`, checked: rows, and a data frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from whatif.benchmarks.discovery import modules, usable
from whatif.engine.errors import WhatifError
from whatif.results.contradictions import Claim
from whatif.results.contradictions.claim_file import claims_in
from whatif.results.contradictions.rows import Row, row
from whatif.results.reporting.published_numbers import published

if TYPE_CHECKING:
    import pandas as pd

_CLAIMS = Path("published", "claims.yaml")  # in a benchmark's package


def with_claims() -> list[str]:
    """The names of the usable benchmarks that state claims, sorted."""
    return [name for name, module in usable().items() if _file(module)]


def _file(module: str) -> Path | None:
    """The file of claims in a benchmark's package; None if there is none, as for a benchmark in a single file."""
    spec = find_spec(module)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    return next((path for folder in folders if (path := Path(folder) / _CLAIMS).is_file()), None)


@cache
def claims_files() -> tuple[str, ...]:
    """The claims and published tables of all benchmarks that state claims, as `package:path`."""
    found = []
    for module in map(modules().__getitem__, with_claims()):
        file = _file(module)
        assert file is not None  # of a benchmark with claims
        read = sorted([*file.parent.rglob("*.csv"), file])
        found += [f"{module}:{path.relative_to(file.parents[1]).as_posix()}" for path in read]
    return tuple(found)


def claims(benchmark: str) -> Iterator[Claim]:
    """The claims of a benchmark, in its order.

    Raises WhatifError when it states none, and with one line for a mistake in its file.
    """
    module = modules().get(benchmark, "")
    file = _file(module) if benchmark in usable() else None
    if file is None:
        raise WhatifError(
            f"{benchmark}: states no reported numbers that can be checked; those that do: {', '.join(with_claims())}"
        )
    yield from claims_in(file, module, published)


def rows(benchmarks: Sequence[str] = ()) -> list[Row]:
    """The checked claims of some benchmarks, of all by default, in order. Raises WhatifError for an unknown one."""
    return [row(name, claim) for name in benchmarks or with_claims() for claim in claims(name)]


def frame(benchmarks: Sequence[str] = ()) -> pd.DataFrame:
    """The same as a tidy table, `whatif.results.contradictions.rows.COLUMNS`; low and high are numbers or missing."""
    return as_frame(rows(benchmarks))


def as_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Rows as a tidy table."""
    import pandas as pd

    from whatif.results.contradictions.rows import COLUMNS

    made = pd.DataFrame([one.values() for one in rows], columns=list(COLUMNS))
    return made.astype({"low": "float64", "high": "float64"})
