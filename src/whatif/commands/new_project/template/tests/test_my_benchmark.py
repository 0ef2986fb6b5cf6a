"""The benchmark keeps what it promises: right answers, presuppositions that hold, and no way to guess."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image
from whatif.benchmark import LETTERS, Trial

from my_benchmark.pictures import COLOURS, count_in, draw, shelf
from my_benchmark.questions import defects, pair
from my_benchmark.settings import Change


@pytest.mark.parametrize("balls", [[], ["red"], ["red", "blue", "red"], ["green"] * 9])
def test_the_balls_of_a_picture_are_counted_in_its_pixels(balls: list[str]) -> None:
    data, width, height = draw(balls)
    picture = Image.open(io.BytesIO(data))
    assert picture.size == (width, height)
    assert count_in(picture) == {colour: balls.count(colour) for colour in COLOURS}


@pytest.mark.parametrize(("change", "added"), [("painted", 1), ("removed", 0)])
def test_the_counterfactual_answer_follows_from_the_original_one(change: Change, added: int) -> None:
    for number in range(200):
        _, known = shelf(number, seed=1)
        counterfactual, original = pair(known, change, seed=1)
        answers = [int(row["choices"][LETTERS.index(row["answer"])]) for row in (original, counterfactual)]
        assert answers[0] == known["balls"].count(json.loads(original["provenance"])["asked"])
        assert answers[1] == answers[0] + added


def test_a_wrong_answer_is_found() -> None:
    _, known = shelf(0, seed=1)
    questions = pair(known, "painted", seed=1)
    counts = {colour: known["balls"].count(colour) for colour in COLOURS}
    assert defects(questions, counts) == []
    asked = json.loads(questions[0]["provenance"])["asked"]
    assert len(defects(questions, {**counts, asked: counts[asked] + 1})) == 2


def test_the_same_seed_gives_the_same_picture_and_another_seed_another() -> None:
    assert shelf(3, seed=1) == shelf(3, seed=1)
    assert any(shelf(number, seed=1) != shelf(number, seed=2) for number in range(5))


def test_every_option_is_right_equally_often() -> None:
    rows = [row for number in range(2000) for row in pair(shelf(number, seed=7)[1], "painted", seed=7)]
    for letter in "ABCD":
        assert sum(row["answer"] == letter for row in rows) / len(rows) == pytest.approx(0.25, abs=0.03)


def test_every_pair_is_asked_or_rejected_with_a_reason(tmp_path: Path) -> None:
    trial = Trial(tmp_path, Path(__file__).parents[1] / "params.yaml")
    trial.make()
    written = {row["pair_id"] for row in trial.rows("generate", "questions")}
    asked = {row["pair_id"] for row in trial.rows("verify", "questions")}
    rejected = {row["item_id"]: row["reason"] for row in trial.rows("filter", "rejections")}
    assert written == asked | rejected.keys()
    assert not asked & rejected.keys()
    assert all(rejected.values())
    assert "| Random" in trial.text("metrics/my-benchmark/accuracy.md")
