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


def test_dvc_lock_records_the_source_of_the_tree() -> None:
    """DVC's hash of a folder is that of a list of its files; files that git does not track are in no clone."""
    listed = subprocess.run(["git", "ls-files", "-z", _SOURCE], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("needs a git checkout")
    files = sorted(Path(name).relative_to(_SOURCE).as_posix() for name in listed.stdout.split("\0") if name)
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
    assert recorded == {(f"{md5}.dir", len(files))}, (
        "dvc.lock is of another source; record `dvc repro` in a clean clone"
    )
