"""Classified images per second, from folders and from Parquet into an artifact, against Pillow decoding them alone."""

from __future__ import annotations

import io
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import PIL
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.schemas import IMAGE, IMAGES
from whatif.engine.artifacts.writer import ArtifactWriter
from whatif.formats.class_folders import read_class_folder
from whatif.formats.class_names import ClassifiedImages
from whatif.formats.class_shards import read_class_shards

_IMAGES, _CLASSES, _SIZE = 2_000, 20, (500, 375)  # the median size of ImageNet's photographs
SMALL = {"_IMAGES": 40, "_ROUNDS": 1}
_ROUNDS = 3  # alternating, so that a slow moment of the machine affects all


def measure() -> dict[str, Any]:
    """Images per CPU second, the best of three rounds: from folders (ours), from Parquet, and by Pillow (peer).

    Ours includes decoding each image once, its SHA-256, and writing an artifact in the order of the ids.
    """
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        make_images(root)
        sides: dict[str, Callable[[], int]] = {
            "ours": lambda: _stored(root, read_class_folder(root / "folders")),
            "parquet": lambda: _stored(root, read_class_shards(root / "shards", "test")),
            "peer": lambda: _decoded(root),
        }
        rounds = [{side: _per_second(read) for side, read in sides.items()} for _ in range(_ROUNDS)]
        speeds = {side: max(one[side] for one in rounds) for side in sides}
    return {
        "name": "class-images",
        "ours": speeds["ours"],
        "peer": speeds["peer"],
        "unit": "images/s",
        "ratio": speeds["ours"] / speeds["peer"],
        "peer_name": f"Pillow {PIL.__version__}, decoding alone",
        "parquet": speeds["parquet"],
    }


def make_images(root: Path) -> None:
    """Synthetic JPEGs of about 66 kB in `root/folders/CLASS`, and the same in one Parquet file in `root/shards`."""
    random = np.random.default_rng(0)
    rows = []
    for number in range(_IMAGES):
        coarse = Image.fromarray(random.integers(0, 256, (24, 32, 3), dtype=np.uint8))
        smooth = np.asarray(coarse.resize(_SIZE, Image.Resampling.BICUBIC), dtype=np.int16)
        noisy = (smooth + random.integers(-12, 13, smooth.shape)).clip(0, 255).astype(np.uint8)
        out = io.BytesIO()
        Image.fromarray(noisy).save(out, "JPEG", quality=90)
        folder = root / "folders" / f"class_{number % _CLASSES:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:05d}.jpg").write_bytes(out.getvalue())
        rows.append({"image": {"bytes": out.getvalue(), "path": None}, "label": number % _CLASSES})
    names = [f"class_{label:02d}" for label in range(_CLASSES)]
    features = {"image": {"_type": "Image"}, "label": {"_type": "ClassLabel", "names": names}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    schema = pa.schema([("image", IMAGE), ("label", pa.int64())], metadata=metadata)
    (root / "shards").mkdir()
    pq.write_table(
        pa.Table.from_pylist(rows, schema), root / "shards" / "test-00000-of-00001.parquet", row_group_size=100
    )


def _stored(root: Path, found: ClassifiedImages) -> int:
    count = 0
    with ArtifactWriter(root / "images.parquet", IMAGES) as writer, SortedImages(writer) as store:
        for _, _, image in found.images:
            assert isinstance(image, dict)
            store.add(image)
            count += 1
    return count


def _decoded(root: Path) -> int:
    paths = sorted((root / "folders").glob("*/*.jpg"))
    for path in paths:
        with Image.open(path) as image:
            image.convert("RGB")
    return len(paths)


def _per_second(read: Callable[[], int]) -> float:
    start = time.process_time()  # CPU time, which other processes do not affect
    count = read()
    assert count == _IMAGES
    return count / (time.process_time() - start)
