"""Draws candidates in a process that kills itself: `python -m tests.benchmarks.mucr.killed_drawing FOLDER WHEN NUMBER`.

WHEN is `stored` (right after image NUMBER of this run was stored), `drawing` (while it is drawn) or `never`. Each
finished image is a line of `finished.log`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.mucr.drawing_project import NAME, draw_jobs
from tests.projects import Project
from whatif.models.responses.store import ResponseStore
from whatif.models.text_to_image.diffusers_generator import DiffusersImages


def draw_and_log(project: Project, when: str, number: int) -> None:
    """Runs the step; it ends as WHEN and NUMBER say."""
    finished = 0
    draw, put = DiffusersImages._drawn, ResponseStore.put

    def drawn(self: DiffusersImages, requests: Any) -> Any:
        nonlocal finished
        if when == "drawing" and finished == number - 1:
            # Within the pipeline, between two steps.
            self.pipeline.scheduler.step = lambda *values, **more: os.kill(os.getpid(), signal.SIGKILL)
        found = draw(self, requests)
        finished += 1
        with (project.folder / "finished.log").open("a", encoding="utf-8") as log:
            log.write(f"{requests[0].prompts[0]} {requests[0].seed}\n")
        return found

    def stored(self: ResponseStore, *values: Any) -> Any:
        kept = put(self, *values)
        if when == "stored" and finished == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return kept

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DiffusersImages, "_drawn", drawn)
        patch.setattr(ResponseStore, "put", stored)
        project.run_jobs(draw_jobs(project))


if __name__ == "__main__":
    of_folder = Project(Path(sys.argv[1]), NAME)
    of_folder.values = json.loads(of_folder.text("values.json"))
    draw_and_log(of_folder, sys.argv[2], int(sys.argv[3]))
