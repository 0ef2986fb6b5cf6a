"""Pictures of a pair that are not there, cannot be read, or do not fit each other."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from whatif.artifact_writer import write_artifact
from whatif.filters.picture_pairs import file_rejection, pair_rejection
from whatif.images import ImageStore, image_row
from whatif.schemas import IMAGES


def encoded(width: int, height: int, kind: str, seed: int = 0) -> bytes:
    buffer = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(buffer, format=kind)
    return buffer.getvalue()


WHOLE = encoded(40, 30, "PNG")
TWIN = encoded(40, 30, "JPEG", seed=1)
CASES = [
    (WHOLE, TWIN, None, ""),
    (WHOLE, encoded(30, 40, "PNG"), "pictures of different sizes", "40 x 30 pixels, the counterfactual 30 x 40"),
    (WHOLE, TWIN[: len(TWIN) // 2], "unreadable picture", "counterfactual: "),
    (WHOLE[:100], TWIN, "unreadable picture", "original: "),
    (WHOLE, b"", "unreadable picture", "(0 bytes)"),
    (b"<html>", TWIN, "unreadable picture", "(6 bytes)"),
    (None, TWIN, "missing picture", "original: there is no"),
    (WHOLE, None, "missing picture", "counterfactual: there is no"),
]


@pytest.mark.parametrize(("first", "second", "reason", "said"), CASES)
def test_files_and_stored_pictures_are_refused_alike(
    tmp_path: Path, first: bytes | None, second: bytes | None, reason: str | None, said: str
) -> None:
    files = (("a.jpg", first), ("b.jpg", second))
    found = file_rejection({"pair_id": "7"}, files)
    rows = [image_row(data, 40, 30, name, "unknown") for name, data in files if data is not None]
    write_artifact(tmp_path / "images.parquet", IMAGES, rows)
    ids = [row["image_id"] for row in rows]
    if first is None:
        ids.insert(0, "0" * 64)
    pair = {"pair_id": "7", "image_id_0": ids[0], "image_id_1": ids[1] if len(ids) > 1 else "0" * 64}
    stored = pair_rejection(pair, ImageStore([tmp_path / "images.parquet"]))
    for rejection in (found, stored):
        if reason is None:
            assert rejection is None
        else:
            assert rejection is not None and (rejection["item_id"], rejection["reason"]) == ("7", reason)
            assert said in rejection["detail"] and "0x" not in rejection["detail"]
