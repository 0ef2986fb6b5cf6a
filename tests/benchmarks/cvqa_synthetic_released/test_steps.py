"""The released puzzles through the graph: what is rejected and why, the same numbers as ours, and ours beside them."""

from __future__ import annotations

import shutil
from collections import Counter
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.benchmarks.copies import copied
from tests.benchmarks.cvqa_synthetic_released.small import BEFORE_MODELS, NAME, OURS, pictures, puzzles, small, write
from tests.projects import Project
from tests.published import numbers
from tests.tiny_checkpoints import tiny_text_model
from whatif.commands.notebook import load, tables
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import Condition, State
from whatif.engine.graph.staleness import remarks

pytestmark = pytest.mark.slow

ID = "abs_counting_{:06d}"


@pytest.fixture
def project(project: Project) -> Project:
    return small(project)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished project with our puzzles beside the released ones, which no test changes."""
    project = small(Project(tmp_path_factory.mktemp("made")), OURS)
    project.make()
    return project


@pytest.fixture(scope="module")
def alone(made: Project) -> Project:
    """The finished project, of which the rows of the released puzzles alone are read."""
    project = Project(made.folder)
    project.benchmark, project.values = NAME, {**made.values, "benchmarks": [NAME]}
    return project


@pytest.fixture
def finished(made: Project, folder: Path) -> Project:
    return copied(made, folder)


def rejected(project: Project, stage: str, role: str = "rejections") -> dict[str, str]:
    return {row["item_id"]: row["reason"] for row in project.rows(stage, role)}


def csv_of(project: Project, name: str, **where: str) -> Any:
    return numbers(project.folder / "metrics" / NAME / f"{name}.csv", **where)


def test_released_puzzles_become_the_questions_that_they_were(alone: Project) -> None:
    found = {row["question_id"]: row for row in alone.rows("verify", "questions")}
    wanted = {row["question_id"]: row for row in puzzles()}
    assert len(found) == len(wanted) == 48
    same = ("pair_id", "group", "variant", "question", "choices", "answer", "answer_kind", "image_ids")
    assert all(found[key][name] == row[name] for key, row in wanted.items() for name in same)
    assert len(alone.rows("extract", "images")) == 24
    asked = alone.rows("evaluate", "predictions")
    assert Counter(row["model"] for row in asked) == {"random": 48, "first-option": 48, "majority": 48}
    judged = alone.rows("verify", "judgements")
    assert {(row["annotator"], row["decision"]) for row in judged} == {
        (f"automatic:{check}", "accept") for check in ("options", "wording", "answers")
    }
    funnel = csv_of(alone, "funnel")
    assert list(funnel["value"]) == [24, 24, 0] * 4 + [48, 48, 0] * 3
    assert list(funnel["stage"].unique())[:3] == ["extract", "filter", "verify"]


def test_the_tables_are_those_of_our_puzzles_and_the_checks(alone: Project) -> None:
    report = alone.published("report.md")
    assert report.startswith("# C-VQA-Synthetic as released")
    accuracy = csv_of(alone, "table7", source="ours", measure="accuracy", model="first-option", variant="original")
    right = [row["answer"] == "A" for row in puzzles() if row["variant"] == "original"]
    assert list(accuracy["value"]) == [pytest.approx(100 * sum(right) / 24, abs=1e-4)]
    pairs = csv_of(alone, "checks", measure="pairs")
    assert dict(zip(pairs["template"], pairs["value"], strict=True)) == {
        **dict.fromkeys({row["group"] for row in puzzles()}, 4),
        "all": 24,
    }
    items = alone.rows("aggregate", "items")
    assert len(items) == 24
    assert {item["group"] for item in items if "table-2" in item["views"]} == {row["group"] for row in puzzles()}


def test_what_is_missing_bad_repeated_or_contradictory_is_rejected_with_its_reason(project: Project) -> None:
    rows = puzzles()
    of_group = {row["group"]: row for row in rows if row["variant"] == "original"}
    unread = next(row for row in rows if row["pair_id"] == ID.format(4) and row["variant"] == "original")
    unread["question"] = "What is the number of flowers?"
    other = of_group["dot-columns"]
    other["question"] = "How many dots do a circle contain at most?"
    removal = of_group["dot-removal"]["pair_id"]
    wrong = next(row for row in rows if row["pair_id"] == removal and row["variant"] == "counterfactual")
    wrong["answer"] = next(letter for letter in "ABCD" if letter != wrong["answer"])
    lines = write(project.folder, rows).read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].replace("  D:", " D:")
    lines[2] = lines[2].replace(",abs_counting_1", ",abs_counting_9")
    fields = lines[3].split(",")
    fields[2] = "E"
    lines[3:4] = [",".join(fields)]
    lines += [lines[4], "photo.jpg,How many cats?,2,How many cats if one left?,1,direct"]
    write(project.folder, rows, lambda text: "\n".join([*lines, ""]))
    folder, (first, missing, bad, again) = project.folder / "C-VQA-Synthetic", map(ID.format, (5, 6, 7, 8))
    (folder / f"{missing}.png").unlink()
    (folder / f"{bad}.png").write_bytes(b"no picture")
    with Image.open(folder / f"{first}.png") as picture:  # the same pixels in other bytes
        picture.save(folder / f"{again}.png", compress_level=0)
    project.make()
    assert rejected(project, "extract") == {
        "line-000002": "unreadable options",
        "line-000003": "unknown type",
        "line-000004": "unknown answer",
        "line-000026": "duplicate",
        "line-000027": "other type",
    }
    assert rejected(project, "extract", "pictures") == {
        f"{missing}.png": "picture missing",
        f"{bad}.png": "picture unreadable",
        f"{again}.png": "same picture",
    }
    assert len(project.rows("extract", "images")) == 18
    assert len(project.rows("extract", "questions")) == 42
    found = project.rows("filter", "rejections")
    assert [(row["item_id"], row["reason"]) for row in found] == [
        (missing, "no picture"),
        (bad, "no picture"),
        (again, "same picture"),
    ]
    assert found[-1]["detail"] == f"shows the same picture as {first}"
    assert rejected(project, "verify") == {
        wrong["pair_id"]: "failed the check of its answers",
        other["pair_id"]: "failed the check of its wording",
    }
    comments = {(row["item_id"], row["annotator"]): row["comment"] for row in project.rows("verify", "judgements")}
    assert comments[unread["pair_id"], "automatic:wording"].startswith("not checked: original: `What is the number")
    assert comments[unread["pair_id"], "automatic:answers"] == "not checked: the wording cannot be relied on"
    assert len(project.rows("verify", "questions")) == 32
    for unit, counts in {"rows": [26, 21, 5], "pictures": [21, 18, 3]}.items():
        assert list(csv_of(project, "funnel", stage="extract", unit=unit)["value"])[:3] == counts
    table = csv_of(project, "checks", template="all")
    told = {(row.check, row.measure): row.value for row in table.itertuples() if row.value and row.check}
    assert told == {
        ("wording", "contradiction"): 1,
        ("wording", "not checked"): 1,
        ("answers", "contradiction"): 1,
        ("answers", "not checked"): 2,
    }


def test_the_same_question_about_the_same_picture_is_one_pair(project: Project) -> None:
    rows = puzzles()
    first, second = "abs_counting_000001", "abs_counting_000002"
    asked = {row["variant"]: row for row in rows if row["pair_id"] == first}
    for row in rows:
        if row["pair_id"] == second:
            row["question"] = asked[row["variant"]]["question"]
    write(project.folder, rows)
    folder = project.folder / "C-VQA-Synthetic"
    shutil.copy(folder / f"{first}.png", folder / f"{second}.png")
    project.make("extract", "filter")
    (row,) = project.rows("filter", "rejections")
    assert (row["item_id"], row["reason"]) == (second, "same question")
    assert row["detail"] == f"shows the same picture as {first}, with the same questions"


@pytest.mark.parametrize("inside", ["C-VQA-Synthetic", "C-VQA-Synthetic/C-VQA-Synthetic"])
@pytest.mark.parametrize("named", ["", "C-VQA-Synthetic/"])
def test_a_folder_inside_a_folder_of_its_name_is_found(project: Project, inside: str, named: str) -> None:
    outer = project.folder / "unpacked"
    place = outer / inside
    place.parent.mkdir(parents=True)
    shutil.move(project.folder / "C-VQA-Synthetic", place)
    if named:
        write(project.folder, puzzles(), lambda text: text.replace("\nabs_counting_", f"\n{named}abs_counting_"))
    for folder in (outer, place):
        project.section("extract")["image_folder"] = str(folder)
        project.run("extract", "filter")
        assert rejected(project, "extract", "pictures") == rejected(project, "filter") == {}
        assert len(project.rows("extract", "images")) == 24


def test_ours_beside_the_released_puzzles(made: Project) -> None:
    frame = csv_of(made, "table7", measure="accuracy", variant="counterfactual")
    theirs, own = (frame[frame["source"] == source] for source in ("ours", "ours, own puzzles"))
    assert list(theirs["model"]) == list(own["model"]) == ["first-option", "majority", "random"]
    with_ours = numbers(made.folder / "metrics" / OURS / "table7.csv", measure="accuracy", source="ours")
    counterfactuals = with_ours[with_ours["variant"] == "counterfactual"]
    assert [list(own[name]) for name in ("value", "low")] == [list(counterfactuals[name]) for name in ("value", "low")]
    text = " ".join(made.published("table7.md").split())
    assert "ours, own puzzles" in text and "of the benchmark cvqa-synthetic" in text
    assert "own puzzles" not in made.text(f"metrics/{OURS}/table7.md")
    assert "own puzzles" not in made.published("accuracy.csv")
    assert set(made.metrics) == {"random", "first-option", "majority"}


def stale(project: Project) -> dict[str, State]:
    return {job.name: state for job, state in project.states().items() if state.condition is not Condition.FRESH}


def test_what_changes_in_ours_makes_the_released_report_stale_and_nothing_else(finished: Project) -> None:
    assert remarks(finished.graph, NAME) == []
    finished.values["aggregate"][OURS]["confidence"] = 0.9
    assert set(stale(finished)) == {f"aggregate {OURS}", f"aggregate {NAME}"}
    heading, reason = remarks(finished.graph, NAME)
    assert heading.startswith("STALE") and f"aggregate.{OURS}.confidence: 0.95 -> 0.9" in reason
    finished.values["aggregate"][OURS]["confidence"] = 0.95
    finished.section("aggregate")["confidence"] = 0.9
    assert remarks(finished.graph, OURS) == []
    assert set(stale(finished)) == {f"aggregate {NAME}"}


def test_without_ours_only_the_released_report_is_made_again(finished: Project) -> None:
    finished.values["benchmarks"] = [NAME]
    ((name, state),) = stale(finished).items()
    assert name == f"aggregate {NAME}"
    assert "input data/aggregate/cvqa-synthetic/files.parquet" in " ".join(state.reasons)
    finished.run("aggregate")
    assert set(csv_of(finished, "table7")["source"]) == {"", "reported", "ours"}
    report = finished.published("report.md")
    assert "of these puzzles" in report and "of other images" not in report
    assert set(csv_of(finished, "shortcuts")["set"]) == {"released"}


def test_predictions_are_the_same_for_any_number_of_parts(alone: Project, finished: Project) -> None:
    finished.values["benchmarks"] = [NAME]
    finished.section("evaluate")["shards"] = 3
    finished.make("evaluate")
    rows, again = (project.rows("evaluate", "predictions") for project in (alone, finished))
    key = itemgetter("model", "question_id")
    assert sorted(again, key=key) == sorted(rows, key=key)


def test_tables_are_loaded_by_name(finished: Project) -> None:
    finished.write_params()
    assert tables(NAME, finished.folder) == [
        *("table7", "paired", "templates", "checks", "drops", "letters", "counted", "rules", "shortcuts"),
        *("reading", "costs", "programs", "funnel"),
    ]
    assert set(load(NAME, "counted", finished.folder)["template"]) == {"dot-removal"}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("questions", None, "questions: is null; give the path of C-VQA-Synthetic_questions.csv"),
        ("image_folder", "gone", "gone: no such folder; give the folder of the released images"),
        ("questions", "gone.csv", "gone.csv: no such file"),
    ],
)
def test_what_is_missing_is_named(project: Project, field: str, value: str | None, message: str) -> None:
    project.section("extract")[field] = value
    with pytest.raises(WhatifError, match=message):
        project.make("extract")


def test_without_a_folder_models_that_take_no_images_are_asked_and_others_are_left_out(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.section("extract")["image_folder"] = None
    project.values["models"] = {
        "blind": {"adapter": "blind", "checkpoint": str(tiny_text_model(tmp_path / "checkpoint"))},
        "seeing": {"adapter": "api", "model": "m", "base_url": "http://localhost:9", "retries": 0},
        "majority": {"adapter": "majority"},
    }
    project.make()
    asked = Counter(row["model"] for row in project.rows("evaluate", "predictions"))
    assert asked == {"blind": 48, "majority": 48}
    said = capsys.readouterr().err
    assert "seeing: not evaluated on cvqa-synthetic-released: it takes images, and no image is there; give the" in said
    assert "ended in error" not in said and rejected(project, "filter") == {}
    funnel = csv_of(project, "funnel", stage="extract", unit="pictures")
    assert list(funnel["value"])[:3] == [0, 0, 0]


def test_an_empty_folder_is_an_error_with_its_remedy(project: Project) -> None:
    for picture in (project.folder / "C-VQA-Synthetic").iterdir():
        picture.unlink()
    told = (
        r"none of 24 pictures is left: picture missing \(24\); for example .*; give the folder of the released images"
    )
    with pytest.raises(WhatifError, match=told):
        project.make("extract")


def test_the_files_of_another_set_are_refused(project: Project) -> None:
    path = project.folder / "C-VQA-Synthetic_questions.csv"
    header = path.read_text(encoding="utf-8").splitlines()[0]
    path.write_text(f"{header}\nphoto.jpg,How many cats?,2,How many cats if one left?,1,direct\n", encoding="utf-8")
    with pytest.raises(
        WhatifError, match=r"none of 1 rows is left: other type \(1\); for example line-000002: type is"
    ):
        project.make("extract")


def test_pictures_of_other_formats_are_found_under_their_names(project: Project) -> None:
    folder = project.folder / "C-VQA-Synthetic"
    for pair_id in pictures():
        with Image.open(folder / f"{pair_id}.png") as picture:
            picture.convert("RGB").save(folder / f"{pair_id}.jpg")
        (folder / f"{pair_id}.png").unlink()
    write(project.folder, puzzles(), lambda text: text.replace(".png,", ".jpg,"))
    project.make(*BEFORE_MODELS)
    assert len(project.rows("verify", "questions")) == 48


def test_answers_in_words_that_were_recorded_elsewhere_are_read_beside_a_pilot_sample(project: Project) -> None:
    lines = (project.folder / "C-VQA-Synthetic_questions.csv").read_text(encoding="utf-8").splitlines()
    said = [f"{lines[0]},response,new_response"]
    for line in lines[1:]:
        _, _, original, _, counterfactual, _ = line.split(",")
        said.append(f"{line},The answer is {original}.,({'B' if counterfactual == 'A' else 'A'})")
    (project.folder / "theirs.csv").write_text("\n".join([*said, ""]), encoding="utf-8")
    project.values["models"] = {
        "theirs": {"adapter": "replay", "predictions": "theirs.csv", "name": "InstructBLIP (Vicuna-7B)"},
        "random": {**project.values["models"]["random"], "limit": 6},
    }
    project.section("evaluate")["ask"] = "generate"
    project.make()
    asked = Counter(row["model"] for row in project.rows("evaluate", "predictions"))
    assert asked == {"theirs": 48, "random": 12}
    assert "Random (pilot sample of 6 pairs)" in project.published("table7.csv")
    rows = csv_of(project, "table7", measure="accuracy", source="ours", model="theirs")
    assert dict(zip(rows["variant"], rows["value"], strict=True)) == {"original": 100, "counterfactual": 0}
    names = list(csv_of(project, "table7", measure="accuracy", variant="original")["name"])
    assert names[:3] == ["Chance", "InstructBLIP (Vicuna-7B)", "InstructBLIP (Vicuna-7B)"], "reported, then measured"


def test_a_part_of_the_set_has_the_rows_that_it_can(project: Project) -> None:
    write(project.folder, [row for row in puzzles() if row["group"] == "flower-recolour"])
    project.make()
    assert csv_of(project, "counted").empty, "the number of all flowers is not known"
    assert set(csv_of(project, "checks")["template"]) == {"flower-recolour", "all"}
    assert "Does a model merely count everything?" in project.published("report.md")
