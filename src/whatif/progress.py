"""A progress bar on standard error, for people who wait and for log files alike."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TypeVar, cast

Item = TypeVar("Item")


def progress(items: Iterable[Item], total: int, what: str, unit: str) -> Iterable[Item]:
    """The items, while a bar says how many of `total` have passed."""
    from tqdm import tqdm

    # Whoever watches sees every half second; a log file gets a line a minute.
    interval = 0.5 if sys.stderr.isatty() else 60
    return cast("Iterable[Item]", tqdm(items, total=total, desc=what, unit=unit, mininterval=interval))
