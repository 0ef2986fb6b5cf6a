"""The visual forms: which images each has, what is on the canvases, and how high their labels are."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.benchmarks.mucr.groups import World, asked, make, png_of, prepare
from tests.benchmarks.mucr.rows import Row
from tests.projects import Project
from whatif.benchmarks.mucr.forms import encoded
from whatif.engine.artifacts.images import image_row
from whatif.engine.errors import WhatifError
from whatif.models.composite_picture import composite, layout_of
from whatif.models.square import squared
from whatif.world.drawing.strip import strip, strip_layout

pytestmark = pytest.mark.slow

FIVE = ["Cause", *"ABCD"]
SIDE = 48


def made(project: Project, world: World, **settings: Any) -> tuple[list[Row], dict[str, Row]]:
    """The questions of the test groups, and the canvases by id."""
    make(prepare(project, world, train_share=0.0, **settings))
    return asked(project), {row["image_id"]: row for row in asked(project, "composites")}


def decoded(row: Row) -> Image.Image:
    image = Image.open(io.BytesIO(row["image"]["bytes"]))
    image.load()
    assert image.size == (row["width"], row["height"])
    return image


def shown(row: Row, side: int = SIDE) -> list[Image.Image]:
    """The images that a question shows: the cause, and the effects in the order of the letters."""
    names = json.loads(row["provenance"])["candidates"]
    return [Image.open(io.BytesIO(png_of(name, side))) for name in (names["cause"], *names["effects"])]


def canvas_of(row: Row) -> Image.Image:
    """The canvas of a question, drawn by the test."""
    images = shown(row)
    labels = FIVE if len(images) == 5 else ["Cause", "Effect"]
    if row["variant"] == "cause-and-composite":
        images, labels = images[1:], labels[1:]
        if len(images) == 1:
            return squared(strip(images, labels, input_side=448, least_label_height=8))
    if row["variant"] == "strip":
        return squared(strip(images, labels, input_side=448, least_label_height=8))
    return squared(composite(images, labels))


def test_every_form_shows_the_images_of_its_item(project: Project) -> None:
    world = World(1)
    rows, canvases = made(project, world)
    images = {row["candidate_id"]: row["image_id"] for row in world.candidates}
    seen = defaultdict(set)
    for row in rows:
        noted = json.loads(row["provenance"])
        if "candidates" not in noted:
            assert row["variant"].startswith("text") and row["image_ids"] == []
            continue
        cause, effects = noted["candidates"]["cause"], noted["candidates"]["effects"]
        seen[row["variant"]].add(len(row["image_ids"]))
        *apart, last = row["image_ids"]
        if row["variant"] == "separate":
            assert row["image_ids"] == [images[name] for name in (cause, *effects)]
            assert noted["image_labels"] == (FIVE if len(effects) == 4 else ["Cause", "Effect"])
            assert noted["label_height"] is None
            continue
        if row["variant"] == "cause-and-composite":
            assert apart == [images[cause]]
            assert noted["image_labels"] == ["Cause", "Effects" if len(effects) == 4 else "Effect"]
        else:
            assert apart == [] and noted["image_labels"] is None
        assert decoded(canvases[last]).tobytes() == canvas_of(row).tobytes(), row["question_id"]
    assert seen["separate"] == {2, 5} and seen["cause-and-composite"] == {2}
    assert seen["composite"] == seen["strip"] == seen["composite-hints"] == seen["composite-zh"] == {1}


def test_a_canvas_is_stored_once_and_no_canvas_is_stored_in_vain(project: Project) -> None:
    rows, canvases = made(project, World(1))
    used = {image_id for row in rows if row["variant"] != "separate" for image_id in row["image_ids"][-1:]}
    assert used == set(canvases)
    assert len({decoded(row).tobytes() for row in canvases.values()}) == len(canvases)
    # C2E: three styles, the effects alone, a strip. CP and EXP share three. The contextual variation has one.
    assert len(canvases) == 4 * (3 + 1 + 1 + 3 + 1)
    assert {row["licence"] for row in canvases.values()} == {"CC0-1.0"}
    assert {row["source"] for row in canvases.values()} == {"composite:composite", "composite:strip"}
    assert all(row["width"] == row["height"] for row in canvases.values())


def test_licences_of_all_images_are_named(project: Project) -> None:
    world = World(1)
    others = {row["image_id"] for row in world.candidates if row["side"] == "effect"}
    for row in world.images:
        row["licence"] = "CC-BY-4.0" if row["image_id"] in others else "CC0-1.0"
    _, canvases = made(project, world)
    # The canvases of Form-2 have effects only.
    assert {row["licence"] for row in canvases.values()} == {"CC-BY-4.0; CC0-1.0", "CC-BY-4.0"}


def test_the_height_of_the_labels_is_noted(project: Project) -> None:
    rows, _ = made(project, World(1))
    heights = {
        (row["group"], row["variant"]): json.loads(row["provenance"]).get("label_height")
        for row in rows
        if "hints" not in row["variant"] and "zh" not in row["variant"]
    }
    layout = layout_of([(SIDE, SIDE)] * 5, FIVE)
    capital = layout.font_size * 0.7 * 448 / max(layout.size)
    assert heights["C2E", "composite"] == pytest.approx(capital, abs=0.5)
    strips = strip_layout([(SIDE, SIDE)] * 5, FIVE, input_side=448, least_label_height=8)
    assert heights["C2E", "strip"] == pytest.approx(strips.font_size * 0.7 * 448 / max(strips.size), abs=0.5)
    assert heights["C2E", "separate"] is None and heights["C2E", "text"] is None
    assert all(height >= 8 for (_, variant), height in heights.items() if variant not in ("separate", "text"))


def test_small_labels_of_composites_are_said(project: Project) -> None:
    make(prepare(project, World(1), train_share=0.0, input_side=200))
    (warning,) = [line for line in project.messages if line.startswith("warning")]
    assert warning.startswith("warning: 24 composites have labels that are 5.0 pixels high or higher after")
    assert "after scaling to 200 pixels, less than 8; larger labels need a larger verify.mucr.questions" in warning
    noted = [json.loads(row["provenance"])["label_height"] for row in asked(project) if row["variant"] == "strip"]
    assert min(noted) >= 8, "those of strips are large enough"
    assert not [line for line in make(prepare(Project(project.folder / "other"), World(1))) if "warning" in line]


def test_labels_of_a_strip_that_cannot_be_read_are_an_error(project: Project) -> None:
    with pytest.raises(WhatifError, match="must be 40 pixels high at an input side of 448, but they can be") as error:
        make(prepare(project, World(1), least_label_height=40))
    said = str(error.value)
    assert said.startswith("verify.mucr.questions: ") and "\n" not in said
    assert "lower the least height to 20, or raise the input side to 875" in said
    assert said.endswith("or leave out the forms strip and cause-and-composite")
    forms = ["text", "composite", "separate"]
    make(prepare(Project(project.folder / "other"), World(1), least_label_height=40, forms=forms))


def photograph(side: int, name: int) -> bytes:
    """A PNG that cannot be compressed well, as that of a photograph."""
    rng = np.random.default_rng(name)
    ground = np.linspace(0, 200, side)[:, None, None] + rng.normal(0, 20, (side, side, 3))
    out = io.BytesIO()
    Image.fromarray(ground.clip(0, 255).astype(np.uint8)).save(out, "PNG")
    return out.getvalue()


def test_canvases_of_photographs_are_jpeg_and_those_of_drawings_are_exact(project: Project) -> None:
    world = World(1)
    _, canvases = made(project, world)
    assert {decoded(row).format for row in canvases.values()} == {"PNG"}
    other = Project(project.folder / "photographs")
    for number, (candidate, image) in enumerate(zip(world.candidates, world.images, strict=True)):
        image.update(image_row(photograph(SIDE, number), SIDE, SIDE, "test", "CC0-1.0"))
        candidate["image_id"] = image["image_id"]
    _, canvases = made(other, world)
    assert {decoded(row).format for row in canvases.values()} == {"JPEG"}


def test_an_encoded_canvas_has_its_pixels(tmp_path: Path) -> None:
    drawn = Image.open(io.BytesIO(png_of("a", 64))).convert("RGB")
    assert Image.open(io.BytesIO(encoded(drawn, exact=True))).tobytes() == drawn.tobytes()
    about = np.asarray(Image.open(io.BytesIO(encoded(drawn, exact=False))), np.float64)
    assert np.abs(about - np.asarray(drawn, np.float64)).mean() < 3
    assert encoded(drawn, exact=False) == encoded(drawn.copy(), exact=False)
