"""The extract step: questions of VQAv2, files that do not belong together, and questions about drawn scenes."""

from __future__ import annotations

import json
import os
from collections import Counter
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.benchmarks.cvqa_real.small import LINES, small
from tests.benchmarks.cvqa_real.vqa import QUESTIONS, USABLE, asked, released_as_vqa, vqa_project, write_vqa
from tests.pictures import icon
from tests.projects import Project
from whatif.engine.errors import WhatifError
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import draw_scene

pytestmark = pytest.mark.slow


@pytest.fixture
def project(project: Project) -> Project:
    return vqa_project(project)


def extracted(project: Project) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The rows of questions, and the reasons of rejections by item, of a new run."""
    project.make("extract")
    rejections = project.rows("extract", "rejections")
    return project.rows("extract", "questions"), {row["item_id"]: row["reason"] for row in rejections}


def test_numerical_and_boolean_questions_of_vqa_with_their_photographs(project: Project) -> None:
    rows, reasons = extracted(project)
    assert [(row["pair_id"], row["group"], row["answer"], row["answer_kind"]) for row in rows] == [
        ("1000", "numerical", "2", "number"),
        ("1001", "boolean", "yes", "boolean"),
        ("2004", "boolean", "no", "boolean"),
    ]
    assert {row["variant"] for row in rows} == {"original"}
    assert json.loads(rows[0]["provenance"]) == {
        "img_path": "COCO_val2014_000000000001.jpg",
        "image": 1,
        "question_type": "how many",
        "agreement": 8,
        "answers": 10,
    }
    images = {row["image_id"]: row["source"] for row in project.rows("extract", "images")}
    assert [images[row["image_ids"][0]] for row in rows] == [
        f"coco:COCO_val2014_00000000000{number}.jpg" for number in (1, 1, 2)
    ]
    assert reasons == {
        "1002": "other answer type",
        "2000": "not a whole number",
        "2001": 'not "how many"',
        "2002": "no majority",
        "2003": "no majority",
        "3000": "no picture",
        "3001": "not yes or no",
    }
    assert len(rows) + len(reasons) == len(QUESTIONS)
    missing = project.rows("extract", "missing")
    assert [(row["item_id"], row["reason"]) for row in missing] == [
        ("COCO_val2014_000000000003.jpg", "picture missing")
    ]


def test_that_vqa_has_other_questions_is_no_warning(project: Project) -> None:
    others = [asked(4000 + n, "What is it?", "other", (10, "a cat")) for n in range(50)]
    project.section("extract")["vqa"] = write_vqa(project.folder, [*QUESTIONS[:2], *others])
    said = project.make("extract")
    assert not [line for line in said if "source questions" in line]
    project.section("extract")["least_agreement"] = 9
    project.section("extract")["vqa"] = write_vqa(project.folder, QUESTIONS)
    said = project.make("extract")
    assert any("only 3 of 8 source questions are left; most frequent reason: no majority" in line for line in said)


def test_without_a_question_that_can_be_changed_one_line_says_what_is_needed(project: Project) -> None:
    project.section("extract")["vqa"] = write_vqa(project.folder, QUESTIONS[2:4])
    told = (
        r"none of 2 source questions is left: not a whole number \(1\), other answer type \(1\); .*begin with how many"
    )
    with pytest.raises(WhatifError, match=told):
        project.run("extract")


def test_a_higher_limit_keeps_the_questions_of_a_lower_one_and_only_their_photographs_are_read(
    project: Project,
) -> None:
    folder = Path("val2014")
    (folder / "COCO_val2014_000000000003.jpg").write_bytes(icon((10, 20, 30)))
    chosen: list[set[str]] = []
    for limit in (1, 2, 3, 4, 100):
        project.section("extract")["limit"] = limit
        rows, reasons = extracted(project)
        chosen.append({row["pair_id"] for row in rows})
        assert len(rows) == min(limit, len(USABLE))
        assert Counter(reasons.values())["not drawn"] == len(USABLE) - len(rows)
        assert len(rows) + len(reasons) == len(QUESTIONS)
        images = {row["image_id"] for row in project.rows("extract", "images")}
        assert images == {image for row in rows for image in row["image_ids"]}
    assert all(lower <= higher for lower, higher in pairwise(chosen))
    project.values["seed"], project.section("extract")["limit"] = 3, 2
    assert {row["pair_id"] for row in extracted(project)[0]} != chosen[1]


def test_files_of_different_splits_are_refused(project: Project) -> None:
    files = write_vqa(project.folder)
    other = project.folder / "train"
    other.mkdir()
    mixed = {"questions": files["questions"], "annotations": write_vqa(other, data_subtype="train2014")["annotations"]}
    project.section("extract")["vqa"] = mixed
    told = (
        r"questions.json and .*annotations.json: do not belong together: the questions are of val2014, the annotations "
    )
    with pytest.raises(WhatifError, match=told + "of train2014; give both files of one split"):
        project.run("extract")


def test_files_without_a_common_question_are_refused(project: Project) -> None:
    other = project.folder / "other"
    other.mkdir()
    files = write_vqa(project.folder, data_subtype="")
    renumbered = [
        ({**one, "question_id": one["question_id"] + 500}, {**two, "question_id": two["question_id"] + 500})
        for one, two in QUESTIONS
    ]
    files["annotations"] = write_vqa(other, renumbered, data_subtype="")["annotations"]
    project.section("extract")["vqa"] = files
    told = "do not belong together: no question has its annotation .question 1000: question without annotation, none in"
    with pytest.raises(WhatifError, match=told):
        project.run("extract")


@pytest.mark.parametrize("subtype", ["my-set 2014", "../../x"])
def test_another_name_of_a_split_is_no_part_of_the_names_of_photographs(project: Project, subtype: str) -> None:
    project.section("extract")["vqa"] = write_vqa(project.folder, data_subtype=subtype)
    rows, _ = extracted(project)
    assert json.loads(rows[0]["provenance"])["img_path"] == "000000000001.jpg" and rows[0]["image_ids"]


@pytest.mark.parametrize("image", [-1, 10**12])
def test_an_image_that_is_no_photograph_of_coco_is_named_with_its_file(project: Project, image: int) -> None:
    odd = asked(1, "How many dogs are there?", "number", (10, "2"), image=image)
    project.section("extract")["vqa"] = write_vqa(project.folder, [*QUESTIONS, odd])
    with pytest.raises(WhatifError, match=rf"questions.json: image {image} is no photograph of MS-COCO; its ids have"):
        project.run("extract")


def test_single_records_that_do_not_join_are_counted(project: Project) -> None:
    one, annotation = asked(5000, "Is it a dog?", "yes/no", (10, "yes"))
    records = [*QUESTIONS, (one, {**annotation, "question_id": 5001}), asked(6000, "Is it?", "yes/no", (10, "yes"))]
    records[-1] = (records[-1][0], {**records[-1][1], "image_id": 7})
    project.section("extract")["vqa"] = write_vqa(project.folder, records)
    rows, reasons = extracted(project)
    assert Counter(reasons.values()) == Counter(
        {
            **dict.fromkeys(("question without annotation", "annotation without question", "images differ"), 1),
            **dict.fromkeys(("other answer type", 'not "how many"', "not a whole number", "not yes or no"), 1),
            "no majority": 2,
            "no picture": 1,
        }
    )
    assert len(rows) + len(reasons) == len(records) + 1  # 5000 and 5001 are two records that do not join


def test_photographs_need_folders(project: Project) -> None:
    project.section("extract")["image_folders"] = []
    with pytest.raises(WhatifError, match=r"extract.cvqa-real.image_folders: is empty; name the folders of COCO's"):
        project.run("extract")
    (project.folder / "empty").mkdir()
    project.section("extract")["image_folders"] = [str(project.folder / "empty")]
    with pytest.raises(
        WhatifError, match=r"none of 3 photographs is left: picture missing \(3\); .*; name the folders"
    ):
        project.run("extract")


def test_two_sources_are_refused(project: Project) -> None:
    project.section("extract")["questions"] = "released.csv"
    with pytest.raises(WhatifError, match="names two sources, questions and vqa; set one of them to null"):
        project.run("extract")


def test_the_released_questions_are_extracted_as_they_are(tmp_path: Path) -> None:
    project = small(Project(tmp_path / "released"))
    rows, reasons = extracted(project)
    assert len(rows) == 2 * (len(LINES.splitlines()) - 1) and reasons == {}
    assert {row["variant"] for row in rows} == {"original", "counterfactual"}
    assert [row["item_id"] for row in project.rows("extract", "missing")] == ["COCO_val2014_000000000003.jpg"]


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_the_released_originals_are_questions_that_can_be_changed(tmp_path: Path) -> None:
    data = Path(os.environ["WHATIF_DATA"])
    project = Project(tmp_path / "vqa", "cvqa-real")
    folders = [str(data / "coco-mini" / name) for name in ("val2017", "train2017")]
    project.section("extract").update(vqa=released_as_vqa(data, tmp_path), image_folders=folders)
    rows, reasons = extracted(project)
    assert set(reasons.values()) == {"no picture"}
    assert (len(rows), len(rows) + len(reasons)) == (15, 3144)
    assert len(project.rows("extract", "images")) == 14


def test_by_default_questions_are_about_drawn_scenes_that_can_be_drawn_again(tmp_path: Path) -> None:
    project = Project(tmp_path / "drawn", "cvqa-real")
    project.section("extract")["scenes"] = {"number": 12, "side": 96}
    rows, reasons = extracted(project)
    assert {row["group"] for row in rows} == {"numerical", "boolean"}
    assert set(reasons.values()) == {"other answer type"}
    encoded = {row["image_id"]: row["image"]["bytes"] for row in project.rows("extract", "images")}
    assert len(encoded) == 12
    for row in rows:
        known = json.loads(row["provenance"])
        assert (known["split"], known["agreement"], known["answers"]) == ("test", 10, 10)
        scene = draw_scene(known["split"], known["number"], known["seed"])
        with Image.open(BytesIO(encoded[row["image_ids"][0]])) as image:
            assert np.array_equal(np.asarray(image.convert("RGB")), draw_scene_picture(scene, 96))
    assert {json.loads(row["provenance"])["number"] for row in rows} == set(range(12))
