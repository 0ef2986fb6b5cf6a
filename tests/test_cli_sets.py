"""The command line with sets of questions: in and out, beside each other, and as contact sheets."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.command_line import NAME, files, puzzle, refused, released, whatif
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.formats.c_vqa import read_released

pytestmark = pytest.mark.slow

# In and out


def test_what_is_imported_is_exported_byte_for_byte(folder: Path) -> None:
    source = released(folder / "released.csv", puzzle(3), puzzle(1), 'photo.jpg,"Is it, too?",yes,Was it?,no,boolean')
    result = whatif("import", "c-vqa", source, "ours.parquet")
    assert (result.exit_code, result.stdout) == (0, "ours.parquet: 6 questions in 3 pairs\n")
    rows = artifacts.read(Path("ours.parquet"), QUESTIONS).to_pylist()
    assert rows == sorted(read_released(source), key=lambda row: str(row["question_id"]))
    result = whatif("export", "c-vqa-csv", "new/again.csv", "--questions", "ours.parquet")
    absent = "names 3 images that were not found; give their tables with --images"
    said = f"new/again.csv: 3 pairs of questions\nnew/again.csv: {absent}\n"
    assert (result.exit_code, result.stdout) == (0, said)
    assert Path("new/again.csv").read_bytes() == source.read_bytes()
    assert set(files(folder)) == {"released.csv", "ours.parquet", "new/again.csv"}


def test_export_for_evaluation_tools_finds_the_pictures_of_our_questions(finished_folder: Path, tmp_path: Path) -> None:
    questions = artifacts.read(Path(f"data/verify/{NAME}/questions.parquet"), QUESTIONS).num_rows
    result = whatif("export", "vlmevalkit", tmp_path / "ours.tsv")
    assert (result.exit_code, result.stdout) == (0, f"{tmp_path}/ours.tsv: {questions} questions\n")
    assert (tmp_path / "ours.tsv").read_bytes().count(b"\n") == questions + 1
    result = whatif("export", "lmms-eval", tmp_path / "ours")
    assert result.exit_code == 0 and result.stdout.startswith(
        f"{tmp_path}/ours/whatif_cvqa_synthetic.yaml: {questions} questions"
    )
    assert set(files(tmp_path / "ours")) == {"whatif_cvqa_synthetic.yaml", "utils.py", "test.parquet"}


def test_export_writes_the_verified_questions_of_the_project(finished_folder: Path, tmp_path: Path) -> None:
    result = whatif("export", "c-vqa-csv", tmp_path / "ours.csv")
    said = f"{tmp_path / 'ours.csv'}: 12 pairs of questions\n{tmp_path / 'ours'}: 12 images\n"
    assert (result.exit_code, result.stdout) == (0, said)
    ours = artifacts.read(Path(f"data/verify/{NAME}/questions.parquet"), QUESTIONS).to_pylist()
    columns = ("question_id", "group", "question", "choices", "answer")
    back = sorted(read_released(tmp_path / "ours.csv"), key=lambda row: str(row["question_id"]))
    assert [[row[c] for c in columns] for row in back] == [[row[c] for c in columns] for row in ours]
    pictures = {row["pair_id"]: row["image_ids"][0] for row in ours}
    named = {json.loads(row["provenance"])["img_path"]: pictures[row["pair_id"]] for row in back}
    assert {name: hashlib.sha256(data).hexdigest() for name, data in files(tmp_path / "ours").items()} == named
    result = whatif("export", "c-vqa-csv", tmp_path / "alone.csv", "--no-pictures")
    assert result.exit_code == 0 and set(files(tmp_path)) == {"ours.csv", "alone.csv", *(f"ours/{n}" for n in named)}


@pytest.mark.parametrize("name", ["../out.png", "/out.png", "a/../../out.png"])
def test_a_picture_is_never_written_outside_the_folder(finished_folder: Path, tmp_path: Path, name: str) -> None:
    rows = artifacts.read(Path(f"data/verify/{NAME}/questions.parquet"), QUESTIONS).to_pylist()[:2]
    provenance = json.dumps({"img_path": name, "type": "abs_counting_1", "row": 1})
    # A pair's id is the stem of its picture's name in the released form.
    named = {"provenance": provenance, "pair_id": "out"}
    changed = [row | named | {"question_id": f"out-{row['variant']}"} for row in rows]
    write_artifact(tmp_path / "q.parquet", QUESTIONS, changed)
    images = next(Path(f"data/generate/{NAME}/images").glob("*.parquet"))
    arguments = ("--questions", tmp_path / "q.parquet", "--images", images)
    refusal = refused(whatif("export", "c-vqa-csv", tmp_path / "ours" / "o.csv", *arguments))
    assert "points outside the folder" in refusal
    assert [path.name for path in tmp_path.rglob("*.png")] == []


@pytest.mark.parametrize("before", [None, b"stood here before"])
def test_a_released_file_that_cannot_be_read_leaves_nothing_behind(folder: Path, before: bytes | None) -> None:
    released(folder / "bad.csv", puzzle(1), puzzle(2, options="A:1 B:2 C:3 D:4"))
    if before is not None:
        (folder / "out.parquet").write_bytes(before)
    there = files(folder)
    said = refused(whatif("import", "c-vqa", "bad.csv", "out.parquet"))
    assert said.startswith("bad.csv: line 3: query has no readable option list")
    assert files(folder) == there


def test_an_import_that_cannot_be_written_is_one_line(folder: Path) -> None:
    released(folder / "good.csv", puzzle(1))
    there = files(folder)
    message = refused(whatif("import", "c-vqa", "good.csv", "good.csv/out.parquet"))
    assert message.startswith("good.csv/out.parquet: cannot be written (")
    assert files(folder) == there


def test_an_export_that_fails_leaves_what_was_there(folder: Path) -> None:
    source = released(folder / "released.csv", puzzle(1), puzzle(2))
    write_artifact(Path("lost.parquet"), QUESTIONS, read_released(source)[:-1])
    Path("out.csv").write_text("stood here before")
    there = files(folder)
    message = refused(whatif("export", "c-vqa-csv", "out.csv", "--questions", "lost.parquet"))
    assert message.startswith("out.csv: pair puzzle_2: has no counterfactual question")
    message = refused(whatif("export", "c-vqa-csv", "out.csv", "--questions", "none.parquet"))
    assert message.startswith("none.parquet: no such artifact")
    assert files(folder) == there


# Two sets beside each other


@pytest.fixture
def two_sets(folder: Path) -> tuple[str, str]:
    """Six pairs whose right option is always B, the largest; four whose right option is C, the smallest, or D."""
    for name, rows in {
        "ours": [puzzle(number) for number in range(1, 7)],
        "theirs": [puzzle(number, right="CCCD"[number - 1]) for number in range(1, 5)],
    }.items():
        released(folder / f"{name}.csv", *rows)
        assert whatif("import", "c-vqa", f"{name}.csv", f"{name}.parquet").exit_code == 0
    return "ours.parquet", "theirs.parquet"


def cells(text: str) -> list[list[str]]:
    """The rows of Markdown tables, without headers and rules."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]


def test_audit_prints_the_shortcuts_of_each_set(two_sets: tuple[str, str]) -> None:
    result = whatif("audit", *two_sets, "--folds", "2")
    assert result.exit_code == 0
    found = {(row[0], row[1], row[2]): row[3:5] for row in cells(result.stdout)}
    for variant in ("original", "counterfactual"):
        assert found["ours.parquet", variant, "always the letter B"] == ["6", "100.0 (61.0 to 100.0)"]
        assert found["ours.parquet", variant, "always option 4 from below"] == ["6", "100.0 (61.0 to 100.0)"]
        assert found["theirs.parquet", variant, "always the letter C"] == ["4", "75.0 (30.1 to 95.4)"]
        assert found["theirs.parquet", variant, "always option 1 from below"] == ["4", "75.0 (30.1 to 95.4)"]
        assert ("theirs.parquet", variant, "random forest") in found
    assert whatif("audit", *two_sets, "--folds", "2").stdout == result.stdout


def test_audit_with_more_folds_than_pairs_is_refused(two_sets: tuple[str, str]) -> None:
    message = refused(whatif("audit", two_sets[1]))
    assert "theirs.parquet: 5 folds need as many pictures or pairs, but the original choice questions have 4" in message


def test_compare_prints_both_sets_group_by_group(two_sets: tuple[str, str]) -> None:
    result = whatif("compare", *two_sets)
    assert result.exit_code == 0
    assert re.findall(r"^### (.+)$", result.stdout, re.MULTILINE) == ["all", "dot-removal"]
    rows = cells(result.stdout)
    assert rows.count(["questions", "6", "4", "6", "4"]) == 2
    assert ["right option B (%)", "100.00", "0.00", "100.00", "0.00"] in rows
    assert ["rank of the right option 1 (%)", "0.00", "75.00", "0.00", "75.00"] in rows
    assert ["right answer, maximum", "17.00", "13.00", "17.00", "13.00"] in rows


def test_audit_and_compare_name_the_table_that_is_missing_or_another(finished_folder: Path, tmp_path: Path) -> None:
    questions, puzzles = (
        f"data/verify/{NAME}/questions.parquet",
        f"data/generate/{NAME}/puzzles/part-000-of-002.parquet",
    )
    assert refused(whatif("audit", puzzles)).startswith(f"{puzzles}: no column is recognised as a question; name it")
    assert refused(whatif("audit", "none.parquet")).startswith("none.parquet: no such file")
    assert refused(whatif("compare", questions, puzzles)).startswith(f"{puzzles}: contains the table puzzles/1")
    assert refused(whatif("compare", "none.parquet", questions)).startswith("none.parquet: no such artifact")


# Values that make no sense


def test_a_contact_sheet_that_cannot_be_written_is_one_line(finished_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    message = refused(whatif("show", NAME, "--picture", tmp_path / "file" / "x.png"))
    assert message.startswith(str(tmp_path / "file" / "x.png"))


def test_a_contact_sheet_of_more_pairs_than_there_are_shows_all_of_them(finished_folder: Path, tmp_path: Path) -> None:
    assert whatif("show", NAME, "--picture", tmp_path / "all.png", "--pairs", "12").exit_code == 0
    result = whatif("show", NAME, "--picture", tmp_path / "more.png", "--pairs", "100")
    assert (tmp_path / "more.png").read_bytes() == (tmp_path / "all.png").read_bytes()
    assert result.stdout == f"{tmp_path / 'more.png'}: 12 pairs of {NAME}\n"
