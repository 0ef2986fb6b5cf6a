"""Images as a viewer shows them: files of every kind that Pillow writes, beside pixels that are derived by hand."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from whatif.engine.artifacts.images import ImageStore, SortedImages, format_of, image_row
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import ArtifactWriter
from whatif.engine.files.image_decoding import as_shown, decode
from whatif.models.endpoint.sent_messages import data_url

RED, GREEN, BLUE, WHITE, BLACK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0)
Pixels = list[list[tuple[int, int, int]]]  # rows of colours

# 3 x 2 pixels as they are stored; below, what a viewer shows for each orientation of the Exif standard (2.32, 4.6.4).
STORED: Pixels = [[RED, GREEN, BLUE], [WHITE, BLACK, RED]]
ORIENTED: dict[int, Pixels] = {
    1: [[RED, GREEN, BLUE], [WHITE, BLACK, RED]],
    2: [[BLUE, GREEN, RED], [RED, BLACK, WHITE]],
    3: [[RED, BLACK, WHITE], [BLUE, GREEN, RED]],
    4: [[WHITE, BLACK, RED], [RED, GREEN, BLUE]],
    5: [[RED, WHITE], [GREEN, BLACK], [BLUE, RED]],
    6: [[WHITE, RED], [BLACK, GREEN], [RED, BLUE]],
    7: [[RED, BLUE], [BLACK, GREEN], [WHITE, RED]],
    8: [[BLUE, RED], [GREEN, BLACK], [RED, WHITE]],
}


def file(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def of(values: Any, kind: Any = np.uint8) -> Image.Image:
    return Image.fromarray(np.asarray(values, kind))


def greys(*levels: int) -> Pixels:
    return [[(level, level, level) for level in levels]]


def png(depth: int, colour: int, size: tuple[int, int], rows: bytes, transparent: bytes = b"") -> bytes:
    """A PNG whose header says `depth` bits and the colour type; Pillow writes neither 16-bit RGB nor 2-bit grey."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, depth, colour, 0, 0, 0))
    key = chunk(b"tRNS", transparent) if transparent else b""
    return b"\x89PNG\r\n\x1a\n" + header + key + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def palette(*, transparency: Any) -> bytes:
    image = Image.new("P", (3, 1))
    image.putpalette([*RED, *GREEN, *BLUE])
    image.putdata([0, 1, 2])
    return file(image, "PNG", transparency=transparency)


HALF = (255, 127, 127)  # red over white, half transparent: 255 - 128 = 127
RGBA = of([[(*RED, 255), (*GREEN, 0), (*RED, 128)]])
LA = Image.merge("LA", (of([[0, 0, 0]]), of([[255, 0, 128]])))
CMYK = Image.frombytes("CMYK", (3, 1), bytes([0, 255, 255, 0, 255, 0, 255, 0, 0, 0, 0, 255]))
DEEP, FLOATS = [[0, 257 * 100, 65535]], [[0.0, 0.6, 1.0]]

KINDS: dict[str, tuple[bytes, Pixels]] = {
    "16-bit grey PNG": (file(of(DEEP, np.uint16), "PNG"), greys(0, 100, 255)),
    "16-bit grey TIFF": (file(of(DEEP, np.uint16), "TIFF"), greys(0, 100, 255)),
    "16-bit grey PGM": (b"P5 3 1 65535\n" + struct.pack(">3H", *DEEP[0]), greys(0, 100, 255)),
    "16-bit grey PNG with a transparent level": (
        png(16, 0, (3, 1), b"\0" + struct.pack(">3H", *DEEP[0]), struct.pack(">H", 0)),
        greys(255, 100, 255),
    ),
    "16-bit RGB PNG with a transparent colour": (
        png(16, 2, (2, 1), b"\0" + struct.pack(">6H", 65535, 0, 0, 0, 0, 65535), struct.pack(">3H", 65535, 0, 0)),
        [[WHITE, BLUE]],
    ),
    "2-bit grey PNG with a transparent level": (png(2, 0, (4, 1), b"\0\x1b", b"\0\1"), greys(0, 255, 170, 255)),
    "1-bit PNG with a transparent level": (png(1, 0, (2, 1), b"\0\x40", b"\0\0"), greys(255, 255)),
    "float TIFF from 0 to 1": (file(of(FLOATS, np.float32), "TIFF"), greys(0, 153, 255)),
    "float TIFF of other levels": (file(of([[-10.0, 0.0, 40.0]], np.float32), "TIFF"), greys(0, 51, 255)),
    "float TIFF with gaps": (file(of([[np.nan, 0.0, np.inf, 50.0]], np.float32), "TIFF"), greys(0, 0, 255, 255)),
    "32-bit TIFF": (file(of([[-1000, 0, 99000]], np.int32), "TIFF"), greys(0, 3, 255)),
    "RGBA PNG": (file(RGBA, "PNG"), [[RED, WHITE, HALF]]),
    "RGBA TIFF": (file(RGBA, "TIFF"), [[RED, WHITE, HALF]]),
    "RGBA WebP": (file(RGBA, "WEBP", lossless=True, exact=True), [[RED, WHITE, HALF]]),
    "LA PNG": (file(LA, "PNG"), greys(0, 255, 127)),
    "RGB PNG with a transparent colour": (
        file(of([[RED, GREEN, BLUE]]), "PNG", transparency=GREEN),
        [[RED, WHITE, BLUE]],
    ),
    "grey PNG with a transparent level": (file(of([[0, 9, 200]]), "PNG", transparency=9), greys(0, 255, 200)),
    "palette PNG with a transparent entry": (palette(transparency=1), [[RED, WHITE, BLUE]]),
    "palette PNG with opacities": (palette(transparency=bytes([128, 0, 255])), [[HALF, WHITE, BLUE]]),
    "palette GIF with a transparent entry": (
        file(Image.open(io.BytesIO(palette(transparency=1))), "GIF"),
        [[RED, WHITE, BLUE]],
    ),
    "CMYK TIFF": (file(CMYK, "TIFF"), [[RED, GREEN, BLACK]]),
    "animated GIF": (
        file(of([[RED, GREEN]]), "GIF", save_all=True, append_images=[of([[BLUE, BLUE]])]),
        [[RED, GREEN]],
    ),
    "animated WebP": (
        file(of([[RED, GREEN]]), "WEBP", lossless=True, save_all=True, append_images=[of([[BLUE, BLUE]])]),
        [[RED, GREEN]],
    ),
    "animated PNG": (
        file(of([[RED, GREEN]]), "PNG", save_all=True, append_images=[of([[BLUE, BLUE]])]),
        [[RED, GREEN]],
    ),
    "TIFF of two pages": (
        file(of([[RED, GREEN]]), "TIFF", save_all=True, append_images=[of([[BLUE, BLUE]])]),
        [[RED, GREEN]],
    ),
    "BMP": (file(of(STORED), "BMP"), STORED),
    "JPEG 2000": (file(of(STORED), "JPEG2000", irreversible=False), STORED),
    **{
        f"{kind}, orientation {number}": (file(of(STORED), kind, exif=exif, **options), shown)
        for number, shown in ORIENTED.items()
        if number > 1
        for exif in [Image.Exif()]
        if exif.update({0x0112: number}) is None
        for kind, options in (("PNG", {}), ("WEBP", {"lossless": True}), ("TIFF", {}))
    },
}


def pixels(data: bytes) -> Pixels:
    """What a tool shows that knows nothing of orientation, transparency, and more than one frame."""
    with Image.open(io.BytesIO(data)) as image:
        return colours(np.asarray(image.convert("RGB")))


def colours(values: npt.NDArray[np.uint8]) -> Pixels:
    return [[(int(r), int(g), int(b)) for r, g, b in row] for row in values]


@pytest.mark.parametrize("name", KINDS)
def test_all_see_the_same_pixels(name: str, tmp_path: Path) -> None:
    """The image as it is decoded, stored, and sent; the stored one also as another tool decodes it."""
    data, expected = KINDS[name]
    assert colours(np.asarray(decode(data))) == expected
    row = image_row(data, len(expected[0]), len(expected), "test", "CC0-1.0")
    with ArtifactWriter(tmp_path / "images.parquet", IMAGES) as writer, SortedImages(writer) as images:
        images.add(row)
    store = ImageStore([tmp_path / "images.parquet"])
    stored = store.encoded(row["image_id"])
    assert stored != data and format_of(stored) == "png"
    assert pixels(stored) == expected == colours(np.asarray(store.get(row["image_id"])))
    head, _, sent = data_url(data).partition(",")
    assert head == "data:image/png;base64" and pixels(base64.b64decode(sent)) == expected
    assert as_shown(stored) == stored  # an image that was stored and published is the same if it is read again


@pytest.mark.parametrize("number", ORIENTED)
def test_orientations_of_photographs(number: int) -> None:
    """A JPEG has no exact pixels: its blocks of one colour are found within a few levels."""
    exif = Image.Exif()
    exif[0x0112] = number
    large = np.asarray(STORED, np.uint8).repeat(16, 0).repeat(16, 1)
    data = file(Image.fromarray(large), "JPEG", quality=95, subsampling=0, exif=exif)
    expected = np.asarray(ORIENTED[number], np.int16)
    for shown in (decode(data), Image.open(io.BytesIO(image_row(data, 1, 1, "test", "")["image"]["bytes"]))):
        centres = np.asarray(shown.convert("RGB"), np.int16)[8::16, 8::16]
        assert centres.shape == expected.shape and np.abs(centres - expected).max() <= 6
    assert (as_shown(data) == data) == (number == 1)


def test_a_photograph_in_four_inks() -> None:
    large = np.asarray(CMYK).repeat(16, 0).repeat(16, 1)
    data = file(Image.frombytes("CMYK", (48, 16), large.tobytes()), "JPEG", quality=95)
    centres = np.asarray(Image.open(io.BytesIO(as_shown(data))), np.int16)[8, 8::16]
    assert np.abs(centres - np.asarray([RED, GREEN, BLACK])).max() <= 6
    assert format_of(as_shown(data)) == "png"


@pytest.mark.parametrize(
    "data",
    [
        file(of(STORED), "PNG"),
        file(of(STORED), "JPEG"),
        file(of(STORED), "WEBP"),
        file(of(STORED), "GIF"),
        file(of([[0, 100]]), "PNG"),
        file(of([[0, 100]]), "JPEG"),
        file(of([[0, 255]]).convert("1"), "PNG"),
        file(of(STORED).quantize(4), "PNG"),
        file(of(STORED).convert("RGBA"), "PNG"),
        file(of([[0, 100]]).convert("LA"), "PNG"),
    ],
    ids=["PNG", "JPEG", "WebP", "GIF", "grey PNG", "grey JPEG", "1-bit", "palette", "opaque RGBA", "opaque LA"],
)
def test_what_shows_the_same_everywhere_is_kept(data: bytes) -> None:
    assert as_shown(data) == data and image_row(data, 1, 1, "", "")["image"]["bytes"] == data
    assert colours(np.asarray(decode(data))) == pixels(data)


def test_elements_of_drawings_keep_their_transparency() -> None:
    assert decode(file(RGBA, "PNG"), "RGBA").getpixel((1, 0)) == (0, 255, 0, 0)


def test_avif_is_sent_and_stored_as_png() -> None:
    if "AVIF" not in Image.registered_extensions().values():
        pytest.skip("this build of Pillow has no AVIF")
    data = file(of(np.full((16, 16, 3), 200)), "AVIF", quality=100)
    assert format_of(as_shown(data)) == "png"
    assert np.abs(np.asarray(decode(data), np.int16) - 200).max() <= 2


def tiff(bits: int, white: int, signed: int, data: bytes) -> bytes:
    """An uncompressed grey image of 2 x 2 pixels; `white` and `signed` are the tags 262 and 339."""
    values = {256: 2, 257: 2, 258: bits, 259: 1, 262: white, 273: 8, 277: 1, 278: 2, 279: len(data), 339: signed}
    entries = b"".join(struct.pack("<HHIHH", tag, 3, 1, value, 0) for tag, value in values.items())
    return b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(values)) + entries + bytes(4)


@pytest.mark.parametrize(
    ("image", "level"),
    [
        (tiff(16, 1, 1, b"\xff\xff" * 4), 255),
        (tiff(16, 0, 1, b"\xff\xff" * 4), 0),
        (tiff(16, 0, 1, b"\0\0" * 4), 255),
        (tiff(12, 1, 1, b"\xff" * 6), 255),
        (tiff(16, 1, 2, b"\xff\x7f" * 4), 255),
    ],
    ids=["16 bits", "white is 0: black", "white is 0: white", "12 bits", "signed"],
)
def test_levels_of_tiff(image: bytes, level: int) -> None:
    assert decode(image).getpixel((0, 0)) == (level, level, level)


def test_a_png_of_a_cmyk_jpeg_lacks_its_profile() -> None:
    out = io.BytesIO()
    Image.new("CMYK", (2, 2)).save(out, "JPEG", icc_profile=b"profile of CMYK")
    with Image.open(io.BytesIO(as_shown(out.getvalue()))) as shown:
        assert shown.format == "PNG" and "icc_profile" not in shown.info
