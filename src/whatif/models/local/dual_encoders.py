"""Separate embeddings of captions and images for each family of dual encoders (CLIP, FLAVA, BridgeTower)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Inputs = Mapping[str, Any]


@dataclass(frozen=True)
class DualFamily:
    """A type of checkpoint: the class of transformers that loads it, and the functions that embed (batch x width).

    The embeddings are those that its contrastive head compares, before normalisation.
    """

    loaded_by: str
    captions: Callable[[Any, Inputs], Any]
    pictures: Callable[[Any, Inputs], Any]


def _clip_captions(model: Any, inputs: Inputs) -> Any:
    return model.get_text_features(**inputs).pooler_output


def _clip_pictures(model: Any, inputs: Inputs) -> Any:
    return model.get_image_features(pixel_values=inputs["pixel_values"]).pooler_output


# FLAVA projects the state of every token; its contrastive head uses only the first.
def _flava_captions(model: Any, inputs: Inputs) -> Any:
    return model.get_text_features(**inputs).pooler_output[:, 0]


def _flava_pictures(model: Any, inputs: Inputs) -> Any:
    return model.get_image_features(pixel_values=inputs["pixel_values"]).pooler_output[:, 0]


# The library runs BridgeTower only with a caption and an image together, through cross-modal layers. But its
# contrastive heads use the last states of the two encoders below, which are independent of each other, so each
# embedding can be computed alone. The cross-modal layers and their embedding (`cross_embeds`) are left out.
def _bridgetower_captions(model: Any, inputs: Inputs) -> Any:
    states = model.bridgetower.text_model(
        input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
    ).last_hidden_state
    return model.itc_text_head(states[:, 0])


def _bridgetower_pictures(model: Any, inputs: Inputs) -> Any:
    import torch

    tower = model.bridgetower
    visual = tower.vision_model.visual
    states = visual.forward_pre(inputs["pixel_values"])
    # As many layers as the text encoder has; further layers of the vision encoder are not used.
    for layer in visual.transformer.resblocks[: len(tower.text_model.encoder.layer)]:
        states = layer(states)
    # The head uses only the first token; the others need not be projected.
    first = tower.cross_modal_image_transform(visual.forward_post(states)[:, 0])
    kind = torch.ones(1, dtype=torch.long, device=first.device)  # 0 is a token of a caption, 1 of an image
    return model.itc_image_head(first + tower.token_type_embeddings(kind))


# Model type in config.json -> family.
DUAL_FAMILIES = {
    "clip": DualFamily("CLIPModel", _clip_captions, _clip_pictures),
    "flava": DualFamily("FlavaModel", _flava_captions, _flava_pictures),
    "bridgetower": DualFamily("BridgeTowerForContrastiveLearning", _bridgetower_captions, _bridgetower_pictures),
}


def most_tokens(model: Any, tokenizer: Any) -> int:
    """The maximum number of tokens of a caption, including beginning and end."""
    text = getattr(model.config, "text_config", model.config)
    positions: int = text.max_position_embeddings
    if model.config.model_type == "bridgetower":  # as in RoBERTa, positions start after that of padding
        positions -= text.pad_token_id + 1
    return int(min(positions, tokenizer.model_max_length))
