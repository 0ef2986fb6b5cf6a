"""The step `draw` killed ten times, at ten different images: the same bytes, and no image is drawn twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.benchmarks.mucr.drawing_project import NAME, caption_pairs, draw_jobs, drawn, given
from tests.defaults import ROOT
from tests.projects import Project
from tests.tiny_checkpoints import tiny_sdxl

pytestmark = pytest.mark.process
pytest.importorskip("diffusers")

# When each run ends: right after an image was stored, or while one is drawn; images are counted in each run.
KILLS = [(when, number) for number in (1, 2, 3, 1, 2) for when in ("stored", "drawing")]
IMAGES = 3 * 2 * 2 * 2  # pairs, sides, styles, candidates


def small(folder: Path, checkpoint: Path) -> Project:
    project = Project(folder, NAME)
    project.section("evaluate")["fine_tuning"]["models"] = []
    project.values["models"] = {"first": {"adapter": "first-option"}}
    project.section("evaluate")["fine_tuning"]["models"] = []
    project.generate.update(candidates=2, parts=1, styles=["photograph", "comic"])
    entry = {"adapter": "diffusers", "checkpoint": str(checkpoint), "steps": 2, "width": 32, "height": 32}
    project.generate["generators"] = {"tiny": entry}
    given(project, *caption_pairs(3))
    (folder / "values.json").write_text(json.dumps(project.values), encoding="utf-8")
    return project


def draw(folder: Path, when: str, number: int) -> int:
    words = [sys.executable, "-m", "tests.benchmarks.mucr.killed_drawing", str(folder), when, str(number)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    environment.pop("WHATIF_RESPONSES", None)
    ended = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr.decode()[-2000:]
    return ended.returncode


def test_the_step_is_killed_ten_times(tmp_path: Path) -> None:
    checkpoint = tiny_sdxl(tmp_path / "checkpoint")
    killed = small(tmp_path / "killed", checkpoint)
    for place, (when, number) in enumerate(KILLS, start=1):
        assert draw(killed.folder, when, number) == -signal.SIGKILL
        assert not (killed.folder / draw_jobs(killed)[0].outputs["candidates"]).exists(), f"nothing after kill {place}"
    assert draw(killed.folder, "never", 0) == 0
    log = Counter((killed.folder / "finished.log").read_text(encoding="utf-8").splitlines())
    assert len(log) == IMAGES and set(log.values()) == {1}
    whole = small(tmp_path / "whole", checkpoint)
    assert draw(whole.folder, "never", 0) == 0
    assert len(drawn(whole)) == IMAGES and whole.everything() == killed.everything()
