"""The record of the default run names the source that is in the tree."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
_SOURCE = "src/whatif"


@pytest.mark.process
def test_dvc_lock_records_the_source_of_the_tree() -> None:
    """DVC's hash of a folder is that of a list of its files; files that git does not track are in no clone."""
    tracked, ignored = _listed(), _listed("--ignored", "--cached", "--exclude-from=.dvcignore")
    files = sorted(Path(name).relative_to(_SOURCE).as_posix() for name in tracked - ignored)
    entries = [
        {"md5": hashlib.md5((ROOT / _SOURCE / name).read_bytes()).hexdigest(), "relpath": name} for name in files
    ]
    md5 = hashlib.md5(json.dumps(entries, sort_keys=True).encode()).hexdigest()
    lock = yaml.safe_load((ROOT / "dvc.lock").read_text(encoding="utf-8"))
    recorded = {
        (dep["md5"], dep["nfiles"])
        for stage in lock["stages"].values()
        for dep in stage.get("deps", ())
        if dep["path"] == _SOURCE
    }
    assert recorded == {(f"{md5}.dir", len(files))}, "record `dvc repro` of a clean clone"


def _listed(*arguments: str) -> set[str]:
    command = ["git", "ls-files", "-z", *arguments, _SOURCE]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode:
        pytest.skip("needs a git checkout")
    return set(filter(None, ended.stdout.split("\0")))
