"""Strips: one row of panels whose labels have the required height in the image that a model's processor makes."""

from __future__ import annotations

import hashlib
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from tests.tiny_checkpoints import tiny_llava
from whatif.models.composite_picture import Layout, composite, layout_of
from whatif.models.label_height import cap_height, label_height
from whatif.models.square import squared
from whatif.world.drawing.strip import strip, strip_layout

FIVE = ["Cause", *"ABCD"]
# Panels of these sizes, in number; the last ones are small, high, wide, and of different sizes.
CASES = [
    ([(512, 512)] * 5, FIVE),
    ([(512, 512)] * 2, ["Cause", "Effect"]),
    ([(128, 128)] * 5, FIVE),
    ([(48, 48)], ["Effect"]),
    ([(300, 900)] * 5, FIVE),
    ([(640, 200), (200, 640), (90, 90)], ["Cause", "A", "B"]),
]


def white(sizes: list[tuple[int, int]]) -> list[Image.Image]:
    """Images of which nothing is seen but their frames and labels."""
    return [Image.new("RGB", size, "white") for size in sizes]


def ink_height(canvas: npt.NDArray[np.float64], box: tuple[float, float, float, float]) -> float:
    """The number of rows inside a box in which a quarter of the ink of the darkest row is seen, or more."""
    left, top, right, bottom = (round(side) for side in box)
    ink = (255 - canvas[top:bottom, left:right]).max(1)
    return float((ink > ink.max() / 4).sum())


def label_boxes(layout: Layout, square: int, side: int) -> list[tuple[float, float, float, float]]:
    """The boxes of the labels, without the frames, in the square canvas scaled to `side` pixels."""
    scale = side / square
    across, down = (square - layout.size[0]) // 2, (square - layout.size[1]) // 2
    found = []
    for cell in layout.cells:
        left, top, right, bottom = cell.label
        inner = (left + 2 + across, top + 2 + down, right - 2 + across, bottom + down)
        found.append(tuple(edge * scale for edge in inner))
    return found


@pytest.mark.parametrize("input_side", [224, 336, 448, 1_024])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_labels_are_as_high_as_required_in_the_scaled_canvas(case: int, input_side: int) -> None:
    sizes, labels = CASES[case]
    layout = strip_layout(sizes, labels, input_side=input_side, least_label_height=8)
    made = squared(strip(white(sizes), labels, input_side=input_side, least_label_height=8))
    said = label_height(layout.font_size, layout.size, input_side)
    assert said >= 8
    scaled = made.resize((input_side, input_side), Image.Resampling.BICUBIC)
    canvas = np.asarray(scaled.convert("L"), np.float64)
    for label, box in zip(labels, label_boxes(layout, made.width, input_side), strict=True):
        measured = ink_height(canvas, box)
        assert measured >= 8, label
        # The f of `Effect` is higher than a capital, and curved letters go a little beyond the line.
        assert measured == pytest.approx(said, abs=0.18 * said + 1), label


def processor_of(folder: Path, side: int) -> Any:
    """The processor of the tiny LLaVA, which scales the shorter side and crops the longer one, for this input side."""
    import transformers

    tiny_llava(folder)
    processor = transformers.AutoProcessor.from_pretrained(folder).image_processor
    assert type(processor).__name__.startswith("CLIPImageProcessor") and processor.do_center_crop
    size = {"size": {"shortest_edge": side}, "crop_size": {"height": side, "width": side}}
    return type(processor)(**size)


@pytest.mark.parametrize("side", [336, 448])
def test_labels_are_as_high_as_required_in_the_pixels_of_a_processor(tmp_path: Path, side: int) -> None:
    processor = processor_of(tmp_path, side)
    sizes, labels = CASES[0]
    layout = strip_layout(sizes, labels, input_side=side, least_label_height=8)
    wide = strip(white(sizes), labels, input_side=side, least_label_height=8)
    made = squared(wide)
    pixels = np.asarray(processor(made, return_tensors="np")["pixel_values"][0][0], np.float64)
    assert pixels.shape == (side, side)
    canvas = (pixels - pixels.min()) / (pixels.max() - pixels.min()) * 255
    heights = [ink_height(canvas, box) for box in label_boxes(layout, made.width, side)]
    assert min(heights) >= 8 and len(heights) == 5
    # Without the square, the processor cuts the first and the last label away.
    cropped = processor(wide, return_tensors="np")["pixel_values"][0][0]
    frames = (np.asarray(cropped) < cropped.max() - 0.5).mean(0) > 0.5  # columns that are dark from top to bottom
    assert np.count_nonzero(np.diff(frames.astype(int)) == 1) <= 4, "of ten frames, those of two panels are left"


def test_a_processor_that_crops_sees_all_panels_of_a_square(tmp_path: Path) -> None:
    processor = processor_of(tmp_path, 224)
    colours = [(200, 30, 30), (30, 160, 60), (40, 60, 210), (230, 190, 20), (150, 40, 170)]
    images = [Image.new("RGB", (256, 256), colour) for colour in colours]
    for wide in (strip(images, FIVE, input_side=224, least_label_height=8), composite(images, FIVE)):
        whole, cut = (
            shares_of(processor(canvas, return_tensors="np")["pixel_values"][0], colours)
            for canvas in (squared(wide), wide)
        )
        assert min(whole) > 0 and max(whole) < 1.3 * min(whole), "all panels, equally large"
        assert min(cut) < 0.75 * max(cut), "cut without the square"


def shares_of(pixels: Any, colours: list[tuple[int, int, int]]) -> list[float]:
    """The share of the pixels of a processor that have each colour."""
    mean, deviation = (np.array([0.48145466, 0.4578275, 0.40821073]), np.array([0.26862954, 0.26130258, 0.27577711]))
    shown = (np.asarray(pixels, np.float64).transpose(1, 2, 0) * deviation + mean) * 255
    return [float((np.abs(shown - colour).max(2) < 12).mean()) for colour in colours]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_panels_are_in_one_row_in_order_and_equal(case: int) -> None:
    sizes, labels = CASES[case]
    layout = strip_layout(sizes, labels, input_side=448, least_label_height=8)
    assert [cell.lines for cell in layout.cells] == [(label,) for label in labels]
    frames = [cell.frame for cell in layout.cells]
    assert len({(top, bottom, right - left) for left, top, right, bottom in frames}) == 1
    assert all(before[2] < after[0] for before, after in pairwise(frames))
    assert frames[0][0] >= 0 and frames[-1][2] <= layout.size[0] and frames[0][3] <= layout.size[1]
    assert all(cell.label[3] == cell.image[1] for cell in layout.cells)


def test_images_keep_their_pixels_and_are_scaled_with_their_aspect_ratio() -> None:
    noise = Image.effect_noise((256, 256), 60).convert("RGB")
    wide = Image.new("RGB", (256, 64), (10, 200, 30))
    made = strip([noise, wide], ["Cause", "Effect"], input_side=448, least_label_height=8)
    first, second = strip_layout(
        [(256, 256), (256, 64)], ["Cause", "Effect"], input_side=448, least_label_height=8
    ).cells
    assert made.crop(first.image).tobytes() == noise.tobytes()
    green = (np.asarray(made.crop(second.image)) == (10, 200, 30)).all(2)
    assert green[:64].all() and not green[64:].any()


def test_large_labels_are_drawn_when_they_are_required() -> None:
    small, large = (strip_layout([(512, 512)] * 5, FIVE, input_side=448, least_label_height=least) for least in (8, 18))
    assert label_height(large.font_size, large.size, 448) >= 18 > label_height(small.font_size, small.size, 448)


def test_labels_that_cannot_be_so_high_are_refused_with_what_can() -> None:
    with pytest.raises(ValueError, match="must be 30 pixels high at an input side of 336, but they can be") as error:
        strip_layout([(512, 512)] * 5, FIVE, input_side=336, least_label_height=30)
    words = str(error.value).split()
    reachable, side = int(words[words.index("height") + 2].rstrip(",")), int(words[-1].replace(",", ""))
    assert strip_layout([(512, 512)] * 5, FIVE, input_side=336, least_label_height=reachable)
    assert strip_layout([(512, 512)] * 5, FIVE, input_side=side, least_label_height=30)


@pytest.mark.parametrize(
    ("sizes", "labels", "message"),
    [
        ([], [], "a strip has 1 to 26 images, not 0"),
        ([(8, 8)] * 27, ["A"] * 27, "a strip has 1 to 26 images, not 27"),
        ([(8, 8)] * 2, ["A"], "a strip of 2 images needs 2 labels, not 1"),
        ([(8, 8)] * 2, ["A", " "], "label 2 of a strip is ' '; it must have"),
        ([(8, 8)] * 2, ["A", "猫"], r"label 2 of a strip is '\\u732b'"),
        ([(8, 8)] * 2, ["A", "x" * 41], "it must have 1 to 40 Latin letters or digits"),
        ([(100, 100)] * 26, ["W" * 40] * 26, "a label does not fit its panel; use larger images or shorter labels"),
    ],
)
def test_what_cannot_be_shown_is_refused(sizes: Any, labels: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        strip_layout(sizes, labels, input_side=448, least_label_height=8)


def test_the_height_of_a_composites_label_is_computed_by_the_same_function() -> None:
    layout = layout_of([(512, 512)] * 5, FIVE)
    made = squared(composite(white([(512, 512)] * 5), FIVE))
    canvas = np.asarray(made.resize((448, 448), Image.Resampling.BICUBIC).convert("L"), np.float64)
    said = label_height(layout.font_size, layout.size, 448)
    for label, box in zip(FIVE, label_boxes(layout, made.width, 448), strict=True):
        assert ink_height(canvas, box) == pytest.approx(said, abs=0.18 * said + 1), label


def test_the_height_of_a_capital_is_measured_in_the_font() -> None:
    assert [cap_height(size) for size in (8, 20, 100, 400)] == [5, 14, 70, 277]
    assert label_height(100, (2_000, 500), 400) == pytest.approx(14.0)
    assert math.isclose(label_height(100, (500, 2_000), 400), label_height(100, (2_000, 500), 400))


def test_a_square_has_the_canvas_in_its_middle() -> None:
    wide = Image.new("RGB", (60, 20), (200, 30, 30))
    square = squared(wide)
    assert square.size == (60, 60) and square.crop((0, 20, 60, 40)).tobytes() == wide.tobytes()
    assert square.getpixel((30, 19)) == square.getpixel((30, 40)) == (255, 255, 255)
    assert squared(square) is square


def test_the_pixels_are_the_same_on_every_machine() -> None:
    colours = [(200, 30, 30), (30, 160, 60), (40, 60, 210), (230, 190, 20), (150, 40, 170)]
    made = strip([Image.new("RGB", (96, 64), c) for c in colours], FIVE, input_side=448, least_label_height=8)
    assert (made.size, hashlib.sha256(made.tobytes()).hexdigest()[:16]) == ((520, 106), "5c376dee2ee49980")
