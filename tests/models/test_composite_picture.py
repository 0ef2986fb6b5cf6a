"""Composites: where images and labels are, that labels can be read, and that nothing else changes the pixels."""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageDraw, ImageFont

from whatif.engine.files import png
from whatif.engine.random_streams import stream
from whatif.models.composite_picture import Box, Layout, composite, layout_of

COLOURS = [(200, 30, 30), (30, 160, 60), (40, 60, 210), (230, 190, 20), (150, 40, 170), (20, 170, 180)]
GRIDS = {
    2: (2, 1),
    3: (3, 1),
    4: (2, 2),
    5: (3, 2),
    6: (3, 2),
    7: (3, 3),
    9: (3, 3),
    10: (4, 3),
    16: (4, 4),
    26: (6, 5),
}
SIZES = [(640, 428), (428, 640), (64, 64), (3_000, 200), (200, 3_000), (1, 1), (5_000, 4_000)]


def plain(size: tuple[int, int], place: int = 0) -> Image.Image:
    return Image.new("RGB", size, COLOURS[place % len(COLOURS)])


def noise(size: tuple[int, int], seed: int = 0) -> Image.Image:
    width, height = size
    pixels = stream(seed, "composite").integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def pixels(image: Image.Image) -> npt.NDArray[np.int64]:
    return np.asarray(image).astype(np.int64)


def inside(box: Box, outer: Box) -> bool:
    return outer[0] <= box[0] < box[2] <= outer[2] and outer[1] <= box[1] < box[3] <= outer[3]


def apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def size_of(box: Box) -> tuple[int, int]:
    return box[2] - box[0], box[3] - box[1]


def checked(layout: Layout) -> Layout:
    """Asserts what every layout has: equal cells, none over another, the label above the image, all on the canvas."""
    canvas = (0, 0, *layout.size)
    for cell in layout.cells:
        assert inside(cell.frame, canvas) and inside(cell.label, cell.frame) and inside(cell.image, cell.frame)
        assert cell.label[3] == cell.image[1] and (cell.label[0], cell.label[2]) == (cell.image[0], cell.image[2])
        font = ImageFont.load_default(layout.font_size)
        assert 1 <= len(cell.lines) <= 3 and all(line.strip() for line in cell.lines)
        assert max(map(font.getlength, cell.lines)) <= size_of(cell.label)[0]
        assert len(cell.lines) * sum(font.getmetrics()) <= size_of(cell.label)[1]
    for place, cell in enumerate(layout.cells):
        assert all(apart(cell.frame, other.frame) for other in layout.cells[:place])
    assert len({(size_of(cell.frame), size_of(cell.image), size_of(cell.label)) for cell in layout.cells}) == 1
    return layout


@pytest.mark.parametrize("number", range(2, 27))
def test_cells_form_a_grid_in_the_order_of_the_images(number: int) -> None:
    layout = checked(layout_of([(640, 480)] * number, [None] * number))
    frames = [cell.frame for cell in layout.cells]
    columns = len({frame[0] for frame in frames})
    assert frames == sorted(frames, key=lambda frame: (frame[1], frame[0])), "row by row"
    assert [frame[0] for frame in frames] == [frames[place % columns][0] for place in range(number)]
    if number in GRIDS:
        assert (columns, len({frame[1] for frame in frames})) == GRIDS[number]
    assert [cell.lines for cell in layout.cells] == [(f"Image {place}",) for place in range(1, number + 1)]
    assert max(layout.size) <= 2048


@pytest.mark.parametrize("largest", [224, 336, 448, 1_000, 2_048, 4_096])
@pytest.mark.parametrize("number", [2, 3, 5, 11, 26])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_canvas_is_bounded_and_the_font_is_a_share_of_it(size: tuple[int, int], number: int, largest: int) -> None:
    layout = checked(
        layout_of(
            [size] * number,
            [None, "a much longer label than the others", *"ABCDEFGHIJKLMNOPQRSTUVWX"][:number],
            largest,
        )
    )
    longest = max(layout.size)
    assert longest <= largest
    assert longest >= 0.85 * min(largest, 448), "a small canvas is enlarged"
    # Of a canvas scaled to 336 pixels, as a model does. Three lines in each cell leave less room.
    assert layout.font_size / longest >= 6.5 / 336
    letters = checked(layout_of([size] * number, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:number], largest))
    assert {len(cell.lines) for cell in letters.cells} == {1}
    assert letters.font_size / max(letters.size) >= 9 / 336


def test_images_that_fit_keep_their_pixels() -> None:
    images = [noise((320, 240), seed) for seed in range(4)]
    made = composite(images, [None] * 4)
    layout = layout_of([(320, 240)] * 4, [None] * 4)
    assert made.size == layout.size and made.mode == "RGB"
    for image, cell in zip(images, layout.cells, strict=True):
        assert size_of(cell.image) == (320, 240)
        assert made.crop(cell.image).tobytes() == image.tobytes()


def test_other_images_are_scaled_with_their_aspect_ratio_and_padded_with_white() -> None:
    images = [plain((400, 100), 0), plain((100, 400), 1), plain((50, 50), 2)]
    made = composite(images, ["wide", "tall", "small"])
    cells = layout_of([image.size for image in images], ["wide", "tall", "small"]).cells
    for image, cell, size, colour in zip(images, cells, [(400, 100), (100, 400), (400, 400)], COLOURS, strict=False):
        box = pixels(made.crop(cell.image))
        assert box.shape == (400, 400, 3)
        shown = (box == colour).all(2)
        rows, columns = np.flatnonzero(shown.any(1)), np.flatnonzero(shown.any(0))
        assert (len(columns), len(rows)) == size and shown.sum() == size[0] * size[1], image.size
        assert rows[0] == 0 and columns[0] == (400 - size[0]) // 2, "in the middle, directly below the label"
        assert (box[~shown] == 255).all()


def test_outside_of_images_there_is_only_black_on_white_and_grey_frames() -> None:
    images = [plain((300, 200), place) for place in range(5)]
    made = pixels(composite(images, [None] * 5))
    layout = layout_of([(300, 200)] * 5, [None] * 5)
    for cell in layout.cells:
        left, top, right, bottom = cell.image
        made[top:bottom, left:right] = 255
    assert (made.max(2) == made.min(2)).all(), "all that is left is grey"
    for cell in layout.cells:
        left, top, right, bottom = cell.frame
        assert (made[top, left:right] == 170).all() and (made[bottom - 1, left:right] == 170).all()
        made[top:bottom, left:right] = 255
    assert (made == 255).all(), "labels and frames are in the cells"


def trimmed(image: Image.Image) -> npt.NDArray[np.float64]:
    """The ink of black text on white, 0 to 1, without the rows and columns around it, in a grid of 24 x 96."""
    ink = 1 - np.asarray(image.convert("L"), np.float64) / 255
    rows, columns = np.flatnonzero((ink > 0.25).any(1)), np.flatnonzero((ink > 0.25).any(0))
    text = image.convert("L").crop((int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1))
    return np.asarray(text.resize((96, 24), Image.Resampling.BILINEAR), np.float64)


def printed(text: str, font_size: int, scale: float) -> npt.NDArray[np.float64]:
    """The same of a text that the test prints, scaled like the canvas."""
    font = ImageFont.load_default(font_size)
    page = Image.new("L", (math.ceil(font.getlength(text)) + 20, 2 * font_size + 20), 255)
    ImageDraw.Draw(page).text((10, 10), text, fill=0, font=font)
    return trimmed(page.resize((round(page.width * scale), round(page.height * scale)), Image.Resampling.BICUBIC))


def correlation(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> float:
    return float(np.corrcoef(first.ravel(), second.ravel())[0, 1])


@pytest.mark.parametrize("longest", [2_048, 672, 336])
@pytest.mark.parametrize("labels", [["Cause", *"ABCD"], [None] * 5, [f"Effect {letter}" for letter in "ABCDE"]])
def test_each_label_is_read_in_its_own_cell(labels: Sequence[str | None], longest: int) -> None:
    """Of all labels, the one in a cell matches best, also after a model has scaled the canvas to 336 pixels."""
    images = [Image.new("RGB", (640, 480), "white")] * 5  # nothing but labels and frames is seen
    made, layout = composite(images, labels), layout_of([image.size for image in images], labels)
    texts = [label or f"Image {place}" for place, label in enumerate(labels, 1)]
    scale = min(1.0, longest / max(made.size))
    made = made.resize((round(made.width * scale), round(made.height * scale)), Image.Resampling.BICUBIC)
    for place, cell in enumerate(layout.cells):
        left, top, right, bottom = (round(side * scale) for side in cell.label)
        found = trimmed(made.crop((left + 2, top + 2, right - 2, bottom)))  # without the frame
        matches = [correlation(found, printed(text, layout.font_size, scale)) for text in texts]
        assert int(np.argmax(matches)) == place and matches[place] > 0.7, matches


def test_a_long_label_is_wrapped_and_then_shortened() -> None:
    long = "A label of many words that says what happens in the image and does not come to an end"
    two = layout_of([(320, 240)] * 2, ["Before the heavy rain that fell in spring", "After"]).cells
    assert [len(cell.lines) for cell in two] == [2, 1] and " ".join(
        two[0].lines
    ) == "Before the heavy rain that fell in spring"
    three = checked(layout_of([(320, 240)] * 3, [long, "x" * 200, None])).cells
    assert len(three[0].lines) == 3 and three[0].lines[-1].endswith("...")
    assert long.startswith(" ".join(three[0].lines).removesuffix("...").rstrip())
    assert "".join(three[1].lines).removesuffix("...").strip("x") == ""
    assert three[2].lines == ("Image 3",)


def test_blank_labels_are_numbered_and_spaces_are_collapsed() -> None:
    layout = layout_of([(320, 240)] * 4, [" \n", "", " two\n words\t", None])
    assert [cell.lines for cell in layout.cells] == [("Image 1",), ("Image 2",), ("two words",), ("Image 4",)]


def test_one_image_is_itself() -> None:
    image = noise((5_000, 3))
    assert composite([image], [None]).tobytes() == image.tobytes()
    assert composite([image], ["Cause"]).size == (5_000, 3)


def test_the_order_and_the_labels_change_the_composite_and_nothing_else_does() -> None:
    images = [noise((64, 48), seed) for seed in range(3)]
    first = png.encode(composite(images, [None] * 3))
    assert first == png.encode(composite([image.copy() for image in images], ("Image 1", None, "")))
    assert first != png.encode(composite(images[::-1], [None] * 3))
    assert first != png.encode(composite(images, [None, None, "Image 4"]))
    assert Image.open(io.BytesIO(first)).tobytes() == composite(images, [None] * 3).tobytes()
    before = [image.tobytes() for image in images]
    composite(images, [None] * 3)
    assert [image.tobytes() for image in images] == before


def test_the_pixels_are_the_same_on_every_machine() -> None:
    made = composite([plain((320, 240), place) for place in range(5)], ["Cause", "Effect A", "Effect B", None, "(D)"])
    digest = hashlib.sha256(made.tobytes()).hexdigest()
    assert (made.size, digest) == ((1006, 632), "03b40160b37de4df2b505991656384c15de19b83bd3bb051bba37a10c7d36b22")


def converted(image: Image.Image) -> npt.NDArray[np.int64]:
    return pixels(composite([image], [None]))


def test_every_mode_is_shown_on_white_with_its_own_brightness() -> None:
    half = Image.new("RGBA", (2, 1), (255, 0, 0, 255))
    half.putpixel((1, 0), (0, 0, 0, 0))
    for mode in ("RGBA", "RGBa", "LA", "La", "PA"):
        made = converted(half.convert("LA").convert(mode) if mode in ("LA", "La") else half.convert(mode))
        assert made.shape == (1, 2, 3) and made[0, 1].tolist() == [255, 255, 255], mode
    palette = Image.new("P", (2, 1), 1)
    palette.putpalette([0, 0, 0, 10, 200, 30])
    assert converted(palette)[0, 0].tolist() == [10, 200, 30]
    palette.putpixel((1, 0), 0)
    palette.info["transparency"] = 0
    assert converted(palette).tolist() == [[[10, 200, 30], [255, 255, 255]]]
    assert converted(Image.new("L", (1, 1), 77)).tolist() == [[[77, 77, 77]]]
    assert converted(Image.new("1", (1, 1), 1)).tolist() == [[[255, 255, 255]]]
    assert converted(Image.new("CMYK", (1, 1), (0, 0, 0, 0))).tolist() == [[[255, 255, 255]]]


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I"])
def test_16_bits_are_scaled_to_8(mode: str) -> None:
    values = np.array([[0, 257, 32_896, 65_535]], np.uint16)
    grey = Image.fromarray(values)
    image = grey if mode == "I;16" else grey.convert("I")
    if mode == "I;16B":
        image = Image.frombytes(mode, (4, 1), values.astype(">u2").tobytes())
    assert image.mode == mode
    assert converted(image)[0, :, 0].tolist() == [0, 1, 128, 255]
    out = io.BytesIO()
    grey.save(out, "PNG")
    assert converted(Image.open(io.BytesIO(out.getvalue())))[0, :, 0].tolist() == [0, 1, 128, 255]


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        ([], [], "a composite has 1 to 26 images, not 0"),
        ([plain((8, 8))] * 27, [None] * 27, "a composite has 1 to 26 images, not 27"),
        ([plain((8, 8))] * 2, [None], "a composite of 2 images needs 2 labels, not 1"),
        ([plain((8, 8))], [], "a composite of 1 images needs 1 labels, not 0"),
        ([plain((8, 8)), plain((0, 8))], [None] * 2, "image 2 of a composite has no pixels: 0 x 8"),
        ([plain((8, 8))] * 2, ["a", "猫"], r"label 2 of a composite has '\\u732b', which the font lacks"),
        ([plain((8, 8))] * 2, ["a", "\x1b[2J"], r"label 2 of a composite has '\\x1b', which the font lacks"),
        ([Image.new("F", (8, 8))] * 2, [None] * 2, "image 1 of a composite has grey values without a defined range"),
        (
            [plain((8, 8)), Image.new("I", (8, 8), 70_000)],
            [None] * 2,
            "image 2 of a composite has grey values outside 0",
        ),
        (
            [plain((8, 8))] * 2,
            ["word " * 50 + "a", "word " * 50 + "b"],
            "of a composite look alike when they are shortened",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused(
    images: Sequence[Image.Image], labels: Sequence[str | None], message: str
) -> None:
    with pytest.raises(ValueError, match=message) as error:
        composite(images, labels)
    assert str(error.value).isprintable()


def test_a_canvas_too_small_for_labels_is_refused() -> None:
    with pytest.raises(ValueError, match="the largest side of a composite is 223 pixels; it must be at least 224"):
        composite([plain((8, 8))] * 2, [None] * 2, 223)


def test_any_sizes_and_labels_fit_the_smallest_canvas() -> None:
    for number in (1, 2, 3, 7, 20, 26):
        labels = [f"{letter * 30} {letter * 5_000} and more" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:number]]
        for size in ((1, 1), (10, 9_000), (9_000, 10), (60_000, 60_000)):
            assert max(checked(layout_of([size] * number, labels, 224)).size) <= 224
