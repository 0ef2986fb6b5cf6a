"""Copies of a project that a module has finished once, for tests that change it."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

from tests.projects import Project


def copied(made: Project, folder: Path) -> Project:
    """A project in `folder` with the values and files of another, whose values name files by paths from its folder."""
    shutil.copytree(made.folder, folder, dirs_exist_ok=True)
    project = Project(folder)
    project.benchmark, project.values = made.benchmark, copy.deepcopy(made.values)
    return project
