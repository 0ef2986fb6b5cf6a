"""The files that every project of whatif has, whatever its benchmarks: Snakefile, profiles, settings of DVC and git.

`params.yaml` and `dvc.yaml` are not among them: the first is the project's own, the second follows from it.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
# Installers leave out files whose names begin with a dot.
_HIDDEN = {
    "dvc/gitignore": ".dvc/.gitignore",
    "dvc/config": ".dvc/config",
    "dvcignore": ".dvcignore",
    "gitignore": ".gitignore",
}


def project_files() -> dict[str, bytes]:
    """The files by their paths in a project, sorted."""
    found = {_in_project(file): file.read_bytes() for file in HERE.rglob("*") if _is_data(file)}
    return dict(sorted(found.items()))


def _is_data(file: Path) -> bool:
    return file.is_file() and file.suffix not in (".py", ".pyc")


def _in_project(file: Path) -> str:
    path = file.relative_to(HERE).as_posix()
    return _HIDDEN.get(path, f".{path}" if path.startswith("dvc/") else path)
