"""A disk that does not take what is only kept to save time or to be looked at: no job fails for it."""

from __future__ import annotations

import contextlib
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.graph.conftest import ALL, Project, conditions
from whatif.engine.artifacts import verified
from whatif.engine.graph.freshness import Condition
from whatif.engine.graph.run import LOG
from whatif.engine.graph.stash import SET_ASIDE
from whatif.engine.processes import locks, owners


@pytest.fixture
def no_index(project: Project) -> Project:
    """A project that cannot write its index of verified files: a file stands where its folder belongs."""
    verified.INDEX.parent.mkdir(parents=True)
    verified.INDEX.write_bytes(b"")
    return project


def test_without_an_index_all_is_made_and_then_found_fresh(no_index: Project) -> None:
    assert no_index.run() == ALL
    assert set(conditions(no_index).values()) == {Condition.FRESH}
    no_index.values["seed"] = 7
    assert no_index.run() == ALL
    no_index.values["seed"] = 2024
    assert no_index.run() == [], "all of it comes from the stash"
    assert verified.INDEX.read_bytes() == b""
    assert not SET_ASIDE.exists()


def test_an_artifact_whose_entry_cannot_be_written_is_not_set_aside(
    project: Project, shuffle_times: Callable[[], None]
) -> None:
    project.run()
    shutil.rmtree(verified.INDEX)
    verified.INDEX.write_bytes(b"")
    shuffle_times()
    assert project.run() == []
    assert not SET_ASIDE.exists()
    assert set(conditions(project).values()) == {Condition.FRESH}


def test_an_entry_that_cannot_be_renewed_is_not_believed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.run()
    file = Path("data/extract/toy/rows.parquet")
    with _full_disk():
        file.touch()
        assert verified.digest(file, lambda: "what is there now") == "what is there now"
    assert verified.digest(file, lambda: "what is there later") == "what is there later"


def test_a_log_that_is_full_fails_no_job(project: Project) -> None:
    LOG.parent.mkdir(parents=True)
    LOG.symlink_to("/dev/full")
    assert project.run() == ALL
    assert set(conditions(project).values()) == {Condition.FRESH}


def test_a_lock_is_held_though_the_disk_does_not_take_who_holds_it(project: Project) -> None:
    with _full_disk():
        held = locks.hold_checkout()
        with locks.hold_job("a job", project.messages.append):
            pass
    with pytest.raises(owners.InUseError, match="another process"):
        locks.hold_checkout()
    held.close()
    locks.hold_checkout().close()


@contextlib.contextmanager
def _full_disk() -> Iterator[None]:
    """No file takes a byte, as on a full disk; new and empty ones can be made."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
