"""`whatif publish`: a data set folder from a project whose artifacts are fresh, and one line for a mistake."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import datasets
import pytest
from rocrate.rocrate import ROCrate

from tests.command_line import NAME, files, refused, whatif
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import QUESTIONS
from whatif.formats.ro_crate import RO_CRATE

pytestmark = pytest.mark.slow
BY = ("--creator", "Ada Lovelace", "--owner", "lab", "--date", "2026-11-23")


def test_a_benchmark_is_published_twice_with_the_same_bytes(finished_folder: Path, tmp_path: Path) -> None:
    result = whatif("publish", tmp_path / "hub", *BY)
    assert result.exit_code == 0, result.stderr
    folder = tmp_path / "hub" / f"whatif-{NAME}"
    assert result.stdout.startswith(f"{folder}: 24 questions, version 0.1.0+")
    ours = artifacts.read(Path(f"data/verify/{NAME}/questions.parquet"), QUESTIONS).to_pylist()
    loaded = datasets.load_dataset(str(folder), "questions", split="test", cache_dir=str(tmp_path / "cache"))
    assert loaded["question_id"] == [row["question_id"] for row in ours]
    assert loaded["image_id"] == [row["image_ids"][0] for row in ours]
    assert loaded["choices"] == [row["choices"] for row in ours]
    assert loaded[0]["image"].size == (192, 192) and set(loaded["licence"]) == {"CC0-1.0"}
    card = (folder / "README.md").read_text(encoding="utf-8")
    for told in (
        "Seed: 2024.",
        f"| `generate.{NAME}.options` | `exchangeable` |",
        "What If the TV Was Off?",
        "| generate | pairs | 12 | 12 | 0 |",
        "| scene | 12 | accept (12) |",
        "| original | random forest | 12 |",
        "author = {{Ada Lovelace}}",
    ):
        assert told in card, told
    before = files(folder)
    shutil.rmtree(tmp_path / "cache")
    again = whatif("publish", tmp_path / "hub", "--benchmark", NAME, *BY)
    assert again.stdout == result.stdout and files(folder) == before


def test_all_private_or_a_licence_that_does_not_allow_it_is_left_out_with_a_line(
    finished_folder: Path, tmp_path: Path
) -> None:
    ours = artifacts.read(Path(f"data/verify/{NAME}/questions.parquet"), QUESTIONS, ["pair_id"]).to_pylist()
    (tmp_path / "private.txt").write_text("\n".join(row["pair_id"] for row in ours))
    result = whatif("publish", tmp_path / "hub", *BY, "--private", tmp_path / "private.txt")
    assert result.exit_code == 2 and f"{NAME}: left out: all of its pairs are private" in result.stdout
    result = whatif("publish", tmp_path / "hub", *BY, "--text-licence", f"{NAME}=unknown")
    assert result.exit_code == 2
    assert f"{NAME}: left out: the licence of its texts is unknown, which does not allow it" in result.stdout
    assert not (tmp_path / "hub").exists()


def test_an_ro_crate_needs_a_date_and_has_what_the_environment_says(finished_folder: Path, tmp_path: Path) -> None:
    refusal = refused(whatif("publish", tmp_path / "hub", "--creator", "Ada Lovelace", "--ro-crate"))
    assert refusal == "--ro-crate: an RO-Crate has a date of publication; give it with --date YYYY-MM-DD"
    assert whatif("publish", tmp_path / "hub", *BY, "--ro-crate").exit_code == 0
    folder = tmp_path / "hub" / f"whatif-{NAME}"
    libraries = json.loads((folder / "environment.json").read_text(encoding="utf-8"))["libraries"]
    found = {one["name"] for one in ROCrate(folder).get_by_type("SoftwareApplication")}
    assert found == {"whatif", *libraries} and "numpy" in libraries
    assert f"  {RO_CRATE}\n" in (folder / "SHA256SUMS").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--benchmark", "mucr"], f"mucr: not among the benchmarks of params.yaml ({NAME})"),
        (["--date", "23.11.2026"], "--date 23.11.2026: is no date; give it as YYYY-MM-DD"),
        (["--date", "2026-02-30"], "--date 2026-02-30: is no date"),
        (["--owner", "my/lab"], "--owner my/lab: is no name on the hub"),
        (["--text-licence", "CC-BY-4.0"], "--text-licence CC-BY-4.0: give NAME=LICENCE"),
        (["--private", "none.txt"], "none.txt: cannot be read"),
        (["--photographs", "params.yaml"], "params.yaml: is not JSON"),
        (["--private", "params.yaml"], "--private: "),
    ],
)
def test_mistakes(finished_folder: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    assert told in refused(whatif("publish", tmp_path / "hub", "--creator", "Ada", *arguments))
    assert not (tmp_path / "hub").exists()


def test_authors_are_needed_and_taken_from_the_project(finished_folder: Path, tmp_path: Path) -> None:
    assert "CITATION.cff: is not here; name the authors of the data with --creator" in refused(
        whatif("publish", tmp_path / "hub")
    )


def test_stale_artifacts_are_not_published(made_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made_folder, copy)
    monkeypatch.chdir(copy)
    text = Path("params.yaml").read_text(encoding="utf-8")
    Path("params.yaml").write_text(text.replace("seed: 2024", "seed: 2025"), encoding="utf-8")
    message = refused(whatif("publish", tmp_path / "hub", *BY))
    assert "is stale (" in message and "`dvc repro` or `snakemake --cores 2` makes it" in message
    assert not (tmp_path / "hub").exists()
