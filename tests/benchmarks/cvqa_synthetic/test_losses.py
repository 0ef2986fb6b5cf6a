"""C-VQA-Synthetic loses nothing: what is rejected, falsified or gone is said and counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import shapely
from scipy.spatial.distance import pdist

from tests.benchmarks.copies import copied
from tests.benchmarks.cvqa_synthetic.small import NAME, small
from tests.projects import Project, Row
from tests.published import numbers
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS, TEMPLATES
from whatif.benchmarks.cvqa_synthetic.schemas import PUZZLES
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS, REJECTIONS, Table
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = small(Project(tmp_path_factory.mktemp("generated")))
    project.make("extract", "generate")
    return project


@pytest.fixture
def project(generated: Project, folder: Path) -> Project:
    """A project whose puzzles are generated, which the test may change."""
    return copied(generated, folder)


@pytest.fixture(scope="module")
def made(generated: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The finished project, to be read."""
    project = copied(generated, tmp_path_factory.mktemp("made"))
    project.make("filter", "verify", "evaluate", "aggregate")
    return project


def narrowest_gap(puzzle: Row) -> float:
    """The smallest gap between two flowers or two dots, in their radii."""
    things = puzzle["flowers"] or [dot for circle in puzzle["circles"] for dot in circle["dots"]]
    radius = puzzle["dot_radius"] or puzzle["flowers"][0]["radius"]
    return float(pdist([(thing["x"], thing["y"]) for thing in things]).min() / radius - 2)


def smallest_region(puzzle: Row) -> float:
    """The share of the smallest of the four regions; 1 for a puzzle of dots."""
    if not puzzle["polygons"]:
        return 1.0
    first, second = (shapely.Polygon([(p["x"], p["y"]) for p in polygon["points"]]) for polygon in puzzle["polygons"])
    whole = shapely.box(0, 0, puzzle["image_size"], puzzle["image_size"])
    regions = (first & second, first - second, second - first, whole - first - second)
    return float(min(region.area for region in regions) / whole.area)


def test_a_strict_filter_rejects_what_is_crowded_and_keeps_the_rest(project: Project) -> None:
    project.values["filter"][NAME] = {"smallest_gap": 0.6, "smallest_region": 0.06}
    project.make("filter", "verify", "evaluate", "aggregate")
    expected = {}
    for puzzle in project.rows("generate", "puzzles"):
        if smallest_region(puzzle) < 0.06:
            expected[puzzle["pair_id"]] = "small-region"
        elif narrowest_gap(puzzle) < 0.6:
            expected[puzzle["pair_id"]] = "narrow-gap"
    rejections = project.rows("filter", "rejections")
    assert {row["item_id"]: row["reason"] for row in rejections} == expected
    assert all("below 6.00%" in row["detail"] or "below 0.60" in row["detail"] for row in rejections)
    count = Counter(expected.values())
    assert set(count) == {"narrow-gap", "small-region"} and count.total() < 20
    generated = project.rows("generate", "questions")
    kept = [row for row in generated if row["pair_id"] not in expected]
    assert project.rows("filter", "questions") == kept
    assert project.rows("verify", "questions") == kept
    left = 24 - count.total()
    why = f"narrow-gap: {count['narrow-gap']}; small-region: {count['small-region']}"
    assert project.funnel() == {
        "extract": ("none", 24, 24, 0),
        "generate": ("none", 24, 24, 0),
        "filter": (why, 24, left, count.total()),
        "verify": ("none", left, left, 0),
        **{f"evaluate {key}": ("none", 2 * left, 2 * left, 0) for key in sorted(project.values["models"])},
    }


def change(path: Path, table: Table, edit: Callable[[list[Row]], object]) -> None:
    rows = artifacts.read(path, table).to_pylist()
    edit(rows)
    write_artifact(path, table, rows)


def test_a_picture_that_was_there_before_is_rejected_as_a_duplicate(project: Project) -> None:
    first_part, second_part = project.paths("generate", "puzzles")
    first, second = (artifacts.read(path, PUZZLES).to_pylist() for path in (first_part, second_part))
    change(first_part, PUZZLES, lambda rows: rows[7].update(image_id=first[2]["image_id"]))
    change(second_part, PUZZLES, lambda rows: rows[0].update(image_id=first[2]["image_id"]))
    project.make("filter")
    detail = f"shows the same picture as {first[2]['pair_id']}"
    again = [first[7]["pair_id"], second[0]["pair_id"]]
    assert project.rows("filter", "rejections") == [
        {"item_id": pair_id, "reason": "duplicate", "detail": detail} for pair_id in again
    ]
    generated = project.rows("generate", "questions")
    kept = [row for row in generated if row["pair_id"] not in again]
    assert project.rows("filter", "questions") == kept


def wrong_option(rows: list[Row], number: int) -> str:
    """Makes the right option of a question a number that no option of it is; returns its letter and that number."""
    row = rows[number]
    other = str(1 + max(int(choice) for choice in row["choices"]))
    row["choices"]["ABCD".index(row["answer"])] = other
    return f"{row['question_id']}: its answer {row['answer']} says {other}, the scene shows "


def test_verification_rejects_a_falsified_answer_flag_or_option_and_says_why(project: Project) -> None:
    project.make("filter")
    flowers, dots = project.paths("generate", "puzzles")
    (questions,) = project.paths("filter", "questions")
    comments: dict[tuple[str, str], str] = {}
    said: list[str] = []

    def falsify_flowers(rows: list[Row]) -> None:
        rows[1]["counterfactual_answer"] += 1
        counted = rows[1]["counterfactual_answer"] - 1
        comments[rows[1]["pair_id"], "scene"] = f"counterfactual_answer: is {counted + 1}, the scene shows {counted}"
        rows[3]["flowers"][2]["inside_second"] ^= True
        comments[rows[3]["pair_id"], "scene"] = "flower 2: its region is not the one that is stored"

    def falsify_dots(rows: list[Row]) -> None:
        rows[0]["original_answer"] -= 1
        counted = rows[0]["original_answer"] + 1
        comments[rows[0]["pair_id"], "scene"] = f"original_answer: is {counted - 1}, the scene shows {counted}"

    change(flowers, PUZZLES, falsify_flowers)
    change(dots, PUZZLES, falsify_dots)
    change(questions, QUESTIONS, lambda rows: said.extend(wrong_option(rows, number) for number in (11, 24)))
    project.make("verify")
    # Pairs 2 and 4 of the flowers, the first of the dots twice over, and pair 6 with its original question (row 11).
    pairs = [row["pair_id"] for row in project.rows("generate", "puzzles")]
    rejected = {pairs[1]: "scene", pairs[3]: "scene", pairs[5]: "answer", pairs[12]: "scene"}
    judgements = {
        (row["item_id"], row["annotator"].removeprefix("automatic:")): row
        for row in project.rows("verify", "judgements")
    }
    assert list(judgements) == [(pair_id, check) for pair_id in pairs for check in ("answer", "scene")]
    for key, comment in comments.items():
        assert (judgements[key]["decision"], judgements[key]["comment"]) == ("reject", comment)
    for pair_id, start in zip((pairs[5], pairs[12]), said, strict=True):
        judgement = judgements[pair_id, "answer"]
        assert judgement["decision"] == "reject" and judgement["comment"].startswith(start)
    accepted = {key for key, row in judgements.items() if row["decision"] == "accept"}
    assert accepted == set(judgements) - set(comments) - {(pairs[5], "answer"), (pairs[12], "answer")}
    assert all(judgements[key]["comment"] == "" for key in accepted)
    assert project.rows("verify", "rejections") == [
        {
            "item_id": pair_id,
            "reason": f"failed the check of its {check}",
            "detail": judgements[pair_id, check]["comment"],
        }
        for pair_id, check in rejected.items()
    ]
    filtered = project.rows("filter", "questions")
    kept = [row for row in filtered if row["pair_id"] not in rejected]
    assert project.rows("verify", "questions") == kept
    project.make("evaluate", "aggregate")
    why = "failed the check of its answer: 1; failed the check of its scene: 3"
    assert project.funnel()["verify"] == (why, 24, 20, 4)
    assert project.funnel()["evaluate random"] == ("none", 40, 40, 0)
    report = project.published("report.md")
    for reason, number in (("failed the check of its answer", 1), ("failed the check of its scene", 3)):
        assert re.search(rf"^\| verify +\| pairs +\| {reason} +\| +{number} \|$", report, re.MULTILINE)
    models = len(project.metrics)
    drops = numbers(project.folder / f"metrics/{NAME}/drops.csv", measure="difference")
    assert len(drops) == models * (models - 1) // 2 > 0
    assert "## Models' drops compared" in report


def test_every_puzzle_is_an_item_with_its_answers_and_the_right_one(made: Project) -> None:
    questions = made.rows("verify", "questions")
    items = made.rows("aggregate", "items")
    assert [item["item_id"] for item in items] == list(dict.fromkeys(row["pair_id"] for row in questions))
    by_id = {row["question_id"]: row for row in questions}
    predictions = {(row["question_id"], row["model"]): row for row in made.rows("evaluate", "predictions")}
    models = {"random": "Random", "first-option": "Always the first option", "majority": "Most frequent answer"}
    seen = 0
    for item in items:
        assert [one["side"] for one in item["questions"]] == ["original", "counterfactual"]
        for asked in item["questions"]:
            row = by_id[asked["question_id"]]
            assert (asked["text"], asked["choices"]) == (row["question"], row["choices"])
            assert asked["right"] == f"{row['choices']['ABCD'.index(row['answer'])]} ({row['answer']})"
            assert [picture["image_id"] for picture in item["pictures"]] == row["image_ids"]
            answers = {answer["system"]: answer for answer in asked["answers"]}
            for key, name in models.items():
                prediction = predictions[row["question_id"], key]
                place = "ABCD".index(prediction["answer"])
                assert answers[name]["answer"] == f"{row['choices'][place]} ({prediction['answer']})"
                assert answers[name]["correct"] == prediction["correct"] == (answers[name]["answer"] == asked["right"])
                seen += 1
    assert seen == 3 * len(questions)


def test_views_show_a_puzzle_of_each_template_and_none_twice(made: Project) -> None:
    views = made.rows("aggregate", "views")
    assert [row["view"] for row in views] == ["table-2", "figure-7", "figure-6", "figure-9-wrong", "figure-9-right"]
    assert "Table 2" in views[0]["text"] and "No model answers by programs." in views[-1]["text"]
    items = made.rows("aggregate", "items")
    assert max(len(item["views"]) for item in items) == 1  # of the three views, which have different puzzles
    shown = [item for item in items if item["views"] == ["table-2"]]
    assert sorted(item["group"] for item in shown) == sorted(GROUPS)
    assert shown[0] == items[0]  # the first of its template
    for item in shown:
        words = TEMPLATES[item["group"]].counterfactual.format(first="{Color 1}", second="{Color 2}", removed="N")
        assert item["notes"] == [f"Template: {words}"]


def test_views_show_puzzles_of_which_a_model_answers_one_question_right(made: Project) -> None:
    items = made.rows("aggregate", "items")
    for name, order, what in (
        ("figure-7", [False, True], "Only the counterfactual question right"),
        ("figure-6", [True, False], "Only the original question right"),
    ):
        shown = [item for item in items if name in item["views"]]
        assert shown and len({item["group"] for item in shown}) == len(shown)
        for item in shown:
            original, counterfactual = (
                {a["system"]: a["correct"] for a in one["answers"]} for one in item["questions"]
            )
            found = [system for system in original if [original[system], counterfactual[system]] == order]
            assert found and f"{what}: {'; '.join(found)}." in item["notes"]


def test_questions_of_puzzles_that_are_no_longer_there_are_refused(project: Project) -> None:
    project.make("filter")
    project.generate["puzzles_per_template"] = 3  # and nobody filters again
    project.make("generate")
    with pytest.raises(WhatifError, match="abs_counting_000019"):
        project.make("verify")


@pytest.mark.parametrize(
    ("stage", "role", "table", "rows_a_pair"),
    [("verify", "questions", QUESTIONS, 2), ("filter", "rejections", REJECTIONS, 1)],
)
def test_the_funnel_refuses_to_lose_a_pair(
    project: Project, stage: str, role: str, table: Table, rows_a_pair: int
) -> None:
    puzzles = project.paths("generate", "puzzles")[0]
    change(puzzles, PUZZLES, lambda rows: rows[1].update(image_id=rows[0]["image_id"]))
    project.make("filter", "verify")
    (path,) = project.paths(stage, role)
    change(path, table, lambda rows: rows.__delitem__(slice(rows_a_pair)))
    project.make("evaluate")
    came_in, went_on = {"verify": (23, 22), "filter": (24, 23)}[stage]
    counts = f"{came_in} pairs came in, {went_on} went on and 0 were rejected; nothing may be lost"
    with pytest.raises(WhatifError, match=f"^(filter|verify): {counts}"):
        project.make("aggregate")
    assert not Path(f"metrics/{NAME}/funnel.csv").exists() and not Path(f"data/aggregate/{NAME}/files.parquet").exists()
    assert [path.name for path in Path("data/aggregate").rglob(".*")] == []


def test_a_prediction_that_was_lost_is_missed(project: Project) -> None:
    project.make("filter", "verify", "evaluate")
    path = project.paths("evaluate", "predictions")[0]
    change(path, PREDICTIONS, lambda rows: rows.pop(5))
    with pytest.raises(WhatifError, match="first-option"):
        project.make("aggregate")
    assert not Path(f"metrics/{NAME}/funnel.csv").exists()
