"""The processes of a run end together: jobs with the Snakemake that started them, Snakemake with its `dvc repro`.

A signal that ends one process of a run does not reach the others: the shells between them neither pass it on nor end
with their parent. So each process checks twice a second, by process id, whether its parent in the run still exists.
This works on Linux and macOS, however the parent ended. A process that was started by hand, by Slurm, or by a shell
that closes (`nohup snakemake ... &`) has no such parent.
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

PARENT_VARIABLE = "WHATIF_PARENT"  # environment variable with the process id of the Snakemake that runs the job
_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_TO_END = 5.0  # between SIGTERM and SIGKILL
# Sent by the thread that watches `dvc repro`. The other signals may be ignored, as after `nohup`.
_PARENT_IS_GONE = signal.SIGUSR1


def end_with_parent() -> None:
    """Ends this process at once when the Snakemake that started it is gone; does nothing if there is none.

    No cleanup is needed: a killed job leaves no partial output in place, and the next run removes the rest.
    """
    parent = os.environ.get(PARENT_VARIABLE, "")
    if parent.isdecimal():
        _watch(int(parent), lambda: _exit_now("the run that started this job has ended"))


def end_cleanly(*, ends_jobs: bool) -> None:
    """Ends a planning Snakemake in order, with a one-line message, on an interruption or when its `dvc repro` is gone.

    Call it in the main thread. SIGINT, and SIGHUP unless it is ignored, then end, in this order: the jobs, which get
    SIGTERM and later SIGKILL; Snakemake with its own locks; and the exit handlers of this process. While jobs run,
    SIGTERM keeps Snakemake's meaning: no new job is started, and running jobs are waited for.

    `ends_jobs` is false if an executor submits jobs to a cluster. Snakemake then cancels them itself on SIGINT, they
    continue after SIGHUP, and the commands that cancel them must not be ended.
    """
    import psutil  # noqa: F401  (imported here, not in a signal handler)

    interruption = _Interruption(ends_jobs)
    wanted = [signal.SIGINT, signal.SIGTERM, _PARENT_IS_GONE, *([signal.SIGHUP] if ends_jobs else [])]
    for number in wanted:
        if number == _PARENT_IS_GONE or signal.getsignal(number) is not signal.SIG_IGN:
            with contextlib.suppress(ValueError):  # Snakemake runs in another thread of some program
                signal.signal(number, interruption)
    if "DVC_STAGE" in os.environ and (dvc := _dvc_of_this_stage()) is not None:
        _watch(dvc, lambda: os.kill(os.getpid(), _PARENT_IS_GONE))


class _Interruption:
    """The signal handler of the planning process; raises SystemExit in its main thread."""

    def __init__(self, ends_jobs: bool) -> None:
        self._ends_jobs = ends_jobs
        self._came = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._came and self._ends_jobs:
            return  # it is already ending; a second exception would interrupt the cleanup
        if not self._came:
            self._came = True
            why = "its dvc has ended" if number == _PARENT_IS_GONE else f"interrupted by {signal.Signals(number).name}"
            _say(f"the run ends: {why}; finished results are kept, start it again to continue")
            if self._ends_jobs:
                # Snakemake would otherwise report each job as failed.
                logging.getLogger("snakemake.logging").disabled = True
                threading.Thread(target=_end_jobs, daemon=True).start()
        raise SystemExit(128 + number)


def _end_jobs() -> None:
    """Ends the processes below this one, and those that are started meanwhile, until this process ends."""
    import psutil

    kill_from = time.monotonic() + _SECONDS_TO_END
    while True:
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                process.send_signal(signal.SIGTERM if time.monotonic() < kill_from else signal.SIGKILL)
        time.sleep(_SECONDS_BETWEEN_LOOKS / 5)


def _dvc_of_this_stage() -> int | None:
    """The process id of the DVC whose stage this process runs in, from DVC's own record; DVC may already be gone."""
    import psutil

    from whatif.engine.processes import owners

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

    # An ended process is listed until its parent collects its exit status.
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def _exit_now(why: str) -> None:
    try:
        _say(f"ends: {why}")
    finally:
        os._exit(1)


def _say(line: str) -> None:
    with contextlib.suppress(OSError):  # the reader may be gone, too
        clear = "\r\x1b[K" if sys.stderr.isatty() else ""  # removes the live line of a run
        os.write(sys.stderr.fileno(), f"{clear}whatif: {line}\n".encode())
