"""Temporary files and folders of two processes: neither removes what the other has just begun."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest

from whatif.engine.files import atomic


@pytest.fixture
def before_the_first_lock(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Lets something happen between the creation of a file and its lock, as another process may do."""

    def interrupt(happens: Callable[[], object]) -> None:
        real = fcntl.flock

        def flock(file: object, operation: int) -> None:
            monkeypatch.setattr(fcntl, "flock", real)
            happens()
            real(file, operation)  # type: ignore[arg-type]

        monkeypatch.setattr(fcntl, "flock", flock)

    return interrupt


def test_a_file_that_another_process_took_for_an_orphan_is_begun_again(
    tmp_path: Path, before_the_first_lock: Callable[[Callable[[], object]], None]
) -> None:
    removed: list[Path] = []
    before_the_first_lock(lambda: removed.extend(atomic.remove_orphans(tmp_path)))
    atomic.write_whole(tmp_path / "table.csv", b"1,2\n")
    assert len(removed) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
    assert (tmp_path / "table.csv").read_bytes() == b"1,2\n"


def test_a_folder_that_another_process_took_for_an_orphan_is_begun_again(
    tmp_path: Path, before_the_first_lock: Callable[[Callable[[], object]], None]
) -> None:
    def another_process() -> None:
        with atomic.temporary_folder(tmp_path):
            pass

    before_the_first_lock(another_process)
    with atomic.temporary_folder(tmp_path) as folder:
        (folder / "part").write_bytes(b"x")
        assert atomic.remove_orphans(tmp_path, "*.nothing") == []
    assert list(tmp_path.iterdir()) == []
