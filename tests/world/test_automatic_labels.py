"""Automatic labels: correct on drawn images, and each kind of error gets its category."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError
from whatif.people.consensus import made_by
from whatif.people.error_categories import ANNOTATION, ATTRIBUTE, DETAILS, HYPONYMY, OBJECT
from whatif.world.automatic_labels import (
    automatic_categories,
    automatic_category,
    automatic_decision,
    automatic_labels,
)
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scene_recognition import Recognised
from whatif.world.scenes import Scene, draw_scene

THERE = {"noun": "cup", "colour": "blue", "background": "white"}


class Drawn:
    def __init__(self) -> None:
        self.pictures: dict[str, Image.Image | None] = {}

    def get(self, image_id: str) -> Image.Image:
        found = self.pictures[image_id]
        if found is None:
            raise UnreadableImageError(f"image {image_id}: broken")
        return found


def scene(noun: str, colour: str = "blue", background: str = "white") -> Scene:
    drawn = draw_scene("test", 3, 5, "one")
    return replace(
        drawn,
        background=background,
        things=(replace(drawn.things[0], noun=noun, colour=colour, size="large"),),
    )


def pair(number: int, subjects: tuple[str, str] = ("cup", "ball"), **provenance: Any) -> dict[str, Any]:
    asked = {"colour": "blue", "background": "white", "relation": None, **provenance}
    return {
        "pair_id": f"p{number}",
        "caption_0": f"A large blue {subjects[0]} on a white background.",
        "caption_1": f"A large blue {subjects[1]} on a white background.",
        "subject_0": subjects[0],
        "subject_1": subjects[1],
        "image_id_0": f"{number}-0",
        "image_id_1": f"{number}-1",
        "provenance": canonical_json(asked),
    }


@pytest.mark.parametrize(
    ("changes", "decision"),
    [
        ({}, "caption_0"),
        ({"noun": "ball"}, "caption_1"),
        ({"noun": "star"}, "neither"),
        ({"noun": None}, "neither"),
        ({"colour": "red"}, "neither"),
        ({"background": None}, "neither"),
    ],
)
def test_what_is_seen_decides(changes: dict[str, Any], decision: str) -> None:
    assert automatic_decision(Recognised(**{**THERE, **changes}), pair(0)) == decision


def test_what_provenance_does_not_name_is_asked_for_by_the_caption() -> None:
    row = {**pair(0), "provenance": "{}"}
    assert automatic_decision(Recognised(**{**THERE, "noun": "ball"}), row) == "caption_1"
    assert automatic_decision(Recognised(**{**THERE, "colour": "red"}), row) == "neither"
    assert automatic_category("p0-0", row, Recognised(**{**THERE, "background": "cyan"})) == DETAILS
    two = {**row, "caption_0": "A blue cup beside a red one on a white background."}  # ambiguous
    assert automatic_decision(Recognised(**{**THERE, "colour": "red"}), two) == "caption_0"


def test_what_nothing_names_is_not_asked_for() -> None:
    row = {**pair(0), "provenance": "{}", "caption_0": "A cup.", "caption_1": "A ball."}
    assert automatic_decision(Recognised(noun="ball", colour="red"), row) == "caption_1"
    same = {**row, "subject_1": "Cup"}
    assert automatic_decision(Recognised(noun="cup"), same) == "both"


@pytest.mark.parametrize(
    ("side", "changes", "relation", "category"),
    [
        (0, {"noun": None}, None, OBJECT),
        (0, {"noun": "ball"}, None, OBJECT),
        (0, {"noun": "ball"}, "hyponym", HYPONYMY),
        (0, {"noun": "star"}, "hyponym", OBJECT),
        (1, {"noun": "ball", "colour": "red"}, None, ATTRIBUTE),
        (0, {"colour": "red", "background": "black"}, None, ATTRIBUTE),
        (0, {"background": "black"}, None, DETAILS),
        (0, {}, None, ANNOTATION),
    ],
)
def test_the_category_is_what_is_wrong(side: int, changes: dict[str, Any], relation: str | None, category: str) -> None:
    row = pair(0, relation=relation)
    assert automatic_category(f"p0-{side}", row, Recognised(**{**THERE, **changes})) == category


def test_drawn_pictures_are_labelled_and_faults_found() -> None:
    images = Drawn()
    rows = [pair(number) for number in range(6)]
    for number in range(6):
        images.pictures |= {
            f"{number}-0": draw_scene_picture(scene("cup")),
            f"{number}-1": draw_scene_picture(scene("ball")),
        }
    images.pictures["1-1"] = draw_scene_picture(scene("cup"))
    images.pictures["2-0"] = draw_scene_picture(scene("cup", colour="red"))
    images.pictures["3-0"] = None
    images.pictures["4-0"] = Image.new("RGB", (10, 20))
    judgements, rejections = automatic_labels(
        rows, images, seed=0, least_scores=(0.8, 0.5, 1.0), labelled_three_times=0.5
    )
    assert [(row["item_id"], row["reason"]) for row in rejections] == [
        ("p3-0", "picture unreadable"),
        ("p4-0", "picture not recognisable"),
    ]
    assert made_by(judgements) == "automatic"
    first = {row["item_id"]: row["decision"] for row in judgements if row["annotator"] == "automatic:recogniser-0.80"}
    assert len(first) == 10
    assert {item: first[item] for item in ("p0-0", "p0-1", "p1-1", "p2-0")} == {
        "p0-0": "caption_0",
        "p0-1": "caption_1",
        "p1-1": "caption_0",
        "p2-0": "neither",
    }
    strict = [row for row in judgements if row["annotator"] == "automatic:recogniser-1.00"]
    assert strict and all(row["decision"] == "neither" for row in strict)  # no image overlaps so well
    keys = [(row["item_id"], row["annotator"]) for row in judgements]
    assert keys == sorted(keys) and all(json.loads(row["corrected"]) == {} for row in judgements)
    found = automatic_categories(["p1-1", "p2-0"], rows, images)
    assert found == {"p1-1": OBJECT, "p2-0": ATTRIBUTE}


def test_checks_have_different_names() -> None:
    with pytest.raises(WhatifError, match="all different"):
        automatic_labels([], Drawn(), seed=0, labelled_three_times=0.1, least_scores=(0.8, 0.801))


def test_a_picture_with_a_caption_of_bytes_is_decoded() -> None:
    """The recogniser works on decoder output of encoded drawings, too."""
    out = io.BytesIO()
    draw_scene_picture(scene("cup")).save(out, "PNG")
    images = Drawn()
    with Image.open(out) as picture:
        images.pictures |= {"0-0": picture.convert("RGB"), "0-1": picture.convert("RGB")}
    judgements, _ = automatic_labels([pair(0)], images, seed=0, labelled_three_times=0)
    assert [row["decision"] for row in judgements] == ["caption_0", "caption_0"]
