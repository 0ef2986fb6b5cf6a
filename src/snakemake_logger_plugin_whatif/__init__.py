"""Snakemake's messages about a run of the graph: a line for each job, or one live line on a terminal.

Snakemake finds this package by its name, and `profiles/default` selects it. A job's output goes into its log. Only the
job's result, its warnings and, if it failed, its error messages or the end of its log are shown. Snakemake's complete
messages are in `.snakemake/log`; those of the last run are also in `logs/snakemake.log`. With `--verbose`,
`--printshellcmds`, `--debug-dag` and in dry runs, the output is the same as without this package.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_whatif.display import Display, Lines, LiveLine

_FULL_LOG = Path("logs/snakemake.log")
_LONGEST_END = 20  # maximum number of lines shown from the end of a failed job's log
_LONGEST_LINE = 300  # maximum length of a progress line, in bytes
_PROGRESS = re.compile(r": \d+ of \d+ \w+ in [\d:]+, \S+ left")
_OURS = ("whatif: ", "warning: ")  # prefixes of whatif's messages and of warnings in a job's log

# Prefixes of Snakemake messages that are not informative, or that this package replaces with its own lines.
_CHATTER = (
    "Assuming unrestricted shared filesystem usage",
    "Building DAG of jobs",
    "Using shell: ",
    "Group jobs: inactive",
    "Select jobs to execute",
    "Execute ",
    "Complete log(s): ",
    "Elapsed time: ",
    "Removing output files of failed job",
    "Exiting because a job execution failed",
    "Shutting down, this might take some time",
    "Job failed, going on with independent jobs",
    "At least one job did not complete successfully",
    "WorkflowError:\nAt least one job did not complete successfully",
)
# Events that the line of a job already covers, or that appear only in the file `_FULL_LOG`.
_REPLACED = {
    LogEvent.SHELLCMD,
    LogEvent.PROGRESS,
    LogEvent.RESOURCES_INFO,
    LogEvent.WORKFLOW_STARTED,
    LogEvent.JOB_STARTED,
    LogEvent.GROUP_INFO,
    LogEvent.RULEGRAPH,
    LogEvent.DEBUG_DAG,
}


@dataclass(frozen=True)
class _Job:
    """A job that has started: its name, for example `evaluate scenes pairs clip`, and its logs."""

    name: str
    logs: tuple[Path, ...]

    def text(self) -> str:
        """The job's output so far; empty if there is no log."""
        found = (path.read_text(encoding="utf-8", errors="replace") for path in self.logs if path.is_file())
        return "".join(found)

    def progress(self) -> str:
        """The job's name, then the last line of its log if that is a progress line (`whatif.engine.progress`)."""
        with contextlib.suppress(OSError), self.logs[0].open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _LONGEST_LINE))
            last = log.read().decode(errors="replace").rstrip("\n").rpartition("\n")[2]
            if _PROGRESS.search(last):
                return f"{self.name}: {last}"
        return self.name


class LogHandler(LogHandlerBase):
    """Prints the messages of one Snakemake process to standard error."""

    def __post_init__(self) -> None:
        self._jobs: dict[int, _Job] = {}
        self._total = self._done = 0
        self._failed: set[str] = set()
        self._began = time.monotonic()
        self._display: Display | None = None
        self._full_log: logging.Handler | None = None
        settings = self.common_settings
        self._verbatim = _snakemakes_own(settings) if _wants_everything(settings) else None

    @property
    def writes_to_stream(self) -> bool:
        """True: this handler replaces Snakemake's own handler."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """False: the handler writes to a stream; `logs/snakemake.log` is an additional copy."""
        return False

    @property
    def has_filter(self) -> bool:
        """True: this handler decides which messages are shown."""
        return True

    @property
    def has_formatter(self) -> bool:
        """True: this handler formats the messages."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """False: this handler does not use the rule graph."""
        return False

    def emit(self, record: logging.LogRecord) -> None:
        """Shows one message; Snakemake calls this in the thread of its log queue."""
        try:
            if self._verbatim is not None:
                is_asked_for = _event(record) != LogEvent.WORKFLOW_STARTED or self.common_settings.verbose
                if is_asked_for and self._verbatim.filter(record):
                    self._verbatim.emit(record)
                return
            self._show(record)
            if self._full_log is not None:
                self._full_log.emit(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Removes the live line and prints how many jobs ran; Snakemake calls this when it ends."""
        if self._display is not None:
            self._display.close()
            self._display = None
            took = timedelta(seconds=round(time.monotonic() - self._began))
            failed = f", {len(self._failed)} failed" if self._failed else ""
            self._print(f"{self._done} of {self._total} jobs done{failed} in {took}; logs are in logs/")
        if self._full_log is not None:
            self._full_log.close()
            self._full_log = None
        super().close()

    def _show(self, record: logging.LogRecord) -> None:
        event = _event(record)
        if event == LogEvent.RUN_INFO:
            self._start(vars(record)["stats"])
        elif event == LogEvent.JOB_INFO:
            self._begin(record)
        elif event == LogEvent.JOB_FINISHED:
            self._finish(vars(record)["job_id"])
        elif event == LogEvent.JOB_ERROR:
            self._fail(vars(record))
        elif event == LogEvent.GROUP_ERROR:
            for values in vars(record)["job_error_info"]:
                self._fail(values)
        elif event == LogEvent.ERROR:
            self._show_error(record)
        elif event not in _REPLACED:
            message = str(record.msg or "").strip()
            if message and message != "None" and not message.startswith(_CHATTER):
                self._print(message)

    def _start(self, stats: dict[str, Any]) -> None:
        """Counts the jobs of the run, without rules that only name a target; the names of those rules have no `_`."""
        self._total = sum(count for rule, count in stats.items() if "_" in rule)
        if self._total:
            on_terminal = sys.stderr.isatty()
            self._display = LiveLine(self._total) if on_terminal else Lines(self._total)
            self._full_log = _full_log()

    def _begin(self, record: logging.LogRecord) -> None:
        values = vars(record)
        if not values["output"]:
            return
        logs = tuple(Path(path) for path in values["log"])
        # `logs/generate/scenes/part-000-of-001.log`: the job's name, with its hyphens, which a rule's name cannot have.
        name = " ".join(logs[0].with_suffix("").parts[1:]) if logs else values["rule_name"]
        job = _Job(name, logs)
        self._jobs[values["jobid"]] = job
        if self._display is not None:
            self._display.begin(job.name, job.progress)

    def _finish(self, jobid: int) -> None:
        job = self._jobs.pop(jobid, None)
        if job is None or self._display is None:
            return
        self._done += 1
        self._failed.discard(job.name)  # a retry succeeded
        *before, last = ["", *(line for line in job.text().splitlines() if line.strip())]
        for line in before:
            if line.startswith(_OURS):
                self._print(line)
        outcome = last.removeprefix(f"{job.name}: ") if last.startswith(f"{job.name}: ") else "done"
        self._display.finish(job.name, outcome)

    def _fail(self, values: Mapping[str, Any]) -> None:
        logs = tuple(Path(path.split(" ")[0]) for path in values["log"])
        job = self._jobs.pop(values["jobid"], _Job(values["rule_name"], logs))
        self._failed.add(job.name)
        lines = [line for line in job.text().splitlines() if line.strip()]
        # whatif reports errors that the user can fix in its own lines; any other error is a traceback.
        shown = [line for line in lines if line.startswith(_OURS)] or lines[-_LONGEST_END:]
        named = ", ".join(dict.fromkeys(map(str, [*job.logs, *logs])))
        self._print("\n".join([f"failed: {job.name}; its log is {named}", *shown]))
        if self._display is not None:
            self._display.drop(job.name)

    def _show_error(self, record: logging.LogRecord) -> None:
        message = str(record.msg or "").strip()
        of_a_job = "returned non-zero exit status" in message  # `_fail` reports these errors
        if message and not message.startswith(_CHATTER) and not of_a_job:
            self._print(message)

    def _print(self, text: str) -> None:
        if self._display is not None:
            self._display.line(text)
        else:
            print(text, file=sys.stderr, flush=True)


def _event(record: logging.LogRecord) -> LogEvent | None:
    event = vars(record).get("event")
    return event if isinstance(event, LogEvent) else None


def _wants_everything(settings: Any) -> bool:
    return bool(settings.dryrun or settings.verbose or settings.printshellcmds or settings.debug_dag)


def _snakemakes_own(settings: Any) -> logging.Handler:
    """The log handler that Snakemake would use without this package."""
    from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter

    wanted = (settings.quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds)
    handler = ColorizingTextHandler(
        nocolor=settings.nocolor,
        stream=sys.stdout if settings.stdout else sys.stderr,
        formatter=DefaultFormatter(settings.quiet, settings.show_failed_logs),
        filter=DefaultFilter(*wanted),
    )
    assert isinstance(handler, logging.Handler)
    return handler


def _full_log() -> logging.Handler | None:
    """A handler that writes all of Snakemake's messages about this run to one file; None if it cannot be written."""
    from snakemake.logging import DefaultFormatter

    try:
        _FULL_LOG.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(_FULL_LOG, mode="w", encoding="utf-8")
    except OSError:
        return None
    handler.setFormatter(DefaultFormatter())
    return handler
