"""Removes what a killed run leaves behind in a checkout; used only when no run is active there."""

from __future__ import annotations

import contextlib
import fcntl
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from whatif.engine.files.atomic import remove_orphans
from whatif.engine.graph.stash import SET_ASIDE
from whatif.engine.processes import owners
from whatif.engine.workflow.dvc_files import LOCK, is_whole_lock

_SNAKEMAKE = Path(".snakemake")
# Folders that may contain temporary files of whatif and DVC.
_FOLDERS = tuple(map(Path, ("data", "metrics", "site", "logs", ".whatif", ".dvc/cache", ".dvc/tmp")))


def clear() -> list[str]:
    """Removes stale locks, marks and temporary files of this checkout; returns one line for each action.

    The caller must have checked that no run is active here (`owners.check_free`) and must hold the checkout's lock.
    """
    done = [*_snakemake(), *_dvc(), *_temporary_files()]
    if journal := _roll_back():
        done.append(journal)
    return done


def _snakemake() -> Iterator[str]:
    locks = _SNAKEMAKE / "locks"
    if locks.is_dir():
        if any(locks.iterdir()):
            yield f"{locks}: removed Snakemake's lock, whose owner is gone"
        shutil.rmtree(locks)
    # Content decides which jobs are due, and no artifact appears before it is complete. Because of these marks,
    # Snakemake would delete the outputs that such a job has finished.
    marks = [mark for mark in (_SNAKEMAKE / "incomplete").rglob("*") if mark.is_file()]
    for mark in marks:
        mark.unlink()
    if marks:
        yield f"{_SNAKEMAKE / 'incomplete'}: removed {_counted(len(marks), 'mark')} of jobs that were cut off"
    for folder in _SNAKEMAKE.glob("tmp.*"):
        shutil.rmtree(folder)
        yield f"{folder}: removed, scripts of jobs"


def _dvc() -> Iterator[str]:
    record = owners.DVC_LOCKS / "rwlock"
    with _held(owners.DVC_LOCKS / "lock"), _held(owners.DVC_LOCKS / "rwlock.lock"):
        if record.exists() and not _is_empty(record):
            pids = ", ".join(map(str, sorted(owners.rwlock_pids()))) or "nobody"
            record.unlink()
            yield f"{record}: removed DVC's locks of process {pids}, which is gone"
        if LOCK.exists() and not is_whole_lock(LOCK.read_bytes()):
            place = SET_ASIDE / LOCK
            place.parent.mkdir(parents=True, exist_ok=True)
            LOCK.replace(place)
            shown = subprocess.run(["git", "show", f"HEAD:./{LOCK}"], capture_output=True, check=False)
            restored = shown.returncode == 0 and is_whole_lock(shown.stdout)
            if restored:
                LOCK.write_bytes(shown.stdout)
            how = "restored from git" if restored else "removed, DVC writes it anew"
            yield f"{LOCK}: was damaged; {how}; the damaged copy is in {place}"


def _temporary_files() -> Iterator[str]:
    for folder in _FOLDERS:
        if removed := remove_orphans(folder, "*.tmp"):
            yield f"{folder}: removed {_counted(len(removed), 'temporary file')} whose writer is gone"


def _roll_back() -> str:
    """Lets SQLite roll back the answer that was being stored; all earlier answers are intact."""
    from whatif.models.responses.store import ResponseStore, store_path

    store = store_path()
    journal = store.with_name(f"{store.name}-journal")
    if not journal.exists() or not store.exists():
        return ""
    with ResponseStore(store) as opened:
        opened.summary()  # the first read rolls back the unfinished transaction
    return "" if journal.exists() else f"{store}: took back an answer that was not stored whole"


@contextlib.contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Locks DVC out with its own lock file for a moment; raises InUseError if DVC already holds the lock."""
    if not lock.exists():
        yield
        return
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise owners.InUseError(f"dvc, which holds {lock}") from None
        yield


def _is_empty(record: Path) -> bool:
    try:
        found = json.loads(record.read_text(encoding="utf-8"))
        return isinstance(found, dict) and not any(found.values())
    except (OSError, ValueError):
        return False


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
