"""Commands find the project from its subfolders, and paths are those that the user typed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import whatif as package
from tests.command_line import puzzle, refused, released, whatif
from tests.defaults import ROOT
from whatif.commands.cli import COMMANDS, TypedPath, main
from whatif.engine.files.project_folder import project_folder

pytestmark = pytest.mark.slow


@pytest.fixture
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a project, in which the test runs."""
    shutil.copy2(ROOT / "params.yaml", folder)
    below = folder / "people" / "first"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return below


def test_the_nearest_folder_that_selects_benchmarks_is_the_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    inner = project / "vendor" / "tool"
    (inner / "deep").mkdir(parents=True)
    assert project_folder(inner) is None
    (project / "params.yaml").write_text("seed: 1\nbenchmarks: [coins]\n")
    assert project_folder(inner / "deep") == project == project_folder(project)
    (inner / "params.yaml").write_text("learning_rate: 1\n")  # of another tool
    assert project_folder(inner / "deep") == project
    assert project_folder(inner) == inner  # where the user is, a mistake in the file is reported


def test_commands_run_in_the_project_and_name_paths_from_where_the_user_is(inside: Path) -> None:
    assert refused(whatif("show", "cvqa-synthetic")).startswith("../../metrics/cvqa-synthetic/table7.md: not there yet")
    assert refused(whatif("show", "cvqa-sinthetic")).startswith("cvqa-sinthetic: not among the benchmarks")
    assert whatif("dvc-yaml").exit_code == 0 and (inside.parents[1] / "dvc.yaml").is_file()
    assert Path.cwd() == inside
    with (inside.parents[1] / "params.yaml").open("a") as file:
        file.write("sead: 7\n")
    assert "../../params.yaml:" in refused(whatif("status")) and "did you mean `seed`?" in refused(whatif("status"))


def test_paths_are_read_and_written_where_they_were_typed(inside: Path) -> None:
    released(inside / "released.csv", *map(puzzle, range(3)))
    assert whatif("import", "c-vqa", "released.csv", "ours.parquet").stdout == "ours.parquet: 6 questions in 3 pairs\n"
    assert whatif("show", "ours.parquet").stdout.startswith("ours.parquet: 6 rows of questions")
    done = whatif("export", "c-vqa-csv", "../ours.csv", "--questions", "ours.parquet", "--no-pictures")
    assert done.stdout == "../ours.csv: 3 pairs of questions\n"
    assert (inside.parent / "ours.csv").is_file()
    assert whatif("graph", "scenes").stdout == "graph.svg: written\n" and (inside / "graph.svg").is_file()


def test_a_path_that_is_not_there_is_named_as_it_was_typed(inside: Path) -> None:
    assert refused(whatif("audit", "nothing.parquet")).startswith("nothing.parquet: ")
    assert refused(whatif("show", "../nothing.parquet")).startswith("../nothing.parquet: ")
    assert refused(whatif("diff", "./nowhere")).startswith("./nowhere: no such folder")
    absolute = inside / "nothing.csv"
    assert refused(whatif("import", "c-vqa", str(absolute), "x.parquet")).startswith(f"{absolute}: ")


def test_paths_inside_of_messages_are_named_as_they_were_typed(inside: Path) -> None:
    released(inside / "released.csv", *map(puzzle, range(3)))
    whatif("import", "c-vqa", "released.csv", "ours.parquet")
    told = refused(whatif("audit", "ours.parquet", "--prune", "../kept.csv"))
    assert told == "--prune ../kept.csv: is written like ours.parquet, so it must end in .parquet"
    assert refused(whatif("export", "c-vqa-csv", "kept")).startswith("kept: needs a suffix, for example kept.csv; ")


def test_an_audit_from_a_subfolder_names_its_files_as_they_were_typed(inside: Path) -> None:
    released(inside / "released.csv", *map(puzzle, range(12)))
    whatif("import", "c-vqa", "released.csv", "ours.parquet")
    lines = whatif("audit", "ours.parquet", "--folds", "2", "--scores", "../scores.csv").stdout.splitlines()
    assert lines[0].startswith("ours.parquet: ") and lines[-1].startswith("../scores.csv: ")
    assert (inside.parent / "scores.csv").is_file()


def test_a_folder_where_a_file_is_wanted_is_named_as_it_was_typed(inside: Path) -> None:
    (inside / "pages").mkdir()
    done = whatif("graph", "--svg", "pages")
    assert done.exit_code == 2 and "File 'pages' is a directory." in done.stderr


def test_every_argument_that_is_a_path_is_one_that_was_typed() -> None:
    import click

    def kinds(command: click.Command) -> list[object]:
        below = command.commands.values() if isinstance(command, click.Group) else []
        return [param.type for param in command.params] + [kind for one in below for kind in kinds(one)]

    context = click.Context(main)
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        assert all(isinstance(kind, TypedPath) for kind in kinds(command) if isinstance(kind, click.Path)), name


def test_results_are_loaded_from_a_subfolder(inside: Path) -> None:
    assert "table7" in package.tables("cvqa-synthetic")
    with pytest.raises(package.WhatifError, match="not made yet"):
        package.load("cvqa-synthetic", "table7", inside)
    assert Path.cwd() == inside
