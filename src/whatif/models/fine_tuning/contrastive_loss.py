"""The contrastive loss of a batch of captions with their images, by family of dual encoders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from whatif.models.local.dual_encoders import DUAL_FAMILIES

if TYPE_CHECKING:
    import torch

_PIXELS = "pixel_values"
_FLAVA_SCALE = (0.0, 4.6052)  # the library keeps FLAVA's logarithmic scale in this range while it trains


def contrastive_loss(model: Any, inputs: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """The loss of a batch in nats, a scalar with gradients (COCO-Counterfactuals B.3.2).

    Row i of the captions (batch x tokens) belongs to row i of `pixel_values` (batch x 3 x height x width); every other
    image of the batch is a negative for the caption, and the reverse. The logits are cosines times the model's own
    learnt scale. CLIP and FLAVA: the mean of both directions, for FLAVA its global contrastive loss. BridgeTower: the
    loss that the library defines for its contrastive heads, from captions to images, from captions to the joint
    embeddings and from images to these.
    """
    import torch
    from torch.nn.functional import cross_entropy, normalize

    kind = model.config.model_type
    if kind == "bridgetower":
        whole: torch.Tensor = model(**inputs, return_loss=True).loss
        return whole
    family = DUAL_FAMILIES[kind]
    captions = family.captions(model, {name: value for name, value in inputs.items() if name != _PIXELS})
    images = family.pictures(model, inputs)
    if kind == "flava" and model.training:
        model.logit_scale.data.clamp_(*_FLAVA_SCALE)
    # Under mixed precision, only the encoders compute in 16 bits: cosines near 1 would all become equal.
    with torch.autocast(captions.device.type, enabled=False):
        unit = normalize(captions.float(), dim=-1), normalize(images.float(), dim=-1)
        logits = unit[0] @ unit[1].T * model.logit_scale.float().exp()  # captions x images
        own = torch.arange(len(logits), device=logits.device)
        return (cross_entropy(logits, own) + cross_entropy(logits.T, own)) / 2
