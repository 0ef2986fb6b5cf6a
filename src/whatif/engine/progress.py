"""Progress of long work on standard error: one live bar on a terminal, one line per minute in a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

Item = TypeVar("Item")

INTERVAL = 60.0  # seconds between two lines of a log file
_SHORT = 1.0  # seconds; shorter work prints no line
_REDRAW = 0.5  # seconds between two updates of the bar on a terminal
_LINE = "{desc}: {n_fmt} of {total_fmt} {unit} in {elapsed}, {remaining} left{postfix}"


def progress(
    items: Iterable[Item],
    total: int,
    what: str,
    unit: str,
    *,
    note: Callable[[], str] = str,
    share: Callable[[], float | None] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Item]:
    """Yields the items and reports on standard error how many of `total` have been processed.

    On a terminal, the report is one bar. Otherwise it is at most one line per minute and one line at the end, even if
    the work is interrupted. Work of less than a second without a note prints no line. `note` returns the text after the
    numbers, for example a cost; it is called again for every line. `share` returns how much of the work is done, from 0
    to 1, by which the time left is estimated; None: by the number of items. `clock` returns the time in seconds.
    """
    work = _Work(total, what, unit, note, share)
    return _bar(items, work) if sys.stderr.isatty() else _lines(items, work, clock)


@dataclass(frozen=True)
class _Work:
    total: int
    what: str
    unit: str
    note: Callable[[], str]
    share: Callable[[], float | None]

    def rate(self, done: int, seconds: float) -> float | None:
        """The number of items per second at which the rest will be processed; None if only their number is known."""
        share = self.share()
        if not share or seconds <= 0:
            return None
        left = seconds * (1 - share) / share
        return (self.total - done) / left if left > 0 else float("inf")

    def say(self, done: int, seconds: float) -> None:
        """Prints a line."""
        from tqdm import tqdm

        units = f"{self.unit}s" if self.unit.isalpha() else self.unit.strip()
        line = tqdm.format_meter(
            done,
            self.total,
            seconds,
            prefix=self.what,
            unit=units,
            rate=self.rate(done, seconds),
            postfix=self.note(),
            bar_format=_LINE,
        )
        print(line, file=sys.stderr, flush=True)


def _bar(items: Iterable[Item], work: _Work) -> Iterator[Item]:
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[type-arg]
        @property
        def format_dict(self) -> dict[str, Any]:
            shown = dict(super().format_dict)
            rate = work.rate(shown["n"], shown["elapsed"])
            return shown if rate is None else {**shown, "rate": rate}

    with Bar(total=work.total, desc=work.what, unit=f" {work.unit.strip()}", mininterval=_REDRAW) as bar:
        for item in items:
            yield item
            bar.set_postfix_str(work.note(), refresh=False)  # otherwise the bar would be redrawn for every item
            bar.update()


def _lines(items: Iterable[Item], work: _Work, clock: Callable[[], float]) -> Iterator[Item]:
    began = said = clock()
    done = 0
    try:
        for item in items:
            yield item
            done += 1
            now = clock()
            if now - said >= INTERVAL and done < work.total:
                said = now
                work.say(done, now - began)
    finally:
        took = clock() - began
        if done and (took >= _SHORT or work.note()):
            work.say(done, took)
