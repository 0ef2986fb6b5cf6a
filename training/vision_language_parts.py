"""The parts of the embedded LLaVA: its processor, its weights, and its image input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.tokenizers import train_tokenizer
from whatif.engine.errors import WhatifError

SIDE = 96  # pixels of an image
PATCH = 16  # pixels per token and side: 36 tokens per image
_VOCABULARY = 1024
# Of the language model's weights. The usual 0.02 is for thirty times the width: attention would be nearly uniform at
# first, and learning to compare words with the image would take thousands of steps.
_INITIAL_SPREAD = 0.08
_IMAGE_TOKEN = "<image>"
_SPECIAL_TOKENS = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}

# The images of a turn, its text, then the answer after `Answer:`.
_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'assistant' %}Answer: {% endif %}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}" + _IMAGE_TOKEN + "{% endif %}{% endfor %}"
    "{% for part in message['content'] %}{% if part['type'] == 'text' %}{{ part['text'] }}{% endif %}{% endfor %}"
    "{% if message['role'] == 'assistant' %}{{ eos_token }}{% else %}{{ '\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}Answer:{% endif %}"
)


@dataclass(frozen=True)
class Sizes:
    """Of a LLaVA: the channels and depth of the stem's stages, and widths, layers and heads of its two transformers."""

    embedding: int
    stages: tuple[int, ...]  # the last is the width of the vision tower's tokens
    depth: int
    tower_layers: int
    tower_heads: int
    width: int  # of the language model
    layers: int
    heads: int


LARGE = Sizes(32, (48, 96, 160), depth=2, tower_layers=3, tower_heads=5, width=128, layers=4, heads=4)


def answer_prompt(question: str) -> str:
    """The text between an image and its answer, as in the chat template."""
    return f"{question}\nAnswer:"


def new_processor(texts: Sequence[str], vocabulary: int = _VOCABULARY, *, whole_numbers: bool = True) -> Any:
    """A LlavaProcessor with a tokeniser of at most so many tokens, trained on these texts."""
    import transformers

    llava_processor: Any = transformers.LlavaProcessor
    image_processor = transformers.CLIPImageProcessor(
        size={"shortest_edge": SIDE},
        crop_size={"height": SIDE, "width": SIDE},
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    return llava_processor(
        image_processor=image_processor,
        tokenizer=train_tokenizer(texts, vocabulary, _SPECIAL_TOKENS, (_IMAGE_TOKEN,), whole_numbers=whole_numbers),
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,  # the tower's class token, which "default" removes again
        chat_template=_TEMPLATE,
    )


def new_model(processor: Any, sizes: Sizes = LARGE) -> Any:
    """A LLaVA with random weights, by default 3 million: a ResNet stem under a small transformer, and a Llama.

    A convolutional stem learns what is inside an outline with half the images that a Swin of the same cost needs.
    """
    import transformers

    resnet: Any = transformers.ResNetConfig
    stem = resnet(
        embedding_size=sizes.embedding,
        hidden_sizes=list(sizes.stages),
        depths=[sizes.depth] * len(sizes.stages),
        layer_type="basic",
        out_features=["stage1", "stage2", "stage3"],
    )
    side, tower_width = SIDE // PATCH, sizes.stages[-1]
    vision = transformers.DPTConfig(
        is_hybrid=True,
        backbone_config=stem,
        backbone_featmap_shape=[1, tower_width, side, side],
        hidden_size=tower_width,
        num_hidden_layers=sizes.tower_layers,
        num_attention_heads=sizes.tower_heads,
        intermediate_size=3 * tower_width,
        image_size=SIDE,
        patch_size=PATCH,
    )
    tokenizer = processor.tokenizer
    special = {name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
    text = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=sizes.width,
        intermediate_size=3 * sizes.width,
        num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads,
        num_key_value_heads=sizes.heads,
        initializer_range=_INITIAL_SPREAD,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        **special,
    )
    configuration = transformers.LlavaConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=tokenizer.convert_tokens_to_ids(_IMAGE_TOKEN),
        image_seq_length=side * side,
        vision_feature_layer=-1,
        vision_feature_select_strategy="default",
        tie_word_embeddings=True,
    )
    return transformers.LlavaForConditionalGeneration(configuration)


def load_start(folder: Path) -> tuple[Any, Any]:
    """The model and the processor of a checkpoint to continue from. Raises WhatifError when it does not exist."""
    import torch
    import transformers

    if not (folder / "model.safetensors").is_file():
        raise WhatifError(f"{folder}: has no model.safetensors to continue from; train that checkpoint first")
    model = transformers.LlavaForConditionalGeneration.from_pretrained(
        folder, dtype=torch.float32, trust_remote_code=False
    )
    return model, transformers.LlavaProcessor.from_pretrained(folder, trust_remote_code=False)


def pixel_values(pictures: Sequence[npt.NDArray[np.uint8]]) -> Any:
    """Images of (side, side, 3) in the processor's form: a tensor (images, 3, side, side)."""
    import torch

    stacked = torch.from_numpy(np.stack([np.ascontiguousarray(picture) for picture in pictures]))
    return (stacked.permute(0, 3, 1, 2).float() / 255 - 0.5) / 0.5


def read_tokens(model: Any, pixels: Any) -> Any:
    """The vision tower's tokens of images, (images, 36, width), which are the projector's input."""
    return model.model.vision_tower(pixels, output_hidden_states=True).hidden_states[-1][:, 1:]
