"""The evaluation sets through the graph: captions with images, classes with prompts, and what is rejected."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.pictures import png
from tests.projects import Project, Row
from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow

NAME = "coco-counterfactuals-training"


@pytest.fixture
def project(project: Project) -> Project:
    project.select(NAME)
    return project


def made(project: Project, step: str, **settings: Any) -> Project:
    project.section("extract").update(settings)
    jobs = [job for job in project.jobs("extract") if job.step.name == step]
    assert jobs
    project.make_jobs(jobs)
    return project


def rows(project: Project, role: str, step: str) -> list[Row]:
    return project.rows("extract", role, step)


def searched(project: Project, **first: Any) -> Project:
    """Two retrieval sets: three images of a table of captions, of which one is missing, and one of Karpathy's JSON."""
    folder = project.folder / "photographs"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.png").write_bytes(png((number, 2, 3)))
    lines = [{"image": f"{n}.png", "captions": [f"Image {n}.", f"Number {n}.", ""]} for n in (1, 0, 7)]
    (project.folder / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    images = [
        {"filename": "2.png", "split": split, "sentences": [{"raw": f"In {split}."}]} for split in ("train", "test")
    ]
    (project.folder / "b.json").write_text(json.dumps({"images": images}))
    return made(
        project,
        "retrieval",
        retrieval={
            "scenes": {"captions": "b.json", "image_folders": ["photographs"], "split": "test"},
            "other-scenes": {"captions": "a.jsonl", "image_folders": ["photographs"], **first},
        },
    )


def test_captions_and_images_of_files(project: Project) -> None:
    searched(project, captions_per_image="all")
    found = rows(project, "retrieval", "retrieval")
    assert [(row["data_set"], row["item_id"], row["caption"]) for row in found] == [
        ("other-scenes", "0.png-0", "Image 0."),
        ("other-scenes", "0.png-1", "Number 0."),
        ("other-scenes", "1.png-0", "Image 1."),
        ("other-scenes", "1.png-1", "Number 1."),
        ("scenes", "2.png-0", "In test."),
    ]
    images = rows(project, "retrieval-images", "retrieval")
    assert {row["image_id"] for row in images} == {row["image_id"] for row in found}
    assert len(images) == 3
    refused = rows(project, "retrieval-rejections", "retrieval")
    assert [(row["item_id"], row["reason"]) for row in refused] == [
        ("other-scenes/7.png", "picture missing"),
        ("other-scenes/line 1, caption 2", "empty caption"),
        ("other-scenes/line 2, caption 2", "empty caption"),
        ("other-scenes/line 3, caption 2", "empty caption"),
    ]


def test_the_first_caption_alone(project: Project) -> None:
    searched(project)
    found = rows(project, "retrieval", "retrieval")
    assert [row["item_id"] for row in found] == ["0.png-0", "1.png-0", "2.png-0"]


def test_a_set_without_images_is_an_error(project: Project) -> None:
    (project.folder / "a.csv").write_text("image,caption\na.png,A dog.\n")
    (project.folder / "empty").mkdir()
    one = {"captions": "a.csv", "image_folders": ["empty"]}
    with pytest.raises(
        WhatifError, match=r"none of 1 captions of other-scenes is left: picture missing \(1\); .*a.png"
    ):
        made(project, "retrieval", retrieval={"scenes": one, "other-scenes": one})


def test_classes_with_their_prompts(project: Project) -> None:
    for number, name in enumerate(["apple_pie", "bee", "Bee_easy", "clutter"]):
        (project.folder / "set" / name).mkdir(parents=True)
        for image in range(3):
            (project.folder / "set" / name / f"{image}.png").write_bytes(png((number, image, 3)))
    (project.folder / "set" / "bee" / "broken.png").write_bytes(png((1, 1, 1))[:40])
    settings = {
        "images": "set",
        "prompt": "a photo of {}, a type of food",
        "leave_out": ["clutter"],
        "merge": {"Bee_easy": "bee"},
    }
    made(project, "classification", classification={"food": settings})
    classes = rows(project, "classes", "classification")
    assert [(row["data_set"], row["label"], row["name"], row["prompt"]) for row in classes] == [
        ("food", 0, "apple_pie", "a photo of apple pie, a type of food"),
        ("food", 1, "bee", "a photo of bee, a type of food"),
    ]
    labelled = rows(project, "labelled", "classification")
    assert Counter(row["label"] for row in labelled) == {0: 3, 1: 6}
    assert labelled[0]["item_id"] == "Bee_easy/0.png"
    images = rows(project, "labelled-images", "classification")
    assert {row["image_id"] for row in images} == {row["image_id"] for row in labelled}
    refused = rows(project, "labelled-rejections", "classification")
    assert Counter(row["reason"] for row in refused) == {"class left out": 3, "picture unreadable": 1}
    assert refused[0]["item_id"] == "food/bee/broken.png"


def test_repeated_names_are_reported(project: Project) -> None:
    for name in ("n1", "n2", "n3"):
        (project.folder / "set" / name).mkdir(parents=True)
        (project.folder / "set" / name / "a.png").write_bytes(png((int(name[1]), 1, 3)))
    (project.folder / "names.txt").write_text("n1 Crane, bird\nn2 Maillot\nn3 Crane, bird\n")
    settings = {"images": "set", "classes": "names.txt", "names": "first"}
    made(project, "classification", classification={"imagenet": settings})
    assert [row["prompt"] for row in rows(project, "classes", "classification")] == [
        "a photo of a crane",
        "a photo of a maillot",
        "a photo of a crane",
    ]
    assert any("3 classes have 2 names; repeated: Crane, bird" in line for line in project.messages)


def test_classes_without_an_image_are_reported(project: Project) -> None:
    for name in ("bee", "cat", "dog"):
        (project.folder / "set" / name).mkdir(parents=True)
    (project.folder / "set" / "cat" / "a.png").write_bytes(png((1, 1, 3)))
    made(project, "classification", classification={"animals": {"images": "set"}})
    assert any("animals: 2 of 3 classes have no image: bee, dog" in line for line in project.messages)
    assert len(rows(project, "classes", "classification")) == 3


def test_what_is_left_out_on_purpose_is_no_loss(project: Project) -> None:
    for number, name in enumerate(["ant", "bee", "fly"]):
        (project.folder / "set" / name).mkdir(parents=True)
        (project.folder / "set" / name / "a.png").write_bytes(png((number, 1, 3)))
    made(project, "classification", classification={"insects": {"images": "set", "leave_out": ["ant", "fly"]}})
    assert len(rows(project, "labelled-rejections", "classification")) == 2
    assert not any("warning" in line for line in project.messages)


def test_a_data_set_without_images_is_an_error(project: Project) -> None:
    for name in ("ant", "bee"):
        (project.folder / "set" / name).mkdir(parents=True)
        (project.folder / "set" / name / "a.txt").write_text("no image")
    with pytest.raises(
        WhatifError, match=r"none of 2 images is left: picture unreadable \(2\).*classification.insects"
    ):
        made(project, "classification", classification={"insects": {"images": "set"}})


def test_drawn_sets(project: Project) -> None:
    drawn = {"scenes": {"scenes": 10}, "other-scenes": {"scenes": 10, "captions_per_image": "all"}}
    made(project, "retrieval", retrieval=drawn)
    found = rows(project, "retrieval", "retrieval")
    assert Counter(row["data_set"] for row in found)["scenes"] == 10
    assert len({row["image_id"] for row in found}) == 20
    made(project, "classification", classification={"colours": {"drawn": "colours", "number": 12}})
    classes = rows(project, "classes", "classification")
    assert classes[0]["prompt"] == f"a photo of a {classes[0]['name']}"
    labelled = rows(project, "labelled", "classification")
    assert len(labelled) == 12
    assert {row["label"] for row in labelled} <= {row["label"] for row in classes}
