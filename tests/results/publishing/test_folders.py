"""A published folder is replaced as a whole, and only if it holds nothing but what whatif wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from whatif.engine.errors import WhatifError
from whatif.results.publishing.folders import SUMS, whole_folder


def write(folder: Path, **contents: str) -> None:
    with whole_folder(folder) as staging:
        for name, text in contents.items():
            (staging / "below").mkdir(exist_ok=True)
            (staging / "below" / name).write_text(text)


def test_a_later_version_replaces_an_earlier_one_and_leaves_what_git_keeps(tmp_path: Path) -> None:
    folder = tmp_path / "out" / "ours"
    write(folder, a="1", b="2")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("main")
    write(folder, b="3", c="4")
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == {".git/HEAD", "below/b", "below/c", SUMS}
    assert (folder / "below" / "b").read_text() == "3"
    assert [path.name for path in folder.parent.iterdir()] == ["ours"]


@pytest.mark.process
def test_what_a_killed_run_left_beside_it_is_removed_and_what_a_living_one_writes_is_not(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from whatif.results.publishing.folders import whole_folder\n"
        "with whole_folder(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "ours")], check=False)
    (killed,) = tmp_path.iterdir()
    with whole_folder(tmp_path / "theirs"):
        assert not killed.exists()
        (living,) = tmp_path.iterdir()
        write(tmp_path / "ours", a="1")
        assert living.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ours", "theirs"]


@pytest.mark.process
def test_sha256sum_checks_it(tmp_path: Path) -> None:
    write(tmp_path / "ours", a="1", b="2")
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=tmp_path / "ours", check=True, capture_output=True)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mine.txt", "mine.txt: was not written by `whatif publish`; move it away"),
        ("below/a", "a: was edited since `whatif publish` wrote it; move it away"),
    ],
)
def test_what_whatif_did_not_write_is_left_alone(tmp_path: Path, name: str, told: str) -> None:
    folder = tmp_path / "ours"
    write(folder, a="1")
    (folder / name).write_text("mine")
    with pytest.raises(WhatifError, match=told):
        write(folder, a="2")
    assert (folder / name).read_text() == "mine"


def test_a_folder_of_something_else_and_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    (tmp_path / "file").touch()
    for name in ("other", "file"):
        with pytest.raises(WhatifError, match=r"was not written by|is not a folder"):
            write(tmp_path / name, a="1")


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "ours"
    write(folder, a="1")
    with pytest.raises(WhatifError, match="stop"), whole_folder(folder) as staging:
        (staging / "a").write_text("2")
        raise WhatifError("stop")
    assert (folder / "below" / "a").read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]


def test_an_interrupted_replacement_is_completed_by_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "ours"
    write(folder, a="1", b="2")
    (folder / "below" / "b").write_text("of the later version")
    (folder / ".whatif-unfinished").touch()
    write(folder, a="1", b="of the later version")
    assert {path.name for path in folder.iterdir()} == {"below", SUMS}
