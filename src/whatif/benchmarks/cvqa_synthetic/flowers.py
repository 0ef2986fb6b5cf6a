"""Flower images for counting puzzles: our drawn flowers, or class folders of Icons-50 (C-VQA 3.3)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from whatif.benchmarks.cvqa_synthetic.flower_shapes import DRAWN_FLOWERS, draw_flower
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.images import DRAWN_LICENCE, image_row
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import LARGEST_PICTURE, UnreadableImageError, decode
from whatif.engine.files.inputs import read_bytes
from whatif.engine.files.well_formed import escaped

ICONS50_LICENCE = "as granted by the makers of Icons-50 and of the icons in it"
_BACKGROUND_TOLERANCE = 12  # per channel, for an even background after lossy compression


def drawn_flowers(size: int) -> list[dict[str, Any]]:
    """Rows of the table `images`: the drawn flowers, each `size` x `size` pixels, RGBA.

    Each flower is one connected area of opaque pixels inside the inscribed circle, and its colours are far from those
    of `POLYGON_COLOURS`.
    """
    rows = []
    for kind, colours in DRAWN_FLOWERS.items():
        for colour in colours:
            data = _encode(draw_flower(kind, colour, size))
            rows.append(image_row(data, size, size, f"drawn:{kind}-{colour}", DRAWN_LICENCE, is_part=True))
    return rows


def icons50_flowers(
    folder: Path, classes: Sequence[str], size: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of `images` from class folders of images, and rows of `rejections` for unusable files.

    An image is cropped to its content, scaled into the inscribed circle of `size` x `size` pixels and encoded as RGBA
    PNG. Files are rejected if they cannot be decoded (`unreadable`), are empty (`blank`) or show the same as an earlier
    file (`duplicate`). Files are read in order of their paths; hidden files are skipped.

    Raises WhatifError when the folder or a class folder is missing, or when no file can be used.
    """
    images: dict[str, dict[str, Any]] = {}
    rejections = []
    for path in _files(folder, classes):
        name = escaped(path.relative_to(folder).as_posix())
        try:
            picture = _fit(_decode(path), size)
        except UnreadableImageError as error:
            rejections.append(rejection(name, "unreadable", error.said))
            continue
        if picture is None:
            rejections.append(rejection(name, "blank", "no pixel differs from the background"))
            continue
        row = image_row(_encode(picture), size, size, f"icons-50:{name}", ICONS50_LICENCE, is_part=True)
        earlier = images.setdefault(row["image_id"], row)
        if earlier is not row:
            rejections.append(rejection(name, "duplicate", f"shows the same as {earlier['source']}"))
    if not images:
        raise WhatifError(
            f"{folder}: no readable image in {', '.join(classes)} ({len(rejections)} files rejected); "
            "extract.cvqa-synthetic.icons50 must name class folders of PNG or JPEG files"
        )
    return list(images.values()), rejections


def _files(folder: Path, classes: Sequence[str]) -> list[Path]:
    if not folder.is_dir():
        raise WhatifError(
            f"{folder}: no such folder; extract.cvqa-synthetic.icons50.folder must be the folder of Icons-50"
        )
    available = sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    for name in classes:
        if name not in available:
            raise WhatifError(
                f"{folder}: no class folder `{name}`; extract.cvqa-synthetic.icons50.classes can name "
                f"{', '.join(available) or 'nothing, because the folder has no subfolders'}"
            )
    files = [path for name in sorted(set(classes)) for path in (folder / name).rglob("*") if path.is_file()]
    return sorted(path for path in files if not path.name.startswith("."))


def _decode(path: Path) -> Image.Image:
    try:
        data = read_bytes(path, LARGEST_PICTURE)
    except OSError as error:
        raise UnreadableImageError(type(error).__name__, error.strerror or "") from error
    return decode(data, "RGBA")


def _fit(picture: Image.Image, size: int) -> Image.Image | None:
    """The content of the image in the inscribed circle of a square; None if there is no content."""
    rows, columns = np.nonzero(_content(np.asarray(picture)))
    if not len(rows):
        return None
    box = int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1
    centre = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    reach = float(np.hypot(columns + 0.5 - centre[0], rows + 0.5 - centre[1]).max()) + 0.75
    scale = size / 2 / reach
    width, height = (max(1, round((box[side + 2] - box[side]) * scale)) for side in (0, 1))
    square = Image.new("RGBA", (size, size))
    resized = picture.crop(box).resize((min(width, size), min(height, size)), Image.Resampling.LANCZOS)
    square.paste(resized, ((size - resized.width) // 2, (size - resized.height) // 2))
    square.putalpha(Image.fromarray(np.where(_disc(size), np.asarray(square)[..., 3], 0).astype(np.uint8)))
    return square


def _content(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Visible pixels; if all four corners have the same opaque colour, those that differ from it."""
    seen: npt.NDArray[np.bool_] = pixels[..., 3] > 16
    corners = pixels[[0, 0, -1, -1], [0, -1, 0, -1]].astype(np.int16)
    if corners[:, 3].min() == 255 and np.ptp(corners, axis=0).max() <= _BACKGROUND_TOLERANCE:
        difference = np.abs(pixels[..., :3].astype(np.int16) - corners[0, :3]).max(axis=2)
        seen &= difference > _BACKGROUND_TOLERANCE
    return seen


def _disc(size: int) -> npt.NDArray[np.bool_]:
    offset = np.arange(size) + 0.5 - size / 2
    disc: npt.NDArray[np.bool_] = np.hypot(offset, offset[:, None]) <= size / 2
    return disc


def _encode(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()
