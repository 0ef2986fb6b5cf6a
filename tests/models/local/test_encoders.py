"""Encoders as matchers: scores equal the library's one by one, and errors of invalid checkpoints."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.tiny_checkpoints import tiny_bridgetower, tiny_clip, tiny_flava, tiny_llava, tiny_vilt
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import CrossEncoder, DualEncoder, LocalCheckpoint
from whatif.models import load_matcher
from whatif.models.local.encoders import dual_encoder

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CAPTIONS = [("how many dots", "how many red flowers are there inside"), ("yellow", "the answer"), ("a", "what colour")]


def pictures() -> list[tuple[Image.Image, Image.Image]]:
    pixels = np.random.default_rng(0).integers(0, 256, (6, 48, 48, 3), dtype=np.uint8)
    images = [Image.fromarray(one) for one in pixels]
    return list(zip(images[::2], images[1::2], strict=True))


def one_by_one(folder: Path, loaded_by: str, cosine: Callable[[Any, Any], float]) -> list[float]:
    """The library's own forward pass for each caption of a pair with each of its images, alone."""
    model = getattr(transformers, loaded_by).from_pretrained(folder).eval()
    processor = transformers.AutoProcessor.from_pretrained(folder)
    scores = []
    for captions, images in zip(CAPTIONS, pictures(), strict=True):
        for caption in captions:
            for image in images:
                with torch.inference_mode():
                    torch.manual_seed(0)
                    inputs = processor(images=[image], text=[caption], return_tensors="pt")
                    scores.append(cosine(model, model(**inputs)))
    return scores


def of_clip(model: Any, output: Any) -> float:
    return float(output.logits_per_image / model.logit_scale.exp())


def of_flava(model: Any, output: Any) -> float:
    return float(output.contrastive_logits_per_image / model.flava.logit_scale.exp())


def of_bridgetower(model: Any, output: Any) -> float:
    return float((output.text_embeds * output.image_embeds).sum())


DUAL = {
    "clip": (tiny_clip, "CLIPModel", of_clip),
    "flava": (tiny_flava, "FlavaForPreTraining", of_flava),
    "bridgetower": (tiny_bridgetower, "BridgeTowerForContrastiveLearning", of_bridgetower),
}


BATCHES = [pytest.param(1, marks=pytest.mark.soak), 2, pytest.param(100, marks=pytest.mark.soak)]


@pytest.mark.parametrize("kind", DUAL)
@pytest.mark.parametrize("batch_size", BATCHES)
def test_scores_of_dual_encoders_are_the_cosines_of_the_library(tmp_path: Path, kind: str, batch_size: int) -> None:
    make, loaded_by, cosine = DUAL[kind]
    folder = make(tmp_path)
    settings = DualEncoder(adapter="dual-encoder", checkpoint=str(folder), batch_size=batch_size)
    scores = load_matcher("dual-encoder", settings).match(CAPTIONS, pictures())
    assert scores.shape == (3, 2, 2)
    assert scores.ravel().tolist() == pytest.approx(one_by_one(folder, loaded_by, cosine), abs=1e-5)
    assert len({round(float(score), 4) for score in scores.ravel()}) == 12  # both captions and images matter


def logit_of_bridgetower(model: Any, output: Any) -> float:
    """As in the library's forward pass with `return_loss`, where it is not returned."""
    return float(torch.matmul(output.text_embeds, output.image_embeds.t()) * model.logit_scale.exp())


LOGITS = {
    "clip": lambda _, output: float(output.logits_per_text),
    "flava": lambda _, output: float(output.contrastive_logits_per_text),
    "bridgetower": logit_of_bridgetower,
}


@pytest.mark.parametrize("kind", DUAL)
def test_scores_times_the_scale_of_the_checkpoint_are_its_logits(tmp_path: Path, kind: str) -> None:
    make, loaded_by, _ = DUAL[kind]
    folder = make(tmp_path)
    model = getattr(transformers, loaded_by).from_pretrained(folder)
    scale = (model.flava if kind == "flava" else model).logit_scale
    with torch.no_grad():
        scale.fill_(3.0)  # another one than that of a new model
    model.save_pretrained(folder)
    matcher = load_matcher("dual-encoder", DualEncoder(adapter="dual-encoder", checkpoint=str(folder), batch_size=2))
    assert matcher.logit_scale == pytest.approx(np.exp(3.0))
    found = matcher.match(CAPTIONS, pictures()).ravel() * matcher.logit_scale
    assert found.tolist() == pytest.approx(one_by_one(folder, loaded_by, LOGITS[kind]), abs=1e-3)


@pytest.mark.parametrize("kind", DUAL)
def test_embeddings_have_length_one_and_a_long_caption_is_cut_off(tmp_path: Path, kind: str) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(DUAL[kind][0](tmp_path)), batch_size=2))
    encoder.processor.tokenizer.model_max_length = int(1e30)  # as in tokenisers saved without a length
    long = "how many dots are there " * 60
    found = encoder.captions([long, long + "inside", "", "yellow"])
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0)
    # The truncated text does not count, so both are the same; CLIP reads the last token, which is still the end token.
    assert np.array_equal(found[0], found[1])
    assert not np.allclose(found[0], found[3], atol=1e-3)
    assert encoder.pictures([]).shape[0] == 0


CROSS = {
    "vilt": (tiny_vilt, "ViltForImageAndTextRetrieval"),
    "bridgetower": (
        lambda folder: tiny_bridgetower(folder, "ForImageAndTextRetrieval"),
        "BridgeTowerForImageAndTextRetrieval",
    ),
}


@pytest.mark.parametrize("kind", CROSS)
@pytest.mark.parametrize("batch_size", BATCHES)
def test_scores_of_cross_encoders_are_the_logits_of_the_library(tmp_path: Path, kind: str, batch_size: int) -> None:
    make, loaded_by = CROSS[kind]
    folder = make(tmp_path)
    settings = CrossEncoder(adapter="cross-encoder", checkpoint=str(folder), batch_size=batch_size)
    matcher = load_matcher("cross-encoder", settings)
    scores = matcher.match(CAPTIONS, pictures())
    expected = one_by_one(folder, loaded_by, lambda _, output: float(output.logits[0, -1]))
    assert scores.ravel().tolist() == pytest.approx(expected, rel=1e-4, abs=1e-5)
    assert matcher.logit_scale is None, "its scores are logits"
    assert len({round(float(score), 5) for score in scores.ravel()}) == 12
    assert np.array_equal(matcher.match(CAPTIONS, pictures()), scores)
    long = "how many dots are there " * 60
    assert np.isfinite(matcher.match([(long, "yellow")], pictures()[:1])).all()


def test_a_bridgetower_without_the_heads_of_its_adapter_is_refused(tmp_path: Path) -> None:
    matching = tiny_bridgetower(tmp_path / "matching", "ForImageAndTextRetrieval")
    with pytest.raises(WhatifError, match=r"its files lack \d+ weights, first itc_"):
        dual_encoder(LocalCheckpoint(checkpoint=str(matching)))
    contrastive = tiny_bridgetower(tmp_path / "contrastive")
    with pytest.raises(WhatifError, match=r"its files lack \d+ weights, first itm_score"):
        load_matcher("cross-encoder", CrossEncoder(adapter="cross-encoder", checkpoint=str(contrastive)))


def test_too_little_memory_is_one_line_that_names_the_batch_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(tiny_flava(tmp_path)), batch_size=7))

    def fails(**_: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    monkeypatch.setattr(encoder.model, "get_text_features", fails)
    with pytest.raises(WhatifError, match="out of memory with 7 at once; set a smaller batch_size"):
        encoder.captions(["yellow"])


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
        (truncate, "is truncated"),
    ],
)
def test_a_spoilt_checkpoint_is_one_line(tmp_path: Path, spoil: Callable[[Path], None], message: str) -> None:
    folder = tiny_clip(tmp_path / "clip")
    spoil(folder)
    with pytest.raises(WhatifError) as error:
        dual_encoder(LocalCheckpoint(checkpoint=str(folder)))
    said = str(error.value)
    assert said.startswith(f"checkpoint {folder}") and message in said and "\n" not in said


def test_another_kind_of_checkpoint_is_refused(tmp_path: Path) -> None:
    clip, llava = tiny_clip(tmp_path / "clip"), tiny_llava(tmp_path / "llava")
    with pytest.raises(WhatifError, match="is a 'llava'; the adapter dual-encoder takes clip, flava and bridgetower"):
        dual_encoder(LocalCheckpoint(checkpoint=str(llava)))
    with pytest.raises(WhatifError, match="is a 'clip'; the adapter cross-encoder takes vilt and bridgetower"):
        load_matcher("cross-encoder", CrossEncoder(adapter="cross-encoder", checkpoint=str(clip)))
    shutil.rmtree(clip)
    with pytest.raises(WhatifError, match="no such folder"):
        dual_encoder(LocalCheckpoint(checkpoint=str(clip)))
