"""Annotations of perceived gender, image by image."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whatif.benchmarks.cvqa_real.gender_annotations import coco_image_of, genders_of, perceived_genders
from whatif.engine.errors import WhatifError


def test_an_image_has_the_genders_of_all_its_people(tmp_path: Path) -> None:
    path = tmp_path / "genders.csv"
    path.write_text(
        "id,bb_gender,bb_skin\n1,Male,Light\n1,Male,Dark\n2,Female,Light\n3,Male,Light\n3,Female,Light\n4,Unsure,Dark\n"
        "5,Male,Light\n5,Unsure,Light\n6,,\n",
        encoding="utf-8",
    )
    kinds = {1: "male", 2: "female", 3: "both", 4: "unsure", 5: "unsure", 6: "unsure"}
    assert perceived_genders(path) == kinds
    assert list(perceived_genders(path)) == sorted(kinds)


def test_an_image_of_both_is_so_whatever_else_is_said_of_it(tmp_path: Path) -> None:
    path = tmp_path / "genders.csv"
    rows = "1,Both\n2,Male\n2,Both\n3,Unsure\n3,Male\n3,Female\n4,Unsure\n4,Both\n"
    path.write_text(f"id,bb_gender\n{rows}", encoding="utf-8")
    assert set(perceived_genders(path).values()) == {"both"}


def question(name: str | None, images: tuple[str, ...]) -> dict[str, Any]:
    provenance = {"split": "train"} if name is None else {"img_path": name}
    return {"pair_id": "p", "image_ids": list(images), "provenance": json.dumps(provenance)}


def test_only_photographs_of_one_annotated_gender_count() -> None:
    known = {1: "male", 2: "both", 3: "female", 4: "unsure"}
    rows = [question(f"COCO_val2014_{number:012d}.jpg", (f"i{number}",)) for number in range(1, 6)]
    rows += [question(None, ("scene",)), question("drawing.png", ("drawing",)), question("000000000003.jpg", ())]
    assert genders_of(rows, known) == {"i1": "male", "i3": "female"}
    assert [coco_image_of(row) for row in rows] == [1, 2, 3, 4, 5, None, None, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; it needs one row for each person or image, with id, bb_gender"),
        (
            "id,gender\n1,Male\n",
            "has no column bb_gender; annotations of perceived gender have id, bb_gender; found: id, gender",
        ),
        ("id,bb_gender\n1,Male\nx,Male\n", "line 3: id is 'x'; it must be the number of a COCO image"),
        ("id,bb_gender\n1,Male\n2,F\n", "line 3: bb_gender is 'F'; it must be male, female, both, unsure"),
        (f"id,bb_gender\n1,{'x' * 140_000}\n", "line 2: bb_gender is 'xxx"),
        ('id,bb_gender\n1,"Male\n', "line 2: cannot be read"),
        (None, r"genders\.csv: no such file; give the path of a file of annotations of perceived gender"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "genders.csv"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(WhatifError, match=message):
        perceived_genders(path)
