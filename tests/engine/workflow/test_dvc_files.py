"""Damaged files of DVC: `whatif resume` says in one line which, and how to restore it, before DVC stumbles over it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import files, refused, whatif
from tests.defaults import ROOT
from whatif.commands import recovery
from whatif.engine.errors import WhatifError
from whatif.engine.workflow.dvc_files import check_cache, check_dvc

pytestmark = pytest.mark.slow

JUNK = bytes(range(128, 256))
LOCK = b"schema: '2.0'\nstages:\n  extract:\n    cmd: snakemake\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the project's own files of DVC, in which nothing was run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    (tmp_path / ".dvc").mkdir()
    for name in ("params.yaml", "dvc.yaml", ".dvc/config"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_whole_files_are_found_whole(checkout: Path) -> None:
    (checkout / ".dvc/config.local").write_text("[cache]\n    dir = /elsewhere\n")
    for configuration in ((checkout / ".dvc/config").read_bytes(), b""):  # DVC has a default for all of it
        (checkout / ".dvc/config").write_bytes(configuration)
        before = files(checkout)
        check_dvc()
        assert files(checkout) == before


@pytest.mark.parametrize(
    ("name", "written", "said"),
    [
        (".dvc/config", JUNK, "codec can't decode byte 0x80"),
        (".dvc/config", b"\0\0\0", "matched as neither section nor keyword"),
        (".dvc/config", b"[core\nanalytics = false\n", "matched as neither section nor keyword"),
        (".dvc/config", b"[core]\n    remote\n", "at line 2."),
        (".dvc/config", b"[core]\n    analytics = maybe\n", "expected true or false"),
        (".dvc/config.local", JUNK, "codec can't decode byte 0x80"),
        (".dvc/config.local", b"[cache\n", "line 1"),
        ("dvc.yaml", JUNK, "is not valid utf-8"),
        ("dvc.yaml", b"\0\0\0", "YAML file structure is corrupted"),
        ("dvc.yaml", b"stages: [", "YAML file structure is corrupted"),
        ("dvc.yaml", b"[" * 1500, "recursion"),
        ("dvc.yaml", b"stages:\n  extract:\n    deps: [src]\n", "validation failed"),
        ("dvc.yaml", b"- extract\n", "validation failed"),
        ("dvc.yaml", b"", "has no stages"),
        ("dvc.yaml", b"stages: {}\n", "has no stages"),
        ("dvc.yaml", None, "no such file"),
    ],
)
def test_a_damaged_file_is_named_with_how_to_restore_it_and_nothing_is_touched(
    checkout: Path, name: str, written: bytes | None, said: str
) -> None:
    (checkout / ".snakemake/locks").mkdir(parents=True)
    (checkout / ".snakemake/locks/0.output.lock").touch()
    if written is None:
        (checkout / name).unlink()
    else:
        (checkout / name).write_bytes(written)
    line = refused(whatif("resume", "--entry-point", "dvc"))
    assert line.startswith(f"{name}: ")
    assert said in line
    assert ("correct or delete it" if name.endswith(".local") else f"restore it with `git restore {name}`") in line
    assert (checkout / ".snakemake/locks/0.output.lock").exists()


@pytest.mark.process
@pytest.mark.parametrize(
    ("written", "committed"),
    [
        *(
            (damaged, LOCK)
            for damaged in (b"", JUNK, b"\0\0\0", b"[" * 1500, b"stages: [\n", b"- extract\n", LOCK[:40])
        ),
        *((b"<<<<<<< HEAD\n" + LOCK, committed) for committed in (LOCK, b"stages: [\n", None)),
    ],
)
def test_a_damaged_lock_is_restored_from_git_if_git_has_a_whole_one(
    checkout: Path, written: bytes, committed: bytes | None
) -> None:
    subprocess.run(["git", "init", "--quiet"], check=True)
    (checkout / "dvc.lock").write_bytes(LOCK)
    assert recovery.clear() == []
    (checkout / "dvc.lock").unlink()
    if committed is not None:
        (checkout / "dvc.lock").write_bytes(committed)
        name = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
        subprocess.run(["git", "add", "dvc.lock"], check=True)
        subprocess.run(["git", *name, "commit", "--quiet", "--message", "a lock"], check=True)
    (checkout / "dvc.lock").write_bytes(written)
    (said,) = recovery.clear()
    assert said.startswith("dvc.lock: was damaged; ")
    assert said.endswith("the damaged copy is in .whatif/set-aside/dvc.lock")
    assert (checkout / ".whatif/set-aside/dvc.lock").read_bytes() == written
    assert ("restored from git" in said) == (committed == LOCK)
    lock = checkout / "dvc.lock"
    assert (lock.read_bytes() if lock.exists() else None) == (LOCK if committed == LOCK else None)
    assert recovery.clear() == []


def test_a_checkout_with_braces_in_its_path_needs_its_cache_elsewhere(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = checkout / "{braces}" / "project"
    shutil.copytree(checkout / ".dvc", folder / ".dvc")
    monkeypatch.chdir(folder)
    with pytest.raises(WhatifError) as raised:
        check_cache()
    assert str(raised.value).startswith(f"{folder}/.dvc/cache: DVC cannot save results in a folder whose path has ")
    (folder / ".dvc/config.local").write_text(f"[cache]\n    dir = {checkout}/cache\n")
    check_cache()
    monkeypatch.chdir(checkout)
    check_cache()
