"""The step `draw` killed while it draws, and right after it stored an image: the same bytes, no image drawn twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.benchmarks.mucr.drawing_project import caption_pairs, draw_jobs, drawing_project, drawn, given
from tests.benchmarks.mucr.killed_drawing import draw_and_log
from tests.defaults import ROOT
from tests.projects import Project
from tests.tiny_checkpoints import tiny_sdxl

pytestmark = pytest.mark.process
pytest.importorskip("diffusers")

IMAGES = 2 * 2 * 2 * 2  # pairs, sides, styles, candidates


def small(folder: Path, checkpoint: Path) -> Project:
    entry = {"adapter": "diffusers", "checkpoint": str(checkpoint), "steps": 2, "width": 32, "height": 32}
    project = drawing_project(folder, generators={"tiny": entry})
    given(project, *caption_pairs(2))
    (folder / "values.json").write_text(json.dumps(project.values), encoding="utf-8")
    return project


def kill(project: Project, when: str, number: int) -> None:
    words = [sys.executable, "-m", "tests.benchmarks.mucr.killed_drawing", str(project.folder), when, str(number)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    environment.pop("WHATIF_RESPONSES", None)
    ended = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()[-2000:]
    assert not (project.folder / draw_jobs(project)[0].outputs["candidates"]).exists(), f"nothing after {when} {number}"


# When each run ends: right after an image was stored, or while one is drawn; images are counted in each run.
@pytest.mark.parametrize(
    "kills",
    [
        [("drawing", 2)],
        pytest.param(
            [(when, number) for number in (1, 2, 3, 1, 2) for when in ("stored", "drawing")], marks=pytest.mark.soak
        ),
    ],
    ids=lambda kills: f"{len(kills)} times",
)
def test_the_step_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: list[tuple[str, int]]) -> None:
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    checkpoint = tiny_sdxl(tmp_path / "checkpoint")
    killed, whole = (small(tmp_path / name, checkpoint) for name in ("killed", "whole"))
    for when, number in kills:
        kill(killed, when, number)
    for project in (killed, whole):
        draw_and_log(project, "never", 0)
        log = Counter(project.text("finished.log").splitlines())
        assert len(log) == IMAGES and set(log.values()) == {1}
    assert len(drawn(whole)) == IMAGES and whole.everything() == killed.everything()
