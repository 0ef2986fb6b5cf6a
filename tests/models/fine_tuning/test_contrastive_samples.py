"""Samples are encoded as an evaluation encodes them, and each image is read, decoded and prepared once."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from tests.models.fine_tuning.contrastive import Coloured, samples
from tests.tiny_checkpoints import tiny_bridgetower, tiny_clip, tiny_flava
from whatif.engine.artifacts.images import ImageStore, image_row
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.fine_tuning.contrastive_samples import Batches, PreparedImages, Sample
from whatif.models.local.dual_encoders import DUAL_FAMILIES
from whatif.models.local.encoders import dual_encoder
from whatif.models.local.prepared_pictures import PreparedPictures

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


class Counted(Coloured):
    def __init__(self) -> None:
        self.decoded: Counter[str] = Counter()

    def get(self, image_id: str) -> Image.Image:
        self.decoded[image_id] += 1
        return super().get(image_id)


@pytest.mark.parametrize("build", [tiny_clip, tiny_bridgetower, tiny_flava])
def test_a_batch_has_the_embeddings_of_an_evaluation(build: Callable[[Path], Path], tmp_path: Path) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(build(tmp_path))))
    chosen = [*samples(range(3)), Sample("how many dots are there " * 60, "3-yellow"), Sample("", "4-red")]
    inputs = Batches(encoder.model, PreparedImages(Coloured(), encoder.processor))(chosen)
    family = DUAL_FAMILIES[encoder.model.config.model_type]
    with torch.inference_mode():
        told = family.captions(encoder.model, {name: one for name, one in inputs.items() if name != "pixel_values"})
        seen = family.pictures(encoder.model, inputs)
    for ours, theirs in (
        (told, encoder.captions([one.caption for one in chosen])),
        (seen, encoder.pictures([Coloured().get(one.image_id) for one in chosen])),
    ):
        unit = ours.double().numpy()
        assert unit / np.linalg.norm(unit, axis=1, keepdims=True) == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize("build", [tiny_clip, tiny_bridgetower, tiny_flava])
def test_an_image_is_decoded_once_and_has_the_pixels_of_the_processor(
    build: Callable[[Path], Path], tmp_path: Path
) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(build(tmp_path))))
    source = Counted()
    chosen = samples(range(4))
    images = PreparedImages(source, encoder.processor)
    assert images.readable(chosen[:2]) == (chosen[:2], {})
    batches = Batches(encoder.model, images)
    found, again = batches(chosen)["pixel_values"], batches(chosen[::-1])["pixel_values"]
    assert set(source.decoded.values()) == {1}
    shown = [Coloured().get(one.image_id) for one in chosen]
    wanted = encoder.processor.image_processor(images=shown, return_tensors="pt")["pixel_values"]
    assert torch.equal(found, wanted) and torch.equal(again, wanted.flip(0))


@pytest.mark.parametrize("most_bytes", [0, 2**20])
def test_samples_whose_image_cannot_be_decoded_are_left_out_and_counted(tmp_path: Path, most_bytes: int) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(tiny_clip(tmp_path))))
    source = Counted()
    images = PreparedImages(source, encoder.processor, PreparedPictures(encoder.processor, most_bytes))
    good = samples(range(2))
    bad = [Sample("a", "damaged-0"), Sample("b", "damaged-0"), Sample("c", "damaged-1")]
    for _ in range(2):
        kept, reasons = images.readable([bad[0], good[0], bad[1], good[1], bad[2]])
        assert kept == good
        assert reasons == {"UnidentifiedImageError": 3}
        assert source.decoded["damaged-0"] == 1


def test_images_of_an_artifact_are_read_a_row_group_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(tiny_clip(tmp_path / "clip"))))
    monkeypatch.setattr("whatif.models.local.prepared_pictures._AT_ONCE", 4)  # at most two row groups are in use
    chosen = samples(range(40))
    paths = [tmp_path / f"{part}.parquet" for part in range(4)]
    for part, path in enumerate(paths):  # the ids of each file are between those of the others
        rows = [_stored(one.image_id) for one in chosen[part::4]]
        write_artifact(path, replace(IMAGES, row_group_rows=5), sorted(rows, key=lambda row: str(row["image_id"])))
    read: list[int] = []
    whole = pq.ParquetFile.read_row_group

    def counted(file: pq.ParquetFile, group: int, columns: list[str]) -> Any:
        read.append(group)
        return whole(file, group, columns=columns)

    store = ImageStore(paths, cached_row_groups=2)
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    images = PreparedImages(store, encoder.processor)
    assert images.readable(chosen) == (chosen, {})
    for _ in range(3):
        images.pixels([one.image_id for one in chosen])
    assert len(read) == 8  # of 4 files with 2 row groups


def _stored(image_id: str) -> dict[str, Any]:
    data = io.BytesIO()
    Coloured().get(image_id).save(data, "PNG")
    return {**image_row(data.getvalue(), 40, 40, "drawn", "CC0-1.0"), "image_id": image_id}


def test_images_of_different_sizes_are_one_line(tmp_path: Path) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(tiny_clip(tmp_path))))
    encoder.processor.image_processor.do_center_crop = False

    class Wide(Coloured):
        def get(self, image_id: str) -> Image.Image:
            picture = super().get(image_id)
            return picture.resize((80, 40)) if image_id == "1-blue" else picture

    with pytest.raises(WhatifError, match=r"different sizes \(32 x 32 and 64 x 32\); set do_center_crop"):
        Batches(encoder.model, PreparedImages(Wide(), encoder.processor))(samples(range(2)))
