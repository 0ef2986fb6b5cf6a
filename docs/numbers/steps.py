"""What each step takes, for docs/scale.md: `python -m bench.flat_memory 60000 1000000 --save` measures it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from docs.numbers.markdown import markdown, read_json

_FILE = "docs/numbers/steps.json"
_NAMES = {"aggregate": "tables", "diff": "`diff --flips`", "publish": "`publish`"}
_Taken = Mapping[str, Mapping[str, Mapping[str, float]]]  # pairs -> step -> seconds and gib


def _steps() -> str:
    """Seconds and memory of each step before and now, at two sizes each, with the exponent of time between them."""
    found = read_json(_FILE)
    before, now = found["before"], found["now"]
    few, many = sorted(map(int, now))[-2:]
    header = ["", f"{few:,} pairs, before: s", "GiB", "now: s", "GiB", f"{many:,} pairs, now: s", "GiB", "exponent"]
    rows = [header]
    for step in now[str(many)]:
        name = _NAMES.get(step, step)
        rows.append([name, *_cells(before, few, step), *_cells(now, few, step), *_cells(now, many, step)])
        growth = now[str(many)][step]["seconds"] / now[str(few)][step]["seconds"]
        rows[-1].append(f"{math.log(growth) / math.log(many / few):.2f}")
    return markdown(rows, text_columns=1)


def _cells(taken: _Taken, pairs: int, step: str) -> list[str]:
    one = taken[str(pairs)][step]
    return [f"{one['seconds']:.0f}", f"{one['gib']:.2f}"]


NUMBERS: dict[str, Callable[[], str]] = {"steps": _steps}
