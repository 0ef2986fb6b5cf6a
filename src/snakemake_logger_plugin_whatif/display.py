"""How the jobs of a run are shown: a line when each has ended, or one live line on a terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Protocol

from tqdm import tqdm

_SECONDS_BETWEEN_REDRAWS = 1.0
_BAR = "{desc}: {n_fmt} of {total_fmt} jobs |{bar:24}| {elapsed}, about {remaining} left{postfix}"


class Display(Protocol):
    """What the log handler tells: the jobs that begin and end, and lines that stay."""

    def begin(self, name: str, progress: Callable[[], str]) -> None:
        """A job has begun; `progress` gives its name, and how far it is where that is known."""

    def finish(self, name: str, outcome: str) -> None:
        """A job has ended well; the outcome is such as `computed in 2.1 s`."""

    def drop(self, name: str) -> None:
        """A job has failed."""

    def line(self, text: str) -> None:
        """Prints lines that stay."""

    def close(self) -> None:
        """Nothing more is shown."""


class Lines:
    """A line for each job when it has ended, for files and pipes."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def begin(self, name: str, progress: Callable[[], str]) -> None:
        """Prints nothing: the line comes at the end."""

    def finish(self, name: str, outcome: str) -> None:
        """Prints the line of a job."""
        self._done += 1
        width = len(str(self._total))
        self.line(f"{self._done:{width}} of {self._total}  {name}: {outcome}")

    def drop(self, name: str) -> None:
        """Prints nothing: the handler has said why the job failed."""

    def line(self, text: str) -> None:
        """Prints."""
        print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Does nothing."""


class LiveLine:
    """One line that says the stage, the jobs done of all, the time left and what is running."""

    def __init__(self, total: int) -> None:
        self._running: dict[str, Callable[[], str]] = {}
        # The time left follows from the mean time of a job so far.
        self._bar = tqdm(total=total, desc="begins", bar_format=_BAR, dynamic_ncols=True, leave=False, smoothing=0)
        self._ended = threading.Event()
        self._redraws = threading.Thread(target=self._redraw, daemon=True)
        self._redraws.start()

    def begin(self, name: str, progress: Callable[[], str]) -> None:
        """Adds a job to those that run."""
        self._running[name] = progress
        self._describe()

    def finish(self, name: str, outcome: str) -> None:
        """Counts a job."""
        self.drop(name)
        self._bar.update()

    def drop(self, name: str) -> None:
        """Takes a job from those that run."""
        self._running.pop(name, None)
        self._describe()

    def line(self, text: str) -> None:
        """Prints above the live line."""
        self._bar.write(text, file=sys.stderr)

    def close(self) -> None:
        """Removes the live line."""
        self._ended.set()
        self._redraws.join()  # or it might draw the line again
        self._bar.close()

    def _describe(self) -> None:
        running = dict(self._running)  # another thread may change it
        if running:
            stages = dict.fromkeys(name.split(" ")[0] for name in running)
            self._bar.set_description_str(", ".join(stages), refresh=False)
        self._bar.set_postfix_str("; ".join(progress() for progress in running.values()), refresh=False)
        self._bar.refresh()

    def _redraw(self) -> None:
        while not self._ended.wait(_SECONDS_BETWEEN_REDRAWS):
            self._describe()
