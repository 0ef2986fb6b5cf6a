"""What the tests of the command line share: how it is called, and projects that it is called in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from tests.defaults import puzzles_and_baselines
from whatif.benchmarks.site import SITE
from whatif.commands.cli import main

NAME = "cvqa-synthetic"
STAGES = ("extract", "generate", "filter", "verify", "evaluate", "aggregate")
HEADER = "img_path,query,answer,new query,new answer,type"


def whatif(*arguments: str | Path) -> Result:
    """Runs a command as `whatif` would; its exit code, standard output and standard error."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="whatif")


def refused(result: Result) -> str:
    """The one line that was said when a command ended with exit code 2, without `whatif: `."""
    assert isinstance(result.exception, SystemExit), result.exception
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("whatif: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr.removeprefix("whatif: ").rstrip("\n")


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder and below, hidden ones too, but for what is noted in `.whatif`."""
    found = {str(file.relative_to(folder)): file for file in folder.rglob("*") if file.is_file()}
    return {name: file.read_bytes() for name, file in found.items() if not name.startswith(".whatif/")}


def puzzle(number: int, right: str = "B", options: str = "A:16  B:17  C:12  D:13") -> str:
    """A row of a C-VQA-Synthetic file."""
    asked = f"How many dots are there? Select the correct answer:{options}"
    what_if = f"How many dots would be left if {number} were removed? Select the correct answer:{options}"
    return f"puzzle_{number}.png,{asked},{right},{what_if},{right},abs_counting_4"


def released(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_text("".join(f"{line}\n" for line in (header, *rows)), encoding="utf-8", newline="\n")
    return path


def write_small_params(folder: Path) -> None:
    values = puzzles_and_baselines()
    values["generate"][NAME].update(puzzles_per_template=2, shards=2, image_size=192)
    values["aggregate"][NAME].update(audit_folds=2)
    (folder / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")


@pytest.fixture
def unmade_folder(folder: Path) -> Path:
    """A project in which nothing was made yet."""
    write_small_params(folder)
    return folder


@pytest.fixture(scope="module")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of twelve puzzles whose six stages, and its site, were run one by one from the command line."""
    folder = tmp_path_factory.mktemp("made")
    write_small_params(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for stage, benchmark in (*((stage, NAME) for stage in STAGES), ("aggregate", SITE)):
            result = whatif(stage, benchmark)
            assert result.exit_code == 0, result.stderr
            assert f"{stage} {benchmark}" in result.stderr and "computed in" in result.stderr
            assert result.stdout == ""
    return folder


@pytest.fixture
def finished_folder(made_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The project that was made; it must be the same afterwards."""
    monkeypatch.chdir(made_folder)
    before = files(made_folder)
    yield made_folder
    assert files(made_folder) == before
