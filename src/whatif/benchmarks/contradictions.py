"""The claims of all installed benchmarks that have a module `claims`, checked, as rows and as a data frame."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from whatif.benchmarks.discovery import modules
from whatif.contradictions import Claim
from whatif.contradictions.rows import Row, row
from whatif.errors import WhatifError

if TYPE_CHECKING:
    import pandas as pd


def with_claims() -> list[str]:
    """The names of the installed benchmarks that state claims, sorted."""
    return [name for name, module in modules().items() if find_spec(f"{module}.claims") is not None]


@cache
def claims_files() -> tuple[str, ...]:
    """What decides the claims of all benchmarks: their modules, and the tables as published, as `package:path`.

    Modules of claims are found by name, so a step that shows claims declares these files.
    """
    found = []
    for name in with_claims():
        module = modules()[name]
        folder = Path(str(files(module)))
        read = [*sorted(folder.glob("claims*.py")), *sorted((folder / "published").rglob("*.csv"))]
        found += [f"{module}:{path.relative_to(folder).as_posix()}" for path in read]
    return tuple(found)


def claims(benchmark: str) -> Iterator[Claim]:
    """The claims of a benchmark, in its order. Raises WhatifError when it states none."""
    known = with_claims()
    if benchmark not in known:
        raise WhatifError(
            f"{benchmark}: states no reported numbers that can be checked; those that do: {', '.join(known)}"
        )
    yield from importlib.import_module(f"{modules()[benchmark]}.claims").claims()


def rows(benchmarks: Sequence[str] = ()) -> list[Row]:
    """The checked claims of some benchmarks, of all by default, in order. Raises WhatifError for an unknown one."""
    return [row(name, claim) for name in benchmarks or with_claims() for claim in claims(name)]


def frame(benchmarks: Sequence[str] = ()) -> pd.DataFrame:
    """The same as a tidy table: columns `whatif.contradictions.rows.COLUMNS`; low and high are numbers or missing."""
    return as_frame(rows(benchmarks))


def as_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Rows as a tidy table."""
    import pandas as pd

    from whatif.contradictions.rows import COLUMNS

    made = pd.DataFrame([one.values() for one in rows], columns=list(COLUMNS))
    return made.astype({"low": "float64", "high": "float64"})
