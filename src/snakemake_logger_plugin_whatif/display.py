"""How the jobs of a run are shown: one line when each job ends, or one live line on a terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Protocol

from tqdm import tqdm

_SECONDS_BETWEEN_REDRAWS = 1.0
_BAR = "{desc}: {n_fmt} of {total_fmt} jobs |{bar:24}| {elapsed}, about {remaining} left{postfix}"


class Display(Protocol):
    """What the log handler reports to: the start and end of jobs, and permanent lines."""

    def begin(self, name: str, progress: Callable[[], str]) -> None:
        """Reports that a job has begun; `progress` returns its name, with its progress if known."""

    def finish(self, name: str, outcome: str) -> None:
        """Reports that a job has succeeded; an example of an outcome is `computed in 2.1 s`."""

    def drop(self, name: str) -> None:
        """Reports that a job has failed."""

    def line(self, text: str) -> None:
        """Prints permanent lines."""

    def close(self) -> None:
        """Ends the display."""


class Lines:
    """Prints one line when a job ends; used for files and pipes."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def begin(self, name: str, progress: Callable[[], str]) -> None:
        """Prints nothing; the line is printed when the job ends."""

    def finish(self, name: str, outcome: str) -> None:
        """Prints the line of a job."""
        self._done += 1
        width = len(str(self._total))
        self.line(f"{self._done:{width}} of {self._total}  {name}: {outcome}")

    def drop(self, name: str) -> None:
        """Prints nothing; the handler has already reported why the job failed."""

    def line(self, text: str) -> None:
        """Prints the text to standard error."""
        print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Does nothing."""


class LiveLine:
    """One line that shows the stage, the number of finished jobs, the time left and the running jobs."""

    def __init__(self, total: int) -> None:
        self._running: dict[str, Callable[[], str]] = {}
        # The time left is estimated from the mean time per job so far.
        self._bar = tqdm(total=total, desc="begins", bar_format=_BAR, dynamic_ncols=True, leave=False, smoothing=0)
        self._ended = threading.Event()
        self._redraws = threading.Thread(target=self._redraw, daemon=True)
        self._redraws.start()

    def begin(self, name: str, progress: Callable[[], str]) -> None:
        """Adds a job to the running jobs."""
        self._running[name] = progress
        self._describe()

    def finish(self, name: str, outcome: str) -> None:
        """Removes a job from the running jobs and counts it as finished."""
        self.drop(name)
        self._bar.update()

    def drop(self, name: str) -> None:
        """Removes a job from the running jobs."""
        self._running.pop(name, None)
        self._describe()

    def line(self, text: str) -> None:
        """Prints above the live line."""
        self._bar.write(text, file=sys.stderr)

    def close(self) -> None:
        """Removes the live line."""
        self._ended.set()
        self._redraws.join()  # otherwise the thread might draw the line again
        self._bar.close()

    def _describe(self) -> None:
        running = dict(self._running)  # a copy, because another thread may change the original
        if running:
            stages = dict.fromkeys(name.split(" ")[0] for name in running)
            self._bar.set_description_str(", ".join(stages), refresh=False)
        self._bar.set_postfix_str("; ".join(progress() for progress in running.values()), refresh=False)
        self._bar.refresh()

    def _redraw(self) -> None:
        while not self._ended.wait(_SECONDS_BETWEEN_REDRAWS):
            self._describe()
