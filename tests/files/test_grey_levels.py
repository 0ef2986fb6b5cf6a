"""Grey TIFF of more than 8 bits, and colour profiles that do not belong to the pixels."""

from __future__ import annotations

import io
import struct

import pytest
from PIL import Image

from whatif.files.image_decoding import as_shown, decode


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
