"""The released puzzles through the graph: what is rejected and why, the same numbers as ours, and ours beside them."""

from __future__ import annotations

import io
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.benchmarks.cvqa_synthetic_released.small import BEFORE_MODELS, NAME, OURS, pictures, puzzles, small, write
from tests.projects import Project
from tests.published import numbers
from tests.tiny_checkpoints import tiny_text_model
from whatif.artifacts.schemas import IMAGES, JUDGEMENTS, PREDICTIONS, QUESTIONS, REJECTIONS
from whatif.artifacts.site_schemas import ITEMS
from whatif.errors import WhatifError
from whatif.graph.freshness import Condition
from whatif.graph.standing import remarks
from whatif.results import load, tables

pytestmark = pytest.mark.slow


@pytest.fixture
def project(project: Project) -> Project:
    return small(project)


def rejected(project: Project, stage: str, role: str = "rejections") -> dict[str, str]:
    """Item -> reason."""
    return {row["item_id"]: row["reason"] for row in project.rows(stage, role, REJECTIONS)}


def csv_of(project: Project, name: str, **where: str) -> Any:
    return numbers(project.folder / "metrics" / NAME / f"{name}.csv", **where)


def test_released_puzzles_become_the_questions_that_they_were(project: Project) -> None:
    project.make()
    found = {row["question_id"]: row for row in project.rows("verify", "questions", QUESTIONS)}
    wanted = {row["question_id"]: row for row in puzzles()}
    assert len(found) == len(wanted) == 48
    same = ("pair_id", "group", "variant", "question", "choices", "answer", "answer_kind", "image_ids")
    assert all(found[key][name] == row[name] for key, row in wanted.items() for name in same)
    assert len(project.rows("extract", "images", IMAGES)) == 24
    asked = project.rows("evaluate", "predictions", PREDICTIONS)
    assert Counter(row["model"] for row in asked) == {"random": 48, "first-option": 48, "majority": 48}
    judged = project.rows("verify", "judgements", JUDGEMENTS)
    assert {(row["annotator"], row["decision"]) for row in judged} == {
        (f"automatic:{check}", "accept") for check in ("options", "wording", "answers")
    }
    funnel = csv_of(project, "funnel")
    assert list(funnel["value"]) == [24, 24, 0] * 4 + [48, 48, 0] * 3
    assert list(funnel["stage"].unique())[:3] == ["extract", "filter", "verify"]


def test_the_tables_are_those_of_our_puzzles_and_the_checks(project: Project) -> None:
    project.make()
    report = project.published("report.md")
    assert report.startswith("# C-VQA-Synthetic as released")
    accuracy = csv_of(project, "table7", source="ours", measure="accuracy", model="first-option", variant="original")
    right = [row["answer"] == "A" for row in puzzles() if row["variant"] == "original"]
    assert list(accuracy["value"]) == [pytest.approx(100 * sum(right) / 24, abs=1e-4)]
    assert set(csv_of(project, "table7")["source"]) == {"", "reported", "ours"}
    assert "of these puzzles" in report and "of other images" not in report
    assert set(csv_of(project, "shortcuts")["set"]) == {"released"}
    pairs = csv_of(project, "checks", measure="pairs")
    assert dict(zip(pairs["template"], pairs["value"], strict=True)) == {
        **dict.fromkeys({row["group"] for row in puzzles()}, 4),
        "all": 24,
    }
    items = project.rows("aggregate", "items", ITEMS)
    assert len(items) == 24
    assert {item["group"] for item in items if "table-2" in item["views"]} == {row["group"] for row in puzzles()}


def test_missing_bad_and_repeated_pictures_are_named_and_their_pairs_are_rejected(project: Project) -> None:
    folder = project.folder / "C-VQA-Synthetic"
    first, second, third, fourth = (f"abs_counting_{number:06d}" for number in (1, 2, 3, 4))
    (folder / f"{second}.png").unlink()
    (folder / f"{third}.png").write_bytes(b"no picture")
    again = io.BytesIO()
    with Image.open(folder / f"{first}.png") as picture:
        picture.save(again, "PNG", compress_level=0)  # the same pixels in other bytes
    (folder / f"{fourth}.png").write_bytes(again.getvalue())
    project.make()
    assert rejected(project, "extract", "pictures") == {
        f"{second}.png": "picture missing",
        f"{third}.png": "picture unreadable",
        f"{fourth}.png": "same picture",
    }
    assert len(project.rows("extract", "images", IMAGES)) == 21
    assert len(project.rows("extract", "questions", QUESTIONS)) == 48
    found = project.rows("filter", "rejections", REJECTIONS)
    assert [(row["item_id"], row["reason"]) for row in found] == [
        (second, "no picture"),
        (third, "no picture"),
        (fourth, "same picture"),
    ]
    assert found[-1]["detail"] == f"shows the same picture as {first}"
    funnel = csv_of(project, "funnel", stage="extract", unit="pictures")
    assert list(funnel["value"])[:3] == [24, 21, 3]
    assert len(project.rows("verify", "questions", QUESTIONS)) == 42


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
    (row,) = project.rows("filter", "rejections", REJECTIONS)
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
        assert len(project.rows("extract", "images", IMAGES)) == 24


def test_bad_rows_are_rejected_with_their_lines_and_the_rest_goes_on(project: Project) -> None:
    lines = write(project.folder, puzzles()).read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].replace("  D:", " D:")
    lines[2] = lines[2].replace(",abs_counting_1", ",abs_counting_9")
    fields = lines[3].split(",")
    fields[2] = "E"
    lines[3] = ",".join(fields)
    lines.append(lines[4])
    lines.append("photo.jpg,How many cats?,2,How many cats if one left?,1,direct")
    write(project.folder, puzzles(), lambda text: "\n".join([*lines, ""]))
    project.make()
    assert rejected(project, "extract") == {
        "line-000002": "unreadable options",
        "line-000003": "unknown type",
        "line-000004": "unknown answer",
        "line-000026": "duplicate",
        "line-000027": "other type",
    }
    assert len(project.rows("verify", "questions", QUESTIONS)) == 42
    rows = csv_of(project, "funnel", stage="extract", unit="rows")
    assert list(rows["value"])[:3] == [26, 21, 5]


def test_only_contradictions_are_rejected(project: Project) -> None:
    rows = puzzles()
    removal, columns, recolour = (
        [row for row in rows if row["group"] == group] for group in ("dot-removal", "dot-columns", "flower-recolour")
    )
    wrong = next(row for row in removal if row["variant"] == "counterfactual")
    wrong["answer"] = next(letter for letter in "ABCD" if letter != wrong["answer"])
    other = next(row for row in columns if row["variant"] == "original")
    other["question"] = "How many dots do a circle contain at most?"
    unread = next(row for row in recolour if row["variant"] == "original")
    unread["question"] = "What is the number of flowers?"
    write(project.folder, rows)
    project.make()
    assert rejected(project, "verify") == {
        wrong["pair_id"]: "failed the check of its answers",
        other["pair_id"]: "failed the check of its wording",
    }
    comments = {
        (row["item_id"], row["annotator"]): row["comment"] for row in project.rows("verify", "judgements", JUDGEMENTS)
    }
    assert comments[unread["pair_id"], "automatic:wording"].startswith("not checked: original: `What is the number")
    assert comments[unread["pair_id"], "automatic:answers"] == "not checked: the wording cannot be relied on"
    table = csv_of(project, "checks", template="all")
    told = {(row.check, row.measure): row.value for row in table.itertuples() if row.value and row.check}
    assert told == {
        ("wording", "contradiction"): 1,
        ("wording", "not checked"): 1,
        ("answers", "contradiction"): 1,
        ("answers", "not checked"): 2,
    }


def test_ours_beside_the_released_puzzles(project: Project) -> None:
    project.values["benchmarks"] = [NAME, OURS]
    project.make()
    frame = csv_of(project, "table7", measure="accuracy", variant="counterfactual")
    theirs, own = (frame[frame["source"] == source] for source in ("ours", "ours, own puzzles"))
    assert list(theirs["model"]) == list(own["model"]) == ["first-option", "majority", "random"]
    with_ours = numbers(project.folder / "metrics" / OURS / "table7.csv", measure="accuracy", source="ours")
    assert list(own["value"]) == list(with_ours[with_ours["variant"] == "counterfactual"]["value"])
    assert list(own["low"]) == list(with_ours[with_ours["variant"] == "counterfactual"]["low"])
    text = " ".join(project.published("table7.md").split())
    assert "ours, own puzzles" in text and "of the benchmark cvqa-synthetic" in text
    assert "own puzzles" not in project.text(f"metrics/{OURS}/table7.md")
    assert "own puzzles" not in project.published("accuracy.csv")
    assert set(project.metrics) == {"random", "first-option", "majority"}


def test_what_changes_in_ours_makes_the_released_report_stale_and_nothing_else(project: Project) -> None:
    project.values["benchmarks"] = [NAME, OURS]
    project.make()
    assert remarks(project.graph, NAME) == []
    project.values["aggregate"][OURS]["confidence"] = 0.9
    found = {job.name: state.condition for job, state in project.states().items()}
    due = {name for name, condition in found.items() if condition is not Condition.FRESH}
    assert due == {f"aggregate {OURS}", f"aggregate {NAME}"}
    heading, reason = remarks(project.graph, NAME)
    assert heading.startswith("STALE") and f"aggregate.{OURS}.confidence: 0.95 -> 0.9" in reason
    project.values["aggregate"][OURS]["confidence"] = 0.95
    project.section("aggregate")["confidence"] = 0.9
    assert remarks(project.graph, OURS) == []
    found = {job.name: state.condition for job, state in project.states().items()}
    assert {name for name, condition in found.items() if condition is not Condition.FRESH} == {f"aggregate {NAME}"}


def test_without_ours_only_the_released_report_is_made_again(project: Project) -> None:
    project.values["benchmarks"] = [NAME, OURS]
    project.make()
    project.values["benchmarks"] = [NAME]
    found = {job.name: state for job, state in project.states().items()}
    (stale,) = [name for name, state in found.items() if state.condition is not Condition.FRESH]
    assert stale == f"aggregate {NAME}"
    assert "input data/aggregate/cvqa-synthetic/files.parquet" in " ".join(found[stale].reasons)
    project.run("aggregate")
    assert set(csv_of(project, "table7")["source"]) == {"", "reported", "ours"}


def test_predictions_are_the_same_for_any_number_of_parts(project: Project) -> None:
    project.make(*BEFORE_MODELS, "evaluate")
    rows = project.rows("evaluate", "predictions", PREDICTIONS)
    project.section("evaluate")["shards"] = 3
    project.make("evaluate")
    again = project.rows("evaluate", "predictions", PREDICTIONS)
    assert sorted(again, key=lambda row: (row["model"], row["question_id"])) == sorted(
        rows, key=lambda row: (row["model"], row["question_id"])
    )


def test_tables_are_loaded_by_name(project: Project) -> None:
    project.make()
    project.write_params()
    assert tables(NAME, project.folder) == [
        *("table7", "paired", "templates", "checks", "drops", "letters", "counted", "rules", "shortcuts"),
        *("reading", "costs", "programs", "funnel"),
    ]
    frame = load(NAME, "counted", project.folder)
    assert set(frame["template"]) == {"dot-removal"}


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
    asked = Counter(row["model"] for row in project.rows("evaluate", "predictions", PREDICTIONS))
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
    assert len(project.rows("verify", "questions", QUESTIONS)) == 48


def test_answers_in_words_that_were_recorded_elsewhere_are_read(project: Project) -> None:
    lines = (project.folder / "C-VQA-Synthetic_questions.csv").read_text(encoding="utf-8").splitlines()
    said = [f"{lines[0]},response,new_response"]
    for line in lines[1:]:
        _, _, original, _, counterfactual, _ = line.split(",")
        said.append(f"{line},The answer is {original}.,({'B' if counterfactual == 'A' else 'A'})")
    (project.folder / "theirs.csv").write_text("\n".join([*said, ""]), encoding="utf-8")
    project.values["models"] = {
        "theirs": {"adapter": "replay", "predictions": "theirs.csv", "name": "InstructBLIP (Vicuna-7B)"}
    }
    project.section("evaluate")["ask"] = "generate"
    project.make()
    rows = csv_of(project, "table7", measure="accuracy", source="ours")
    assert dict(zip(rows["variant"], rows["value"], strict=True)) == {"original": 100, "counterfactual": 0}
    names = list(csv_of(project, "table7", measure="accuracy", variant="original")["name"])
    assert names[:3] == ["Chance", "InstructBLIP (Vicuna-7B)", "InstructBLIP (Vicuna-7B)"], "reported, then measured"


def test_a_pilot_sample_is_asked_of_the_model_with_a_limit_alone(project: Project) -> None:
    project.values["models"]["random"]["limit"] = 6
    project.make()
    asked = Counter(row["model"] for row in project.rows("evaluate", "predictions", PREDICTIONS))
    assert asked == {"random": 12, "first-option": 48, "majority": 48}
    assert "Random (pilot sample of 6 pairs)" in project.published("table7.csv")


def test_a_part_of_the_set_has_the_rows_that_it_can(project: Project) -> None:
    write(project.folder, [row for row in puzzles() if row["group"] == "flower-recolour"])
    project.make()
    assert csv_of(project, "counted").empty, "the number of all flowers is not known"
    assert set(csv_of(project, "checks")["template"]) == {"flower-recolour", "all"}
    assert "Does a model merely count everything?" in project.published("report.md")
