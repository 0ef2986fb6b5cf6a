"""Writes a new project: the files of the template under the benchmark's names, those of every project, a repository.

The template is a project itself, of the benchmark `my-benchmark`, so that its files are read and checked as what they
are. A name is replaced wherever it occurs. Installers leave out files whose names begin with a dot, so the template
writes such names as `dot-NAME`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from whatif import __version__
from whatif.commands.new_project.names import Names
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.project_folder import project_folder
from whatif.engine.workflow.project_files import project_files

TEMPLATE = Path(__file__).parent / "template"
_OF_TEMPLATE = Names("my-benchmark")
_DOT = "dot-"
_ANY_VERSION = "whatif-bench[pipeline]>=0"  # a project needs at least the version that wrote it
_DVC = ".dvc/config"
_GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")  # set where git itself runs whatif


@dataclass(frozen=True)
class Made:
    """What was made: the number of files, and whether the folder is a git repository."""

    folder: Path
    files: int
    in_git: bool


def make_project(names: Names, folder: Path) -> Made:
    """Writes a project into a folder that is new or empty, and makes it a git repository if git is installed.

    A folder that has nothing but a git repository counts as empty. Nothing is committed.

    Raises WhatifError when the folder is used, is part of another project, or cannot be written.
    """
    _check(folder)
    git = shutil.which("git")
    in_git = git is not None or (folder / ".git").exists()
    files = own_files(names)
    if not in_git:
        files[_DVC] = files[_DVC].replace(b"[core]\n", b"[core]\n    no_scm = true\n")
    for path, data in files.items():
        write_whole(folder / path, data, durable=False)
    if git is not None and not (folder / ".git").exists():
        _initialise(git, folder)
    return Made(folder, len(files), in_git)


def own_files(names: Names) -> dict[str, bytes]:
    """The files of a project by their paths, sorted."""
    found = dict(project_files())
    for file in _template_files():
        path = file.relative_to(TEMPLATE).as_posix()
        path = f".{path.removeprefix(_DOT)}" if path.startswith(_DOT) else path
        found[_named(path, names)] = _named(file.read_text(encoding="utf-8"), names).encode()
    return dict(sorted(found.items()))


def _template_files() -> Iterator[Path]:
    """The files of the template, without what tools may have left there."""
    for file in TEMPLATE.rglob("*"):
        inner = file.relative_to(TEMPLATE).parts
        if file.is_file() and not any(part.startswith(".") or part == "__pycache__" for part in inner):
            yield file


def _named(text: str, names: Names) -> str:
    """A text or path of the template under other names, and with the version of the running whatif."""
    for old, new in (
        (_ANY_VERSION, f"{_ANY_VERSION.removesuffix('0')}{__version__}"),
        (_OF_TEMPLATE.benchmark, names.benchmark),
        (_OF_TEMPLATE.package, names.package),
        (_OF_TEMPLATE.title, names.title),
    ):
        text = text.replace(old, new)
    return text


def _check(folder: Path) -> None:
    if (folder.exists() or folder.is_symlink()) and not folder.is_dir():
        raise WhatifError(f"{folder}: is a file; name a new folder")
    if folder.is_dir() and (found := sorted({path.name for path in folder.iterdir()} - {".git"})):
        raise WhatifError(f"{folder}: is not empty (it has {found[0]}); name a new folder")
    if (around := project_folder(folder.absolute().parent)) is not None:
        raise WhatifError(f"{folder}: is in the project {around}; name a folder outside of it")


def _initialise(git: str, folder: Path) -> None:
    """Makes a folder a git repository. Raises WhatifError when git cannot."""
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES}
    command = [git, "-c", "init.defaultBranch=main", "init", "--quiet"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise WhatifError(f"{folder}: git cannot make a repository ({' '.join(done.stderr.split())}); run `git init`")
