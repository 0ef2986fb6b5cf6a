"""The processes of a run end together: jobs with the Snakemake that started them, Snakemake with its `dvc repro`.

A signal that ends one process of a run does not reach the others: the shells between them neither pass it on nor end
with their parent. So each of our processes checks twice a second, by process id, whether the one above is still there.
This works on Linux and macOS, however the parent ended. A process that was started by hand, by Slurm, or by a shell
that closes (`nohup snakemake ... &`) has no parent to end with.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

PARENT_VARIABLE = "WHATIF_PARENT"  # the process id of the Snakemake that runs a job, in the job's environment
_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_TO_END = 5.0  # until a job that does not end when asked is killed
# Comes from the thread that watches `dvc repro`. The others may be ignored, as after `nohup`.
_PARENT_IS_GONE = signal.SIGUSR1


def end_with_parent() -> None:
    """Ends this process at once when the Snakemake that started it is gone; does nothing when none did.

    Nothing is tidied up: whatever kills a job, nothing half-made is left in place, and the next run clears the rest.
    """
    parent = os.environ.get(PARENT_VARIABLE, "")
    if parent.isdecimal():
        _watch(int(parent), lambda: _exit_now("the run that started this job has ended"))


def end_cleanly(*, ends_jobs: bool) -> None:
    """Makes the Snakemake that plans a run end tidily, in one line, when it is interrupted or its `dvc repro` is gone.

    To be called in its main thread. SIGINT, and SIGHUP unless it is ignored, then end it in this order: its jobs, which
    get SIGTERM and later SIGKILL, Snakemake with its own locks, and the exit handlers of this process. While jobs run,
    SIGTERM keeps the meaning that Snakemake gives it: no new job is started, and those that run are waited for.

    `ends_jobs` is false when an executor hands jobs to a cluster: Snakemake cancels them itself on SIGINT, they go on
    after SIGHUP, and what it starts to cancel them must not be ended.
    """
    import psutil  # noqa: F401  (now, not in a signal handler)

    interruption = _Interruption(ends_jobs)
    wanted = [signal.SIGINT, signal.SIGTERM, _PARENT_IS_GONE, *([signal.SIGHUP] if ends_jobs else [])]
    for number in wanted:
        if number == _PARENT_IS_GONE or signal.getsignal(number) is not signal.SIG_IGN:
            with contextlib.suppress(ValueError):  # Snakemake was called in another thread, by a program of its own
                signal.signal(number, interruption)
    if "DVC_STAGE" in os.environ and (dvc := _dvc_of_this_stage()) is not None:
        _watch(dvc, lambda: os.kill(os.getpid(), _PARENT_IS_GONE))


class _Interruption:
    """The signal handler of the process that plans; raises SystemExit in its main thread."""

    def __init__(self, ends_jobs: bool) -> None:
        self._ends_jobs = ends_jobs
        self._came = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._came and self._ends_jobs:
            return  # it is ending already, and a second exception would cut the cleanup short
        if not self._came:
            self._came = True
            why = "its dvc has ended" if number == _PARENT_IS_GONE else f"interrupted by {signal.Signals(number).name}"
            _say(f"the run ends: {why}; what was finished is kept, start it again to go on")
            if self._ends_jobs:
                # Snakemake would now report each job as failed, only because of this.
                logging.getLogger("snakemake.logging").disabled = True
                threading.Thread(target=_end_jobs, daemon=True).start()
        raise SystemExit(128 + number)


def _end_jobs() -> None:
    """Ends the processes below this one, and those that are started meanwhile, until this one ends."""
    import psutil

    kill_from = time.monotonic() + _SECONDS_TO_END
    while True:
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                process.send_signal(signal.SIGTERM if time.monotonic() < kill_from else signal.SIGKILL)
        time.sleep(_SECONDS_BETWEEN_LOOKS / 5)


def _dvc_of_this_stage() -> int | None:
    """The process id of the DVC whose stage this process runs in, by DVC's own record; it may be gone already."""
    import psutil

    from whatif.processes import owners

    named = owners.rwlock_pids()
    above = [parent.pid for parent in psutil.Process().parents() if parent.pid in named]
    return next(iter(above or sorted(pid for pid in named if not psutil.pid_exists(pid))), None)


def _watch(pid: int, when_gone: Callable[[], None]) -> None:
    """Calls `when_gone` in a thread as soon as a process has ended."""

    def look() -> None:
        import psutil

        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            while _lives(process):
                time.sleep(_SECONDS_BETWEEN_LOOKS)
        when_gone()

    threading.Thread(target=look, daemon=True).start()


def _lives(process: psutil.Process) -> bool:
    import psutil

    # One that has ended is listed until its own parent asks for it.
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def _exit_now(why: str) -> None:
    try:
        _say(f"ends: {why}")
    finally:
        os._exit(1)


def _say(line: str) -> None:
    with contextlib.suppress(OSError):  # who would read it may be gone too
        clear = "\r\x1b[K" if sys.stderr.isatty() else ""  # of the live line of a run
        os.write(sys.stderr.fileno(), f"{clear}whatif: {line}\n".encode())
