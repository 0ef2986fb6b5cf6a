"""The 3,000 rows that the authors of C-VQA released; their images are drawn here, since they are not in the file."""

from __future__ import annotations

import io
import os
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from tests.benchmarks.cvqa_synthetic_released.small import BEFORE_MODELS, NAME
from tests.defaults import puzzles_and_baselines
from tests.projects import Project
from tests.published import numbers
from whatif.engine.errors import WhatifError
from whatif.formats.c_vqa import SYNTHETIC_GROUPS, read_good_rows, read_released

pytestmark = pytest.mark.slow

PUZZLES = 3_000


@pytest.fixture
def released() -> Path:
    folder = os.environ.get("WHATIF_DATA")
    if not folder:
        pytest.skip("WHATIF_DATA does not point to the folder with the released C-VQA files")
    return Path(folder) / "c-vqa" / "C-VQA-Synthetic_questions.csv"


@pytest.fixture
def project(project: Project, released: Path) -> Project:
    project.values = puzzles_and_baselines()
    project.select(NAME)
    (project.folder / "pictures").mkdir()
    project.values["models"] = {"first-option": {"adapter": "first-option"}}
    project.section("extract").update(questions=str(released), image_folder=str(project.folder / "pictures"))
    return project


def draw(folder: Path, numbers_of_puzzles: range) -> None:
    """A small image for each puzzle, all different."""
    for number in numbers_of_puzzles:
        out = io.BytesIO()
        Image.new("RGB", (4, 4), (number % 256, number // 256, 99)).save(out, "PNG")
        (folder / f"abs_counting_{number:06d}.png").write_bytes(out.getvalue())


def test_every_row_is_good(released: Path) -> None:
    good = read_good_rows(released, SYNTHETIC_GROUPS)
    assert good.rejections == [] and good.questions == read_released(released)
    assert len(good.questions) == 2 * PUZZLES


def test_without_pictures_the_error_says_where_they_belong(project: Project) -> None:
    told = (
        r"none of 3,000 pictures is left: picture missing \(3,000\); for example abs_counting_000001\.png: .*; give "
        rf"the folder of the released images as extract\.{NAME}\.image_folder"
    )
    with pytest.raises(WhatifError, match=told):
        project.make("extract")
    assert not list(project.folder.rglob("*.parquet"))


@pytest.mark.soak
def test_with_most_pictures_the_whole_graph_runs_and_loses_no_pair(project: Project) -> None:
    draw(project.folder / "pictures", range(1, PUZZLES + 1))
    (project.folder / "pictures" / "abs_counting_000007.png").unlink()
    project.make()
    assert len(project.rows("extract", "images")) == PUZZLES - 1
    (missing,) = project.rows("filter", "rejections")
    assert (missing["item_id"], missing["reason"]) == ("abs_counting_000007", "no picture")
    assert project.rows("verify", "rejections") == []
    questions = project.rows("verify", "questions")
    assert len(questions) == 2 * (PUZZLES - 1)
    assert all(len(row["choices"]) == len(set(row["choices"])) == 4 for row in questions)
    judged = Counter((row["annotator"], row["decision"], row["comment"]) for row in judgements(project))
    assert judged == {(f"automatic:{check}", "accept", ""): PUZZLES - 1 for check in ("options", "wording", "answers")}
    folder = project.folder / "metrics" / NAME
    best = numbers(folder / "shortcuts.csv", rule="rank", variant="original")
    assert (best["choice"].item(), best["value"].item()) == ("2", pytest.approx(47.6, abs=0.1))
    counts = numbers(folder / "counted.csv", variant="counterfactual", template="dot-removal", source="")
    assert dict(zip(counts["measure"], counts["value"], strict=True)) == {
        "questions": 500,
        "listed": 45,
        "right option": 0,
        "wrong option": 45,
    }
    accuracy = numbers(folder / "table7.csv", model="first-option", measure="accuracy")
    assert list(accuracy["value"]) == [pytest.approx(24.8, abs=0.1), pytest.approx(24.9, abs=0.1)]


def judgements(project: Project) -> list[dict[str, str]]:
    return project.rows("verify", "judgements")


def test_the_stages_before_models_make_the_same_bytes_again(project: Project) -> None:
    draw(project.folder / "pictures", range(1, 40))
    project.make(*BEFORE_MODELS)
    before = project.everything()
    for path in project.folder.glob("data/**/*.parquet"):
        path.unlink()
    project.run(*BEFORE_MODELS)
    assert project.everything() == before
