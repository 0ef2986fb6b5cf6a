"""The files of a new project, and the folders in which none is made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.command_line import files, refused, whatif
from whatif import __version__
from whatif.commands.new_project import Names, make_project, own_files
from whatif.commands.new_project.names import LONGEST
from whatif.engine.errors import WhatifError
from whatif.engine.workflow.project_files import project_files

NAMES = Names("counting-cats")


def made(folder: Path) -> dict[str, bytes]:
    """The files of a project, without those of its git repository."""
    return {name: data for name, data in files(folder).items() if not name.startswith(".git/")}


def test_every_file_is_under_the_names_of_the_benchmark() -> None:
    found = own_files(NAMES)
    assert set(project_files()) <= set(found)
    assert {
        ".github/workflows/ci.yml",
        "CITATION.cff",
        "DATACARD.md",
        "README.md",
        "dvc.yaml",
        "params.yaml",
        "pyproject.toml",
        "src/counting_cats/py.typed",
        "src/counting_cats/steps.py",
        "tests/test_counting_cats.py",
    } <= set(found)
    for path, data in found.items():
        text = data.decode()
        assert not any(old in path or old in text for old in ("my-benchmark", "my_benchmark", "My benchmark"))
        assert not any(part in path for part in ("__pycache__", ".ruff_cache", "dot-"))
    assert b'\nTITLE = "Counting cats"\n' in found["src/counting_cats/report.py"]
    declared = tomllib.loads(found["pyproject.toml"].decode())["project"]
    assert declared["entry-points"]["whatif.benchmarks"] == {"counting-cats": "counting_cats"}
    assert declared["dependencies"] == [f"whatif-bench[pipeline]>={__version__}"]
    assert yaml.safe_load(found["params.yaml"])["benchmarks"] == ["counting-cats"]
    assert yaml.safe_load(found["CITATION.cff"])["title"] == "Counting cats"


def test_a_name_is_in_no_file_of_every_project() -> None:
    other = own_files(Names("other"))
    assert {path: other[path] for path in project_files()} == project_files()


@pytest.mark.process
def test_the_folder_is_a_git_repository_without_a_commit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "elsewhere").mkdir()
    monkeypatch.setenv("GIT_DIR", str(folder / "elsewhere"))  # as in a hook of git
    found = make_project(NAMES, folder / "new")
    assert found.in_git and found.files == len(own_files(NAMES))
    assert made(folder / "new") == own_files(NAMES)
    monkeypatch.delenv("GIT_DIR")
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder / "new", capture_output=True, check=False)
    assert done.returncode == 128 and (folder / "new" / ".git" / "HEAD").is_file()
    assert not list((folder / "elsewhere").iterdir())


@pytest.mark.process
def test_an_empty_folder_and_an_empty_repository_are_used(folder: Path) -> None:
    for name in ("empty", "repository"):
        (folder / name).mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder / "repository", check=True)
    before = files(folder / "repository")
    for name in ("empty", "repository"):
        make_project(NAMES, folder / name)
        assert made(folder / name) == own_files(NAMES)
    assert {name: data for name, data in files(folder / "repository").items() if name.startswith(".git/")} == before


def test_without_git_dvc_is_told_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    done = whatif("new", "counting-cats")
    assert done.exit_code == 0 and "no git repository: git is not installed" in done.stdout
    assert not (folder / "counting-cats" / ".git").exists()
    assert "no_scm = true" in (folder / "counting-cats" / ".dvc" / "config").read_text(encoding="utf-8")


@pytest.mark.process
def test_it_says_what_to_type_next(folder: Path) -> None:
    done = whatif("new", "counting-cats", "a folder")
    assert done.exit_code == 0 and done.stderr == ""
    assert done.stdout.startswith(
        f"a folder: {len(own_files(NAMES))} files (a git repository, nothing is committed yet)"
    )
    for line in ("  cd 'a folder'", "  pip install -e .", "  dvc repro", "  whatif show counting-cats"):
        assert line in done.stdout.splitlines()


@pytest.mark.process
def test_the_working_directory_may_be_the_folder(folder: Path) -> None:
    done = whatif("new", "counting-cats", ".")
    assert done.exit_code == 0 and "  cd " not in done.stdout and made(folder) == own_files(NAMES)
    (folder / "odd\x07name").mkdir()
    assert refused(whatif("new", "counting-cats", "odd\x07name")).startswith("odd\\x07name: is in the project")


def test_a_used_folder_is_refused_and_stays_as_it_is(folder: Path) -> None:
    (folder / "used").mkdir()
    (folder / "used" / "notes.txt").write_text("mine", encoding="utf-8")
    (folder / "file").write_text("mine", encoding="utf-8")
    (folder / "dangling").symlink_to(folder / "nowhere")
    before = files(folder)
    assert refused(whatif("new", "counting-cats", "used")) == (
        "used: is not empty (it has notes.txt); name a new folder"
    )
    assert refused(whatif("new", "counting-cats", "file")) == "file: is a file; name a new folder"
    assert refused(whatif("new", "counting-cats", "dangling")) == "dangling: is a file; name a new folder"
    assert files(folder) == before


def test_no_project_is_made_in_another_one(folder: Path) -> None:
    (folder / "params.yaml").write_text("benchmarks: [scenes]\n", encoding="utf-8")
    said = refused(whatif("new", "counting-cats"))
    assert said == f"counting-cats: is in the project {folder}; name a folder outside of it"
    assert list(files(folder)) == ["params.yaml"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(folder: Path) -> None:
    folder.chmod(0o500)
    with pytest.raises(WhatifError, match="cannot be written"):
        make_project(NAMES, folder / "new")


@pytest.mark.process
@pytest.mark.parametrize("name", ["x", "x" * LONGEST])
def test_its_code_has_its_own_style_whatever_the_length_of_the_name(name: str, tmp_path: Path) -> None:
    make_project(Names(name), tmp_path / "new")
    ruff = shutil.which("ruff") or str(Path(sys.executable).with_name("ruff"))
    for command in (["check", "--no-cache", "."], ["format", "--no-cache", "--check", "."]):
        done = subprocess.run([ruff, *command], cwd=tmp_path / "new", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
