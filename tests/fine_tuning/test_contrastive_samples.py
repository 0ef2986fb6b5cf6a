"""Samples are encoded as an evaluation encodes them, and prepared images stay in memory up to a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.fine_tuning.contrastive import Coloured, samples
from tests.tiny_checkpoints import tiny_bridgetower, tiny_clip, tiny_flava
from whatif.errors import WhatifError
from whatif.fine_tuning.contrastive_samples import Batches, PreparedImages, Sample
from whatif.models.local.dual_encoders import DUAL_FAMILIES
from whatif.models.local.encoders import dual_encoder
from whatif.params.checkpoints import LocalCheckpoint

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

_BYTES = 3 * 32 * 32 * 4  # of an image that a tiny CLIP reads


class Counted(Coloured):
    """Counts how often each image is decoded."""

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


def test_images_stay_in_memory_up_to_the_limit_and_are_then_decoded_each_time(tmp_path: Path) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(tiny_clip(tmp_path))))
    source = Counted()
    images = PreparedImages(source, encoder.processor, most_bytes=2 * _BYTES + 1)
    chosen = samples(range(4))
    batches = Batches(encoder.model, images)
    first, again = batches(chosen), batches(chosen)
    assert images.kept == 2
    assert source.decoded == {"0-red": 1, "1-blue": 1, "2-green": 2, "3-yellow": 2}
    assert torch.equal(first["pixel_values"], again["pixel_values"])


def test_samples_whose_image_cannot_be_decoded_are_left_out_and_counted(tmp_path: Path) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(tiny_clip(tmp_path))))
    source = Counted()
    images = PreparedImages(source, encoder.processor, most_bytes=0)
    good = samples(range(2))
    bad = [Sample("a", "damaged-0"), Sample("b", "damaged-0"), Sample("c", "damaged-1")]
    kept, reasons = images.readable([bad[0], good[0], bad[1], good[1], bad[2]])
    assert kept == good
    assert reasons == {"UnidentifiedImageError": 3}
    assert source.decoded["damaged-0"] == 1


def test_images_of_different_sizes_are_one_line(tmp_path: Path) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(tiny_clip(tmp_path))))
    encoder.processor.image_processor.do_center_crop = False

    class Wide(Coloured):
        def get(self, image_id: str) -> Image.Image:
            picture = super().get(image_id)
            return picture.resize((80, 40)) if image_id == "1-blue" else picture

    with pytest.raises(WhatifError, match=r"different sizes \(32 x 32 and 64 x 32\); set do_center_crop"):
        Batches(encoder.model, PreparedImages(Wide(), encoder.processor))(samples(range(2)))
