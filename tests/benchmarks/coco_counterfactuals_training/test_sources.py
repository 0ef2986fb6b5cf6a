"""The sources of training with counterfactuals: drawn pairs, or captions whose ids are those of other pairs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.pictures import png
from tests.projects import Project, Row
from whatif.benchmarks.coco_counterfactuals_training.schemas import ORIGINALS
from whatif.benchmarks.coco_counterfactuals_training.sources import captions_with_ids
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import IMAGES, JUDGEMENTS, PAIRS, REJECTIONS
from whatif.engine.errors import WhatifError
from whatif.formats.caption_sets import SourceCaption

pytestmark = pytest.mark.slow

NAME = "coco-counterfactuals-training"
TABLES = {
    "pairs": PAIRS,
    "images": IMAGES,
    "judgements": JUDGEMENTS,
    "originals": ORIGINALS,
    "photographs": IMAGES,
    "rejections": REJECTIONS,
}


def made(project: Project, pairs: str, **settings: Any) -> dict[str, list[Row]]:
    project.select(NAME)
    if pairs != "scenes":
        project.values["benchmarks"].append(pairs)
    project.section("extract").update(pairs=pairs, **settings)
    (job,) = [job for job in project.jobs("extract") if job.step.benchmark == NAME and not job.step.name]
    project.make_jobs([job])
    return {role: artifacts.read([job.outputs[role]], table).to_pylist() for role, table in TABLES.items()}


def coco(project: Project) -> None:
    """Two photographs with two captions and one, of which the first file is there."""
    folder = project.folder / "val2017"
    folder.mkdir()
    (folder / "000000000007.jpg").write_bytes(png((1, 2, 3)))
    images = [{"id": number, "file_name": f"{number:012d}.jpg", "width": 16, "height": 16} for number in (7, 25)]
    captions = [(38, 7, "A cat."), (12, 25, "A dog."), (9, 7, "A black cat.\n")]
    annotations = [{"id": number, "image_id": image, "caption": text} for number, image, text in captions]
    (project.folder / "captions.json").write_text(json.dumps({"images": images, "annotations": annotations}))


def test_drawn_pairs_come_with_images_judgements_and_originals(project: Project) -> None:
    rows = made(project, "scenes", scenes={"pairs": 20, "unpaired": 6, "captions_per_image": 2, "wrong": 0.25})
    assert [len(rows[role]) for role in ("pairs", "judgements", "originals", "photographs")] == [20, 40, 26, 13]
    ids = {row["image_id"] for row in rows["images"]}
    assert {row[f"image_id_{side}"] for row in rows["pairs"] for side in (0, 1)} == ids
    assert {row["image_id"] for row in rows["originals"]} == {row["image_id"] for row in rows["photographs"]}
    assert [row["pair_id"] for row in rows["pairs"]] == [row["caption_id"] for row in rows["originals"]][:20]
    assert rows["rejections"] == []


def test_captions_of_released_pairs_have_the_ids_of_the_pairs(project: Project) -> None:
    coco(project)
    settings = {"captions": "captions.json", "image_folders": ["val2017"]}
    rows = made(project, "coco-counterfactuals-released", **settings)
    # Caption k in the order of the file, not of the ids of the annotations.
    assert [(row["caption_id"], row["caption"]) for row in rows["originals"]] == [
        ("7_0", "A cat."),
        ("7_1", "A black cat."),
    ]
    assert {row["image_id"] for row in rows["originals"]} == {row["image_id"] for row in rows["photographs"]}
    assert [(row["item_id"], row["reason"]) for row in rows["rejections"]] == [("25_0", "picture missing")]
    assert rows["pairs"] == rows["images"] == rows["judgements"] == []


def test_captions_of_our_pairs_keep_their_ids(project: Project) -> None:
    coco(project)
    settings = {"captions": "captions.json", "image_folders": ["val2017"]}
    rows = made(project, "coco-counterfactuals", **settings)
    assert [row["caption_id"] for row in rows["originals"]] == ["coco-00000009", "coco-00000038"]
    assert [row["item_id"] for row in rows["rejections"]] == ["coco-00000012"]


def test_captions_without_text_or_image_are_rejected(project: Project) -> None:
    (project.folder / "images").mkdir()
    (project.folder / "images" / "a.png").write_bytes(png((1, 2, 3)))
    (project.folder / "c.csv").write_text(
        "id,caption,image\none,A cat.,a.png\ntwo,,a.png\nthree,A dog.,\nfour,A,b.png\n"
    )
    rows = made(project, "coco-counterfactuals-released", captions="c.csv", image_folders=["images"])
    assert [row["caption_id"] for row in rows["originals"]] == ["one"]
    assert {row["item_id"]: row["reason"] for row in rows["rejections"]} == {
        "two": "empty caption",
        "three": "no photograph",
        "four": "picture missing",
    }
    assert any("only 1 of 4 originals is left" in line for line in project.messages)


@pytest.mark.parametrize(
    ("folders", "told"), [([], "originals"), (["nosuch"], "nosuch: no such folder; give folders of COCO photographs")]
)
def test_no_original_left_is_an_error(project: Project, folders: list[str], told: str) -> None:
    coco(project)
    with pytest.raises(WhatifError, match=told):
        made(project, "coco-counterfactuals-released", captions="captions.json", image_folders=folders)


def test_an_id_that_two_captions_have_is_an_error(project: Project) -> None:
    (project.folder / "val2017").mkdir()
    (project.folder / "val2017" / "000000000007.jpg").write_bytes(png((1, 2, 3)))
    (project.folder / "c.csv").write_text("id,caption,image\n7_0,A cat.,a.png\nx,A cat.,000000000007.jpg\n")
    with pytest.raises(WhatifError, match=r"c\.csv: two captions have the id 7_0; give each its own"):
        made(project, "coco-counterfactuals-released", captions="c.csv", image_folders=["val2017"])


def test_a_photograph_has_the_same_id_in_every_release() -> None:
    names = ("COCO_val2014_000000000007.jpg", "000000000007.jpg", "other.jpg")
    captions = [SourceCaption(str(number), "A cat.", name) for number, name in enumerate(names)]
    assert [one.caption_id for one in captions_with_ids(captions, released=True)] == ["7_0", "7_1", "2"]
    assert list(captions_with_ids(captions, released=False)) == captions


def test_a_kind_of_scenes_is_for_drawn_sets(project: Project) -> None:
    project.select(NAME)
    project.section("extract")["retrieval"]["scenes"] = {"captions": "c.csv", "kind": "pair"}
    with pytest.raises(WhatifError, match="kind: is of drawn scenes; remove it, or give scenes instead of captions"):
        project.jobs("extract")
    project.section("extract")["retrieval"]["scenes"] = {"scenes": 10, "kind": "three"}
    with pytest.raises(WhatifError, match="input should be 'one', 'pair' or 'counted'"):
        project.jobs("extract")


def test_the_default_draws_enough_originals_for_both_mixtures_of_table_5(project: Project) -> None:
    project.select(NAME)
    scenes, mixed = project.section("extract")["scenes"], project.generate
    remaining = 2 * scenes["pairs"] * (1 - mixed["withheld_share"])
    assert scenes["pairs"] * (1 - mixed["withheld_share"]) + scenes["unpaired"] >= remaining


def test_another_evaluation_set_extracts_no_pair_again(project: Project) -> None:
    coco(project)
    settings = {"captions": "captions.json", "image_folders": ["val2017"]}
    made(project, "coco-counterfactuals-released", **settings)
    for name in ("cat", "dog"):
        (project.folder / "classes" / name).mkdir(parents=True)
        (project.folder / "classes" / name / "a.png").write_bytes(png((len(name), 2, 3)))
    extract = project.section("extract")
    extract["retrieval"]["scenes"]["scenes"] = 20
    extract["classification"] = {"animals": {"images": "classes"}}

    def again() -> set[str]:
        jobs = [job for job in project.jobs("extract") if job.step.benchmark == NAME and not job.step.name]
        return set(project.run_jobs(jobs).values())

    assert again() == {"up to date"}
    (project.folder / "val2017" / "000000000025.jpg").write_bytes(png((4, 5, 6)))
    assert again() == {"computed"}
