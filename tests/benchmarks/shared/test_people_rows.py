"""People's answers in the tables of open questions, on answers whose numbers are known."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.benchmarks.report_inputs import full
from tests.frames import check, printed, row, value
from whatif.benchmarks.cvqa_real.steps import TABLES as REAL_TABLES
from whatif.benchmarks.scenes.report import SceneResults
from whatif.benchmarks.scenes.steps import TABLES as SCENE_TABLES
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.looked_up import looked_up
from whatif.results.reporting.people import majority_is_right
from whatif.results.reporting.table import Table

HOW: Any = SimpleNamespace(confidence=0.95)


def question(number: int, group: str, variant: str = "original") -> dict[str, Any]:
    return {
        "question_id": f"q{number}-{variant}",
        "pair_id": f"q{number}",
        "group": group,
        "variant": variant,
        "question": "How many?",
        "choices": None,
        "answer": "2",
        "answer_kind": "number",
        "image_ids": [f"image-{number}"],
    }


def attempt(asked: dict[str, Any], who: str, answer: str) -> dict[str, Any]:
    return {"question_id": asked["question_id"], "attempt": who, "answer": answer, "correct": answer == "2"}


def prediction(asked: dict[str, Any], correct: bool, strategy: str = "plain") -> dict[str, Any]:
    answer = {"answer": "2" if correct else "3", "response": "2", "status": "ok"}
    return full({**answer, "question_id": asked["question_id"], "model": "m", "strategy": strategy, "correct": correct})


def task(folder: Path, predictions: list[dict[str, Any]]) -> Any:
    path = folder / "predictions.parquet"
    write_artifact(path, PREDICTIONS, sorted(predictions, key=lambda one: str(one["question_id"])))
    return SimpleNamespace(paths=lambda role: [path], seed=0)


def test_people_answer_scenes(tmp_path: Path) -> None:
    questions = [question(number, group) for number, group in enumerate(("number", "number", "yes/no", "yes/no"))]
    predictions = [prediction(one, place != 1) for place, one in enumerate(questions)]
    attempts = [
        *(attempt(questions[0], who, "2") for who in "abc"),
        *(attempt(questions[1], who, "3") for who in "ab"),
        attempt(questions[1], "c", "2"),
        attempt(questions[2], "a", "2"),
    ]
    found = SceneResults(
        task=task(tmp_path, predictions),
        title="Scenes",
        settings=HOW,
        dimension=ANSWERER,
        names={"m": "M"},
        questions=questions,
        predictions=predictions,
        human_attempts=attempts,
    )
    table: Table = looked_up(SCENE_TABLES.tables["accuracy"]).table("accuracy", found)
    check(table)
    people = {"name": "Humans", "source": "ours"}
    accuracy = row(table, **people, group="number", measure="accuracy")
    assert (accuracy["value"], accuracy["n"]) == (pytest.approx(100 * 4 / 6, abs=1e-3), 2)
    assert value(table, **people, group="all", measure="accuracy") == pytest.approx(100 * 5 / 7, abs=1e-3)
    assert value(table, **people, group="number", measure="attempts per question") == 3
    assert value(table, **people, group="yes/no", measure="people") == 1
    for name in ("Humans", "M"):
        assert value(table, name=name, group="number", measure="ceiling") == 50
        assert value(table, name=name, group="all", measure="ceiling") == pytest.approx(100 * 2 / 3, abs=1e-3)
    assert value(table, model="m", group="all", measure="accuracy") == 75
    assert value(table, model="m", group="all", measure="accuracy where people answered") == pytest.approx(
        100 * 2 / 3, abs=1e-3
    )
    assert [one["Model"] for one in printed(table)] == ["M", "M", "M", "Humans", "Humans", "Humans"]


def test_people_answer_c_vqa_real(tmp_path: Path) -> None:
    pairs = [question(number, "boolean", variant) for number in (0, 1) for variant in ("counterfactual", "original")]
    predictions = [prediction(one, one["variant"] == "original") for one in pairs]
    found = SimpleNamespace(
        questions=pairs,
        settings=HOW,
        level="95%",
        title="C-VQA-Real",
        cluster_unit="image",
        judged=None,
        main="plain",
        sampled=(),
        asked=lambda strategy: {"m": "M"},
        predictions_of=lambda strategy, models: predictions,
        beside_reported=lambda strategy: "",
        clusters={one["question_id"]: one["image_ids"][0] for one in pairs},
        human_attempts=[attempt(one, who, "2") for one in pairs for who in "ab"],
        task=task(tmp_path, predictions),
    )
    table: Table = looked_up(REAL_TABLES.tables["table3"]).table("table3", found)
    check(table)
    for variant, right in (("original", 100), ("counterfactual", 0)):
        for group in ("boolean", "all"):
            part = {"source": "ours", "group": group, "variant": variant}
            assert value(table, **part, name="Humans", measure="accuracy") == 100
            assert value(table, **part, model="m", measure="accuracy where people answered") == right
            assert value(table, **part, model="m", measure="ceiling") == 100


@pytest.mark.parametrize(
    ("answers", "right"), [("2", True), ("3", False), ("223", True), ("233", False), ("23", False), ("2234", True)]
)
def test_the_majority_is_the_most_frequent_answer_unless_another_is_as_frequent(answers: str, right: bool) -> None:
    attempts = [attempt(question(0, "number"), str(place), answer) for place, answer in enumerate(answers)]
    assert majority_is_right(attempts) == right
