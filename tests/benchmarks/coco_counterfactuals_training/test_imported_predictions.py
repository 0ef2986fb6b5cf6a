"""Imported predictions through the graph: several seeds, class names that repeat, and entries that do not fit."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.coco_counterfactuals_training.trained import made_table, results
from tests.projects import Project
from whatif.benchmarks.coco_counterfactuals_training import released_clip
from whatif.benchmarks.coco_counterfactuals_training.recognition import recomputed
from whatif.benchmarks.coco_counterfactuals_training.results import recognitions
from whatif.engine.errors import WhatifError
from whatif.formats.prediction_folder import FILE, read_prediction_folder
from whatif.results.site.comparison import EQUAL, comparison

pytestmark = pytest.mark.slow

NAME = "coco-counterfactuals-training"


@pytest.fixture
def project(project: Project) -> Project:
    project.select(NAME)
    return project


def saved(project: Project, **arrays: list[int]) -> None:
    for name, values in arrays.items():
        np.save(project.folder / f"{name}.npy", np.array(values, np.int64))


def entry(predictions: str, **more: Any) -> dict[str, Any]:
    files = {"predictions": f"{predictions}.npy", "truth": "truth.npy", "classes": "names.txt"}
    return {"data_set": "cifar10", **files, **more}


def made(project: Project, entries: list[dict[str, Any]], folders: list[dict[str, Any]] | None = None) -> Project:
    project.section("extract").update(predictions=entries, prediction_folders=folders or [])
    project.make_jobs([job for job in project.jobs("extract") if job.step.name == "predictions"])
    return project


def three(project: Project) -> list[dict[str, Any]]:
    (project.folder / "names.txt").write_text("crane\ndog\ncrane\n")
    saved(project, truth=[0, 1, 2, *[1] * 8], first=[0, 1, 1, *[1] * 8], second=[0, 0, 2, *[1] * 8])
    trained = {"mixture": "base", "name": "Released"}
    return [entry("second", seed=108, **trained), entry("first"), entry("first", seed=107, **trained)]


def test_predictions_of_seeds_and_of_the_checkpoint(project: Project) -> None:
    made(project, three(project))
    rows = project.rows("extract", "imported", "predictions")
    assert len(rows) == 33
    assert [(row["item_id"], row["label"], row["predicted"]) for row in rows[:3]] == [
        ("00", 0, 0),
        ("01", 1, 1),
        ("02", 2, 1),
    ]
    assert list(dict.fromkeys((row["model"], row["mixture"], row["division"], row["seed"]) for row in rows)) == [
        ("Imported", "pre-trained", "published", "pre-trained"),
        ("Released", "base", "published", "seed-107"),
        ("Released", "base", "published", "seed-108"),
    ]
    classes = project.rows("extract", "imported-classes", "predictions")
    assert [(row["data_set"], row["label"], row["name"]) for row in classes] == [
        ("cifar10", 0, "crane"),
        ("cifar10", 1, "dog"),
        ("cifar10", 2, "crane"),
    ]
    assert any("names.txt: 3 classes have 2 names; repeated: crane" in line for line in project.messages)
    assert any(
        "Imported, pre-trained, pre-trained, cifar10: 11 images, accuracy 90.91%" in line for line in project.messages
    )


def test_no_predictions_are_two_empty_tables(project: Project) -> None:
    made(project, [])
    assert project.rows("extract", "imported", "predictions") == []


def test_entries_that_do_not_fit_together(project: Project) -> None:
    entries = three(project)
    with pytest.raises(
        WhatifError, match=r"predictions\[1\] and predictions\[3\] are both of Imported, pre-trained, .*, cifar10"
    ):
        made(project, [*entries, entry("second")])
    saved(project, other=[1] * 11)
    with pytest.raises(WhatifError, match=r"other.npy: differs from truth.npy, also of cifar10; give the predictions"):
        made(project, [*entries, entry("second", name="Mine", truth="other.npy")])
    (project.folder / "more.txt").write_text("crane\ndog\ncrane\nbee\n")
    with pytest.raises(WhatifError, match=r"more.txt: differs from names.txt, also of cifar10; give all predictions"):
        made(project, [*entries, entry("second", name="Mine", classes="more.txt")])
    (project.folder / "names.txt").write_text("crane\ndog\n")
    with pytest.raises(WhatifError, match=r"truth.npy: number 2 \(from 0\) is 2; names.txt has 2 classes"):
        made(project, entries)


@pytest.mark.parametrize("more", [{"seed": 107}, {"mixture": "base"}])
def test_a_training_has_a_seed_and_a_checkpoint_has_none(project: Project, more: dict[str, Any]) -> None:
    with pytest.raises(WhatifError, match="give seed with the mixture of a training, and only with it"):
        made(project, [entry("first", **more)])


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="WHATIF_DATA is not set")
def test_the_released_predictions(project: Project) -> None:
    """Each but ImageNet, whose released list of classes has 997 names for 1,000 classes."""
    folder = Path(os.environ["WHATIF_DATA"]) / "coco-counterfactuals"
    entries = [
        {
            "data_set": name,
            "predictions": str(folder / "clip" / f"predictions_{name}.npy"),
            "truth": str(folder / "clip" / f"groundtruth_{name}.npy"),
            "classes": str(folder / "classes" / f"{name}.txt"),
        }
        for name in ("cifar10", "cifar100", "food101", "caltech101", "caltech256", "imagenet")
    ]
    made(project, entries[:-1])
    assert len(project.rows("extract", "imported", "predictions")) == 84_534
    assert sum("accuracy" in line for line in project.messages) == 5
    for name, accuracy in (("cifar10", "88.80"), ("caltech101", "90.32"), ("caltech256", "83.43")):
        assert any(f"{name}: " in line and line.endswith(f"accuracy {accuracy}%") for line in project.messages)
    with pytest.raises(
        WhatifError, match=r"imagenet.txt has 997 classes, so indices are 0 to 996; give the names of all"
    ):
        made(project, entries)


REPORTED = {
    "CIFAR10": "88.80",
    "CIFAR100": "64.17",
    "Food101": "84.17",
    "Caltech101": "90.32",
    "Caltech256": "83.43",
    "ImageNet": "59.25",
    "mean": "78.36",
}


def test_the_first_row_of_table_4_is_regenerated_from_the_artifact_of_the_default_run(project: Project) -> None:
    (folder,) = project.section("extract")["prediction_folders"]
    made(project, [], [folder])
    paths = list(project.folder.glob("data/extract/**/imported.parquet"))
    trained = results({"clip": "CLIP"}, recognitions=recognitions(paths))
    found = recomputed(trained, folder["name"])
    assert {name: f"{one.accuracy:.2f}" for name, (one, _) in found.items()} == REPORTED
    assert found["mean"][0].images == sum(one.images for one, _ in found.values()) / 2 == 134_534
    assert all(ends.low < one.accuracy < ends.high for one, ends in found.values())
    table = made_table("table4", trained)
    rows = table.frame[(table.frame["source"] == "recomputed") & (table.frame["measure"] == "accuracy")]
    assert {name: f"{value:.2f}" for name, value in zip(rows["data_set"], rows["value"], strict=True)} == REPORTED
    beside = comparison(table.frame)
    assert beside is not None
    equal = {cell.labels[1]: float(cell.own) for cell in beside.cells if cell.verdict == EQUAL}
    assert equal == {name: float(value) for name, value in REPORTED.items()}
    assert "7 of 7 numbers of CLIP (ViT-B/32) are those reported" in " ".join(table.views[1].note.split())


def test_the_artifact_is_small_and_has_its_licence_beside_it() -> None:
    files = {path.name: path for path in released_clip.FOLDER.iterdir()}
    assert set(files) == {FILE, "README.md", "LICENSE"}
    assert files[FILE].stat().st_size < 400_000
    assert "CC-BY-4.0" in files["LICENSE"].read_text(encoding="utf-8")
    assert "Le, Vasudev Lal and Phillip Howard" in files["README.md"].read_text(encoding="utf-8")
    read = read_prediction_folder(released_clip.FOLDER)
    assert {name: int(max(labels.max(), predicted.max())) + 1 for name, (labels, predicted) in read.items()} == (
        released_clip.CLASSES
    )


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="WHATIF_DATA is not set")
def test_the_artifact_is_made_again_to_the_same_bytes(tmp_path: Path) -> None:
    released_clip.make(Path(os.environ["WHATIF_DATA"]) / "coco-counterfactuals" / "clip", tmp_path / FILE)
    assert (tmp_path / FILE).read_bytes() == (released_clip.FOLDER / FILE).read_bytes()


def test_own_predictions_stand_beside_those_of_a_folder(project: Project) -> None:
    """On other images of the same data set; but not under the same name."""
    (folder,) = project.section("extract")["prediction_folders"]
    made(project, three(project), [folder])
    assert len(project.rows("extract", "imported", "predictions")) == 33 + 134_534
    with pytest.raises(WhatifError, match=r"prediction_folders\[0\] and prediction_folders\[1\] are both of CLIP"):
        made(project, [], [folder, folder])


def test_a_folder_that_is_none_is_told_in_one_line(project: Project) -> None:
    def told(name: str) -> str:
        with pytest.raises(WhatifError) as caught:
            made(project, [], [{"folder": name, "name": "Mine"}])
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert "nowhere/predictions.parquet: cannot be read" in told("nowhere")
    assert "has no folder 'nowhere'" in told("package:whatif/nowhere")
    folder = project.folder / "mine"
    shutil.copytree(released_clip.FOLDER, folder)
    whole = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(whole[: len(whole) // 2])
    assert "is not a complete Parquet file" in told("mine")
    (folder / FILE).write_text("data_set,label,predicted\n")
    assert "is not a complete Parquet file" in told("mine")
