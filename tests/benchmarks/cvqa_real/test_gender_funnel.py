"""The images that remain for the analysis by gender, and why others do not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.made_tables import declared
from whatif.benchmarks.cvqa_real.figures.figure5_svg import why_no_gap
from whatif.benchmarks.cvqa_real.tables.gender_funnel import ASKED, SET, STAGES
from whatif.formats.c_vqa import read_released
from whatif.results.reporting.rendering import WIDTH, to_markdown
from whatif.results.reporting.table import Table


def question(pair: str, number: int | None) -> dict[str, Any]:
    """A question about a COCO photograph, or about a drawn scene."""
    provenance = {"split": "train"} if number is None else {"img_path": f"COCO_val2014_{number:012d}.jpg"}
    return {"pair_id": pair, "image_ids": [f"i{number}"], "provenance": json.dumps(provenance)}


SEEN = {0: "male", 1: "male", 2: "female", 3: "both", 4: "unsure", 99: "female"}
QUESTIONS = [question(f"p{number}", number % 7) for number in range(14)]  # two of each of seven images


def gender_funnel(main_set: list[Any], asked: list[Any], perceived: dict[int, str] | None) -> Table:
    return declared("gender-funnel", main_set=main_set, questions=asked, perceived=perceived)


def numbers(table: Table, measure: str, **where: str) -> dict[str, int]:
    """Stage, or stage and reason -> number."""
    frame = table.frame[table.frame["measure"] == measure]
    for name, value in where.items():
        frame = frame[frame[name] == value]
    return {row["reason"] or row["stage"]: int(row["value"]) for row in frame.to_dict("records")}


def test_each_image_counts_once_at_each_stage() -> None:
    table = gender_funnel(QUESTIONS, QUESTIONS[:3], SEEN)
    assert numbers(table, "images", scope=SET) == dict(zip(STAGES, (7, 5, 3, 2, 1), strict=True))
    assert numbers(table, "excluded", scope=SET) == {
        "not annotated": 2,
        "people of both genders": 1,
        "a gender that is not known": 1,
    }
    assert numbers(table, "images", scope=ASKED) == dict(zip(STAGES, (3, 3, 3, 2, 1), strict=True))
    assert numbers(table, "excluded", scope=ASKED) == {}


@pytest.mark.parametrize("genders", [SEEN, {}, None])
def test_no_image_is_lost_between_the_stages(genders: dict[int, str] | None) -> None:
    table = gender_funnel([*QUESTIONS, question("s", None)], [], genders)
    images, frame = numbers(table, "images", scope=SET), table.frame
    for stage, before in (("annotated", "in the set"), ("of one gender", "annotated")):
        excluded = frame[(frame["measure"] == "excluded") & (frame["stage"] == stage)]["value"].sum()
        assert images[before] == images[stage] + excluded
    assert images["of one gender"] == images["male"] + images["female"]


def test_the_reported_numbers_stand_beside_ours() -> None:
    table = gender_funnel(QUESTIONS, [], SEEN)
    assert numbers(table, "images", source="reported") == {
        "annotated": 985,
        "of one gender": 717,
        "male": 510,
        "female": 207,
    }
    text = to_markdown(table)
    assert "|      717 |" in text and max(map(len, text.splitlines())) <= WIDTH
    assert "No annotations were given." not in text
    assert "No annotations were given." in to_markdown(gender_funnel([], [], None))


@pytest.mark.parametrize(
    ("questions", "genders", "why"),
    [
        ([question("s", None)], {1: "male"}, "drawn scenes, which show no people"),
        ([question("p", 1)], None, "No annotations of perceived gender"),
        ([question("p", 1)], {1: "both", 2: "male"}, "No image of the set has people of one annotated gender"),
        ([question("p", 1)], {1: "male"}, "No model answered"),
        ([], None, "No annotations of perceived gender"),
    ],
)
def test_the_reason_for_an_empty_figure(questions: list[Any], genders: dict[int, str] | None, why: str) -> None:
    assert why in why_no_gap(questions, genders)


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_the_released_set_counts_its_photographs() -> None:
    rows = read_released(Path(os.environ["WHATIF_DATA"]) / "c-vqa" / "C-VQA-Real_questions.csv")
    images = {json.loads(row["provenance"])["img_path"] for row in rows}
    assert numbers(gender_funnel(rows, [], None), "images", scope=SET)["in the set"] == len(images)
