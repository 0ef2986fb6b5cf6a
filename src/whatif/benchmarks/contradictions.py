"""The claims of all installed benchmarks that have a module `claims`, checked, as rows and as a data frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from whatif.benchmarks.discovery import modules, usable
from whatif.engine.errors import WhatifError
from whatif.engine.looked_up import looked_up
from whatif.results.contradictions import Claim
from whatif.results.contradictions.rows import Row, row

if TYPE_CHECKING:
    import pandas as pd


def with_claims() -> list[str]:
    """The names of the usable benchmarks that state claims, sorted."""
    return [name for name, module in usable().items() if _is_there(f"{module}.claims")]


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a benchmark in a single file has no modules
        return False


@cache
def claims_files() -> tuple[str, ...]:
    """The published tables of all benchmarks that state claims, as `package:path`."""
    found = []
    for name in with_claims():
        module = modules()[name]
        folder = Path(str(files(module)))
        read = sorted((folder / "published").rglob("*.csv"))
        found += [f"{module}:{path.relative_to(folder).as_posix()}" for path in read]
    return tuple(found)


def claims_code() -> tuple[str, ...]:
    """The functions that state the claims of all benchmarks, as `module:name`; they are looked up by name."""
    return tuple(_function(name) for name in with_claims())


def _function(benchmark: str) -> str:
    return f"{modules()[benchmark]}.claims:claims"


def claims(benchmark: str) -> Iterator[Claim]:
    """The claims of a benchmark, in its order. Raises WhatifError when it states none."""
    known = with_claims()
    if benchmark not in known:
        raise WhatifError(
            f"{benchmark}: states no reported numbers that can be checked; those that do: {', '.join(known)}"
        )
    yield from looked_up(_function(benchmark))()


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
