"""Active runs in a checkout: living processes of runs, and locks that are held.

A lock's record names its writer, but the writer may be dead: process ids are reused after a restart of the machine. So
a process counts if it runs one of our programs in this checkout, and a lock counts if the system reports it as held.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from whatif.engine.errors import WhatifError
from whatif.engine.params.base import STAGES

if TYPE_CHECKING:
    import psutil

DVC_LOCKS = Path(".dvc/tmp")
# Options of `dvc repro` that do not leave out stages.
_OF_ALL_STAGES = {"--force", "-f", "--keep-going", "-k", "--quiet", "-q", "--verbose", "-v", "-vv", "--no-commit"}
_LONGEST_COMMAND = 80  # characters of a command in a message


class InUseError(WhatifError):
    """Another run is active in this checkout."""

    exit_code = 1

    def __init__(self, who: str, instead: str = "work in another clone") -> None:
        super().__init__(f"this checkout is in use: {who}; wait until it has ended, or {instead}")


@dataclass(frozen=True)
class Running:
    """A living process of a run: the words of its command without the interpreter, and its start in local time."""

    pid: int
    words: tuple[str, ...]
    since: str
    left_behind: bool  # its parent is gone

    def __str__(self) -> str:
        command = " ".join(self.words)
        if len(command) > _LONGEST_COMMAND:
            command = f"{command[:_LONGEST_COMMAND]}..."
        orphan = ", left behind by a run that was killed" if self.left_behind else ""
        return f"process {self.pid} ({command}) since {self.since}{orphan}"


def running(root: Path) -> list[Running]:
    """The processes on this machine that run dvc, snakemake or a stage in the checkout at `root`, oldest first.

    Excludes the calling process and its ancestors, and processes of other users, whose working directory cannot be
    read; those are known by their locks.
    """
    import psutil

    own = _own_process_ids()
    found = [
        process
        for process in psutil.process_iter()
        if process.pid not in own and _is_of_a_run(process) and _checkout_of(process) == root.resolve()
    ]
    return sorted((_describe(process) for process in found), key=lambda one: (one.since, one.pid))


def dvc_run(root: Path) -> Running | None:
    """The living `dvc repro` or `dvc exp run` of this checkout, unless the calling process is part of it.

    Checks only the processes named in DVC's own records, which is fast.
    """
    named = {pid for pid in {*_pids_of_lock(DVC_LOCKS / "lock"), *rwlock_pids()} if _lives(pid)}
    if not named:
        return None
    import psutil

    for pid in sorted(named - _own_process_ids()):
        try:
            process = psutil.Process(pid)
        except psutil.Error:
            continue
        command = command_of(command_line(process))
        plans = command[:2] == ("dvc", "repro") or command[:3] == ("dvc", "exp", "run")
        if plans and _is_of_a_run(process) and _checkout_of(process) in (None, root.resolve()):
            return _describe(process)
    return None


def whole_repro() -> str | None:
    """The `dvc repro` of all stages that started the calling process, so that every later stage will follow.

    Its process id and start, as a name of this one run. None in case of doubt: with a target or an unknown
    option, and if a stage is frozen.
    """
    if "DVC_STAGE" not in os.environ:
        return None
    import psutil

    for parent in psutil.Process().parents():
        command = command_of(command_line(parent))
        if command[:1] == ("dvc",):
            is_whole = command[:2] == ("dvc", "repro") and set(command[2:]) <= _OF_ALL_STAGES
            return f"{parent.pid} {parent.create_time()}" if is_whole and not _is_a_stage_frozen() else None
    return None


def _is_a_stage_frozen() -> bool:
    import yaml

    try:
        stages = yaml.safe_load(Path("dvc.yaml").read_text(encoding="utf-8"))["stages"]
        return any(stages[name].get("do", stages[name]).get("frozen", False) for name in STAGES if name in stages)
    except (OSError, ValueError, yaml.YAMLError, LookupError, TypeError, AttributeError):
        return True


def check_free(root: Path) -> None:
    """Raises InUseError, in one line, when a run is active in the checkout at `root`, on this machine or another."""
    found = running(root)
    if found:
        others = [str(one.pid) for one in found[1:]]
        more = f", and with it {', '.join(others)}" if others else ""
        # An orphan has no terminal from which it could be stopped.
        end_it = f"end it: kill {' '.join(str(one.pid) for one in found)}"
        raise InUseError(f"{found[0]}{more}", *([end_it] if found[0].left_behind else []))
    for lock in [*sorted(Path(".whatif/locks").glob("*.lock")), DVC_LOCKS / "lock", DVC_LOCKS / "rwlock.lock"]:
        if is_held(lock):
            raise InUseError(f"{lock} is held by {_holder(lock)}")


def is_held(lock: Path) -> bool:
    """Whether a living process holds this lock file, on any machine whose locks the file system shows."""
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def rwlock_pids() -> set[int]:
    """The process ids in DVC's record of readers and writers, living or not."""
    try:
        record = json.loads((DVC_LOCKS / "rwlock").read_text(encoding="utf-8"))
        readers = [reader for infos in record.get("read", {}).values() for reader in infos]
        return {int(info["pid"]) for info in [*readers, *record.get("write", {}).values()]}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return set()


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # owned by another user
        return True
    return pid > 0


def _pids_of_lock(lock: Path) -> set[int]:
    try:
        return {int(word) for word in lock.read_text(encoding="utf-8").split()}
    except (OSError, ValueError):
        return set()


def _holder(lock: Path) -> str:
    written = lock.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    if not written:
        return "another process"
    return f"process {written[0]} (dvc)" if written[0].isdigit() else written[0]


def _own_process_ids() -> set[int]:
    import psutil

    return {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}


def _is_of_a_run(process: psutil.Process) -> bool:
    command = command_of(command_line(process))
    is_stage = command[:1] != ("whatif",) or command[1:2] in [(stage,) for stage in (*STAGES, "make")]
    return bool(command) and is_stage and "daemon" not in command[:2]


def command_line(process: psutil.Process) -> Sequence[str]:
    """The words with which a process was started; none if it has ended."""
    import psutil

    try:
        # An ended process whose parent has not collected its exit status has no command line.
        words = process.cmdline()
    except psutil.Error:
        return ()
    # A fork of the job server has written its command over that of the server: one text, and nothing after it.
    return words[0].split() if words and not any(words[1:]) else words


def command_of(command_line: Sequence[str]) -> tuple[str, ...]:
    """The command without its interpreter and folders; empty unless it is dvc, snakemake or whatif."""
    rest = iter(command_line)
    for program in _program(rest):
        if program in ("dvc", "snakemake", "whatif"):
            return (program, *rest)
    return ()


def _program(command_line: Iterator[str]) -> Iterator[str]:
    """The name of the program that a command starts, consuming the words up to there."""
    first = Path(next(command_line, "")).name
    if not first.startswith("python"):
        yield first
        return
    for word in command_line:
        if word == "-c":
            return
        if word == "-m":
            yield next(command_line, "")
            return
        if not word.startswith("-"):
            yield Path(word).parent.name if Path(word).name == "__main__.py" else Path(word).name
            return


def _checkout_of(process: psutil.Process) -> Path | None:
    """The checkout that a process works in; None if its working directory cannot be read (another user's process)."""
    import psutil

    try:
        folder = Path(process.cwd())
    except psutil.AccessDenied:
        return None
    except psutil.Error:
        return Path("/")
    for place in (folder, *folder.parents):
        if (place / "dvc.yaml").is_file() or (place / ".dvc").is_dir() or (place / "Snakefile").is_file():
            return place
    return folder


def _describe(process: psutil.Process) -> Running:
    import psutil

    command = command_of(command_line(process))
    try:
        since = datetime.fromtimestamp(process.create_time()).astimezone().isoformat(timespec="seconds")
        parent = process.parent()
        left_behind = parent is None or parent.pid == 1
    except psutil.Error:
        since, left_behind = "a moment ago", False
    return Running(process.pid, command, since, left_behind)
