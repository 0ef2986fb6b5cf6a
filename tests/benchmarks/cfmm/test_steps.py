"""CFMM from its source to its tables: drawn scenes, and a file of finished items."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import whatif
from tests.pictures import png
from tests.projects import Project, Row
from tests.published import numbers
from whatif.benchmarks.cfmm.schemas import VARIANTS
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.formats.cfmm_items import CATEGORIES
from whatif.scoring.shortcuts.audit import ALL_RULES

pytestmark = pytest.mark.slow
COLOURS = ("red", "blue", "green", "black", "white")


@pytest.fixture
def project(project: Project) -> Project:
    project.select("cfmm")
    project.values["models"] = {
        "random": {"adapter": "random"},
        "first-option": {"adapter": "first-option", "name": "Always the first option"},
    }
    return project


def test_drawn_scenes_become_tables(project: Project) -> None:
    project.section("extract")["scenes"]["items_per_category"] = 4
    project.make()
    questions = project.rows("verify", "questions")
    assert len(questions) == 6 * 4 * 5
    found = project.metrics["first-option"]
    assert set(found) == {"direct", "one-shot", "one-shot-cot"}
    # Each letter is right equally often in every category and variant.
    for of_strategy in found.values():
        assert (of_strategy["total_acc_b"], of_strategy["total_acc_c"]) == (300.0, 300.0)
    folder = project.folder / "metrics/cfmm"
    predictions = {
        row["question_id"]: row["correct"]
        for path in project.paths("evaluate", "predictions")
        if "/random/" in str(path) and "/direct" in str(path)
        for row in _rows(path)
    }
    for category in CATEGORIES:
        ids = [row["question_id"] for row in questions if row["group"] == category and row["variant"] != "basic"]
        (shown,) = numbers(
            folder / "table2.csv", model="random", strategy="direct", category=category, measure="acc_c"
        ).to_dict("records")
        assert shown["value"] == 100 * sum(predictions[name] for name in ids) / len(ids)
        assert shown["n"] == 16
    shortcuts = numbers(folder / "shortcuts.csv")
    assert set(shortcuts["variant"]) == set(VARIANTS) and set(shortcuts["rule"]) == set(ALL_RULES)
    assert len(shortcuts) == 5 * len(ALL_RULES) - 2
    same = numbers(folder / "set.csv", category="all", measure="same as basic")
    assert same["value"].tolist() == [25.0]
    assert numbers(folder / "set.csv", measure="items minus inferred").empty
    assert all(came_in == went_on for _, came_in, went_on, _ in project.funnel().values())


def test_a_pilot_from_the_command_line_counts_items(project: Project) -> None:
    project.section("extract")["scenes"]["items_per_category"] = 4
    project.section("evaluate")["strategies"] = ["direct"]
    project.make("extract", "generate", "filter", "verify")
    project.write_params()
    result = whatif("evaluate", "cfmm", "--model", "random", "--limit", "6")
    assert result.exit_code == 0, result.output
    title, *shares = result.stdout.splitlines()
    assert title == "random on cfmm direct: pilot sample of 6 items of 24"
    assert [line.partition(":")[0].strip() for line in shares[:5]] == list(VARIANTS)
    assert all(line.endswith(" of 6") for line in shares[:5])


def test_finished_items_are_compared_with_the_papers_numbers(project: Project) -> None:
    folder = project.folder / "images"
    folder.mkdir()
    items = []
    for number in range(12):
        (folder / f"{number}.png").write_bytes(png((20 * number, 90, 10)))
        items.append(finished(number))
        if number >= 3:  # only three items have a fourth counterfactual question, fewer than the audit has folds
            items[-1] = {name: text for name, text in items[-1].items() if not name.endswith("3")}
    (project.folder / "items.json").write_text(json.dumps(items), encoding="utf-8")
    project.section("extract").update(items="items.json", image_folders=["images"])
    project.section("filter").update(highest_same_as_basic=1.0, least_counterfactuals=3)
    project.section("evaluate")["strategies"] = ["direct"]
    project.make()
    shown = numbers(project.folder / "metrics/cfmm/set.csv", measure="items minus inferred")
    by_category = dict(zip(shown["category"], shown["value"], strict=True))
    assert by_category["count"] == 2 - 348 and by_category["all"] == 12 - 1198
    (words,) = numbers(
        project.folder / "metrics/cfmm/set.csv", measure="words minus reported", kind="basic questions"
    ).to_dict("records")
    assert words["value"] == pytest.approx(7 - 9.51)
    (rule,) = numbers(project.folder / "metrics/cfmm/shortcuts.csv", rule="other-answer", variant="counterfactual")[
        ["choice", "value"]
    ].to_dict("records")
    assert rule == {"choice": "never the answer to the basic question", "value": 100.0}
    few = numbers(project.folder / "metrics/cfmm/shortcuts.csv", variant="counterfactual3")
    assert set(few["rule"]) >= {"letter", "forest", "words"} and few["n"].max() == 3
    assert "Photographs" in project.published("table1.md") and "Imported" in project.published("table1.md")


def test_a_contact_sheet_keeps_the_questions_of_an_item_together(project: Project) -> None:
    (project.folder / "0.png").write_bytes(png((0, 90, 10)))
    items = [{**finished(0), "id": name} for name in ("a", "a-c")]  # sorted by question id, the items alternate
    (project.folder / "items.json").write_text(json.dumps(items), encoding="utf-8")
    project.section("extract").update(items="items.json", image_folders=["."])
    project.section("filter")["highest_same_as_basic"] = 1.0
    project.section("evaluate")["strategies"] = ["direct"]
    project.make("extract", "generate", "filter", "verify")
    project.write_params()
    result = whatif("show", "cfmm", "--picture", "sheet.png", "--pairs", "9")
    assert (result.exit_code, result.stdout) == (0, "sheet.png: 2 pairs of cfmm\n"), result.output


def finished(number: int) -> Row:
    """An item of a file: every counterfactual answer differs from the basic one, which is the wrong option."""
    category = CATEGORIES[number % 6]
    item: Row = {
        "id": f"{category}-{number}",
        "image": f"{number}.png",
        "category": category,
        "basic question": f"What is the color of ball {number}?",
        "basic answer": COLOURS[number % 5],
        "basic option": COLOURS[(number + 1) % 5],
    }
    for place, suffix in enumerate(("", "1", "2", "3"), 1):
        item[f"counterfactual question{suffix}"] = f"If paint {place} were used, what color is ball {number}?"
        item[f"counterfactual answer{suffix}"] = COLOURS[(number + place) % 5]
    return item


def _rows(path: Path) -> list[Row]:
    from whatif.engine import artifacts

    return list(artifacts.rows_of(path, PREDICTIONS))
