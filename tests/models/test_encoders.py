"""CLIP and ViLT as matchers: scores as the library gives them one by one, and what is said of a bad checkpoint."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.tiny_checkpoints import tiny_clip, tiny_llava, tiny_vilt
from whatif.errors import WhatifError
from whatif.models import load_matcher
from whatif.models.encoders import dual_encoder
from whatif.params_models import CrossEncoder, DualEncoder, LocalCheckpoint

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CAPTIONS = [("how many dots", "how many red flowers are there inside"), ("yellow", "the answer"), ("a", "what colour")]


def pictures() -> list[tuple[Image.Image, Image.Image]]:
    pixels = np.random.default_rng(0).integers(0, 256, (6, 48, 48, 3), dtype=np.uint8)
    images = [Image.fromarray(one) for one in pixels]
    return list(zip(images[::2], images[1::2], strict=True))


@pytest.mark.parametrize("batch_size", [1, 2, 100])
def test_clip_scores_are_the_cosines_of_the_library(tmp_path: Path, batch_size: int) -> None:
    folder = tiny_clip(tmp_path)
    settings = DualEncoder(adapter="dual-encoder", checkpoint=str(folder), batch_size=batch_size)
    scores = load_matcher("dual-encoder", settings).match(CAPTIONS, pictures())
    assert scores.shape == (3, 2, 2)
    processor = transformers.CLIPProcessor.from_pretrained(folder)
    model = transformers.CLIPModel.from_pretrained(folder).eval()
    for pair, (captions, images) in enumerate(zip(CAPTIONS, pictures(), strict=True)):
        for caption in (0, 1):
            for image in (0, 1):
                inputs = processor(text=[captions[caption]], images=[images[image]], return_tensors="pt")
                with torch.inference_mode():
                    expected = model(**inputs).logits_per_image.item() / model.logit_scale.exp().item()
                assert scores[pair, caption, image] == pytest.approx(expected, abs=1e-5)
    assert len({round(float(score), 4) for score in scores.ravel()}) == 12  # captions and pictures both count


@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_vilt_scores_are_the_logits_of_the_library(tmp_path: Path, batch_size: int) -> None:
    folder = tiny_vilt(tmp_path)
    settings = CrossEncoder(adapter="cross-encoder", checkpoint=str(folder), batch_size=batch_size)
    matcher = load_matcher("cross-encoder", settings)
    scores = matcher.match(CAPTIONS, pictures())
    processor = transformers.ViltProcessor.from_pretrained(folder)
    model = transformers.ViltForImageAndTextRetrieval.from_pretrained(folder).eval()
    for pair, (captions, images) in enumerate(zip(CAPTIONS, pictures(), strict=True)):
        for caption in (0, 1):
            for image in (0, 1):
                with torch.inference_mode():
                    inputs = processor(images[image], captions[caption], return_tensors="pt")
                    expected = model(**inputs).logits.item()
                assert scores[pair, caption, image] == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert np.array_equal(matcher.match(CAPTIONS, pictures()), scores)


def lose(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def truncate(folder: Path) -> None:
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[:1000])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lose("model.safetensors"), "lacks weights"),
        (lose("config.json"), "lacks config.json"),
        (truncate, "cannot be loaded"),
    ],
)
def test_a_spoilt_checkpoint_is_one_line(tmp_path: Path, spoil: Callable[[Path], None], message: str) -> None:
    folder = tiny_clip(tmp_path / "clip")
    spoil(folder)
    with pytest.raises(WhatifError) as error:
        dual_encoder(LocalCheckpoint(checkpoint=str(folder)))
    said = str(error.value)
    assert said.startswith(f"checkpoint {folder}: ") and message in said and "\n" not in said


def test_another_kind_of_checkpoint_is_refused(tmp_path: Path) -> None:
    clip, llava = tiny_clip(tmp_path / "clip"), tiny_llava(tmp_path / "llava")
    with pytest.raises(WhatifError, match="is a 'llava'; the adapter dual-encoder takes clip"):
        dual_encoder(LocalCheckpoint(checkpoint=str(llava)))
    with pytest.raises(WhatifError, match="is a 'clip'; the adapter cross-encoder takes vilt and bridgetower"):
        load_matcher("cross-encoder", CrossEncoder(adapter="cross-encoder", checkpoint=str(clip)))
    shutil.rmtree(clip)
    with pytest.raises(WhatifError, match="there is no such folder"):
        dual_encoder(LocalCheckpoint(checkpoint=str(clip)))
