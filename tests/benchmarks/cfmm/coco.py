"""A small MS-COCO for tests: photographs with objects and captions, and what annotators write about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.pictures import icon
from whatif.benchmarks.cfmm.settings import DrawnItems, ExtractCfmm

OBJECTS = {  # COCO id -> objects
    11: ["person", "dog", "cup"],
    12: ["person", "person", "dog", "cup", "cup"],
    13: ["person"],  # too few objects
    14: ["cup", "cup", "cup", "cup"],  # too few categories
    15: ["dog", "cup", "bench"],
    16: [],
    17: ["dog", "cup", "horse"],  # without a photograph
    18: ["horse", "horse", "bench"],
}
RICH = [11, 12, 15, 17, 18]
SCENES = DrawnItems(items_per_category=2, side=64, unchanged=0.25, options="exchangeable")
COUNT = {
    "basic_question": "How many cups are on the table?",
    "basic_answer": "three",
    "basic_option": "two",
    "counterfactual_question": "How many cups would be on the table if somebody took one away?",
    "counterfactual_answer": "two",
    "counterfactual_option": "three",
}


def file_name(number: int) -> str:
    return f"COCO_val2014_{number:012d}.jpg"


def write_coco(folder: Path) -> dict[str, Any]:
    """Writes the files and photographs; returns what `extract.cfmm` in params.yaml says about them."""
    names = sorted({name for objects in OBJECTS.values() for name in objects})
    images = [{"id": n, "file_name": file_name(n), "width": 40, "height": 40} for n in OBJECTS]
    flat = [(image, name) for image, objects in OBJECTS.items() for name in objects]
    instances = {
        "images": images,
        "categories": [{"id": place, "name": name} for place, name in enumerate(names)],
        "annotations": [
            {"id": place, "image_id": image, "category_id": names.index(name)}
            for place, (image, name) in enumerate(flat)
        ],
    }
    said = [(n, f"Photograph {n}\nof  things.") for n in OBJECTS] + [(11, "=A second caption")]
    captions = {
        "images": images,
        "annotations": [{"id": place, "image_id": n, "caption": text} for place, (n, text) in enumerate(said)],
    }
    (folder / "val2014").mkdir()
    for number in OBJECTS:
        if number != 17:
            (folder / "val2014" / file_name(number)).write_bytes(icon((number * 10, 60, 60)))
    for name, content in (("instances.json", instances), ("captions.json", captions)):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return {
        "instances": str(folder / "instances.json"),
        "captions": str(folder / "captions.json"),
        "image_folders": [str(folder / "val2014")],
    }


def settings(**changes: Any) -> ExtractCfmm:
    """The settings of `extract.cfmm` with a rule of three objects of two categories."""
    return ExtractCfmm.model_validate({"least_objects": 3, "least_categories": 2, "scenes": SCENES, **changes})
