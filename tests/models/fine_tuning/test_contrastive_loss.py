"""The contrastive loss equals the library's own, family by family, in value and gradients."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.fine_tuning.contrastive import Coloured, samples
from tests.tiny_checkpoints import tiny_bridgetower, tiny_clip, tiny_flava
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.fine_tuning.contrastive_loss import contrastive_loss
from whatif.models.fine_tuning.contrastive_samples import Batches, PreparedImages
from whatif.models.local.encoders import Embedder, dual_encoder

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


def encoder_and_batch(folder: Path) -> tuple[Embedder, dict[str, Any]]:
    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(folder)))
    return encoder, Batches(encoder.model, PreparedImages(Coloured(), encoder.processor))(samples(range(5)))


def gradients(model: Any) -> dict[str, Any]:
    return {name: one.grad for name, one in model.named_parameters() if one.grad is not None}


@pytest.mark.parametrize("build", [tiny_clip, tiny_bridgetower])
def test_the_loss_is_the_one_that_the_library_returns(build: Callable[[Path], Path], tmp_path: Path) -> None:
    encoder, inputs = encoder_and_batch(build(tmp_path))
    model = encoder.model
    expected = model(**inputs, return_loss=True).loss
    expected.backward()
    theirs = {name: one.clone() for name, one in gradients(model).items()}
    model.zero_grad(set_to_none=True)
    loss = contrastive_loss(model, inputs)
    loss.backward()
    assert loss.dim() == 0
    assert float(loss.detach()) == pytest.approx(float(expected.detach()), abs=1e-5)
    assert float(loss.detach()) > 0.1
    ours = gradients(model)
    assert ours.keys() == theirs.keys() and "logit_scale" in ours
    for name, value in theirs.items():
        assert torch.allclose(ours[name], value, rtol=1e-3, atol=1e-5), name


def test_the_loss_of_flava_is_its_global_contrastive_loss(tmp_path: Path) -> None:
    encoder, inputs = encoder_and_batch(tiny_flava(tmp_path))
    whole = transformers.FlavaForPreTraining.from_pretrained(tmp_path).eval()
    with torch.no_grad():
        output = whole(
            input_ids=inputs["input_ids"],
            input_ids_masked=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            pixel_values=inputs["pixel_values"],
            skip_multimodal_encoder=True,
            return_loss=True,
            bool_masked_pos=torch.zeros((5, 4), dtype=torch.long),
            mim_labels=torch.full((5, 4), -100),
        )
    expected = float(output.loss_info.global_contrastive)
    assert expected > 0.1
    assert float(contrastive_loss(encoder.model, inputs).detach()) == pytest.approx(expected, abs=1e-5)


def test_the_scale_of_flava_keeps_its_limits_in_training_only(tmp_path: Path) -> None:
    encoder, inputs = encoder_and_batch(tiny_flava(tmp_path))
    encoder.model.logit_scale.data.fill_(6.0)
    contrastive_loss(encoder.model, inputs)
    assert float(encoder.model.logit_scale.detach()) == 6.0
    encoder.model.train()
    contrastive_loss(encoder.model, inputs)
    assert float(encoder.model.logit_scale.detach()) == pytest.approx(4.6052)


@pytest.mark.parametrize("build", [tiny_clip, tiny_bridgetower, tiny_flava])
def test_a_caption_with_the_image_of_another_costs_more_after_steps_on_the_right_ones(
    build: Callable[[Path], Path], tmp_path: Path
) -> None:
    encoder, inputs = encoder_and_batch(build(tmp_path))
    chosen = {name: value[:4] for name, value in inputs.items()}
    optimiser = torch.optim.AdamW(encoder.model.parameters(), lr=1e-3)
    for _ in range(70):
        optimiser.zero_grad()
        contrastive_loss(encoder.model, chosen).backward()
        optimiser.step()
    swapped = {**chosen, "pixel_values": chosen["pixel_values"].flip(0)}
    with torch.no_grad():
        assert contrastive_loss(encoder.model, chosen) < contrastive_loss(encoder.model, swapped) - 0.2


def test_mixed_precision_compares_embeddings_in_full_precision(tmp_path: Path) -> None:
    encoder, inputs = encoder_and_batch(tiny_clip(tmp_path))
    full = contrastive_loss(encoder.model, inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = contrastive_loss(encoder.model, inputs)
    assert mixed.dtype is torch.float32
    assert float(mixed.detach()) != float(full.detach())  # the encoders did compute in 16 bits
    assert float(mixed.detach()) == pytest.approx(float(full.detach()), abs=0.15)
