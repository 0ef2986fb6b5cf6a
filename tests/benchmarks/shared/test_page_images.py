"""Images of a size that suits a page."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

from tests.pictures import png
from whatif.benchmarks.shared.page_images import reduced
from whatif.engine.artifacts.images import ImageStore, image_row
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import write_artifact


def stored_image(data: bytes, side: int) -> dict[str, Any]:
    return image_row(data, side, side, "drawn:test", "CC0-1.0")


def noise(side: int) -> bytes:
    """An image that a PNG cannot make smaller."""
    out = io.BytesIO()
    Image.effect_noise((side, side), 40).convert("RGB").save(out, "PNG")
    return out.getvalue()


def test_images_are_reduced_unless_they_are_small(tmp_path: Path) -> None:
    large, flat, photograph = (
        stored_image(noise(900), 900),
        stored_image(png((9, 9, 9), 40), 40),
        stored_image(noise(200), 200),
    )
    rows = sorted([large, flat, photograph], key=lambda row: str(row["image_id"]))
    write_artifact(tmp_path / "i.parquet", IMAGES, rows)
    images = ImageStore([tmp_path / "i.parquet"])
    assert reduced(images, flat["image_id"]) == flat["image"]["bytes"]
    for row, side in ((large, 640), (photograph, 200)):
        data = reduced(images, row["image_id"])
        with Image.open(io.BytesIO(data)) as image:
            assert (image.size, image.format) == ((side, side), "WEBP")
        assert len(data) < len(row["image"]["bytes"]) / 2
