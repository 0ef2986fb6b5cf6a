"""Tiny LLaVA and LLaVA-NeXT: a CLIP tower of 28 x 28 pixels in 2 x 2 patches, and a Llama."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tiny_checkpoints.tokenizer import chat_template, tiny_llama, tiny_tokenizer, widen

_GRIDS = [[28, 56], [56, 28], [56, 56]]  # sizes in pixels that LLaVA-NeXT cuts into tiles


def tiny_llava(folder: Path, seed: int = 0) -> Path:
    """Saves a random LLaVA of 0.3 MB into `folder`."""
    import transformers

    tokenizer = tiny_tokenizer()
    configuration = transformers.LlavaConfig(**_parts(tokenizer))
    widen(transformers.LlavaForConditionalGeneration(configuration), seed).save_pretrained(folder)
    image_processor = transformers.CLIPImageProcessor(**_picture_size())
    transformers.LlavaProcessor(image_processor=image_processor, **_processor(tokenizer)).save_pretrained(folder)
    return folder


def random_llava(folder: Path, image_tokens_side: int, layers: int = 12, hidden_size: int = 512) -> Path:
    """Saves a random LLaVA with `image_tokens_side` squared tokens a picture into `folder`, to measure speed with."""
    import transformers

    tokenizer = tiny_tokenizer()
    pixels = 14 * image_tokens_side
    parts = _parts(tokenizer)
    heads = hidden_size // 64
    parts["vision_config"] = transformers.CLIPVisionConfig(
        hidden_size=hidden_size // 2,
        intermediate_size=2 * hidden_size,
        num_hidden_layers=4,
        num_attention_heads=heads,
        image_size=pixels,
        patch_size=14,
    )
    parts["text_config"] = transformers.LlamaConfig(
        **tiny_llama(
            tokenizer,
            hidden_size=hidden_size,
            intermediate_size=4 * hidden_size,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=heads,
            max_position_embeddings=4096,
        )
    )
    model = transformers.LlavaForConditionalGeneration(transformers.LlavaConfig(**parts))
    widen(model, seed=0).save_pretrained(folder)
    size = {"size": {"shortest_edge": pixels}, "crop_size": {"height": pixels, "width": pixels}}
    image_processor = transformers.CLIPImageProcessor(**size)
    transformers.LlavaProcessor(image_processor=image_processor, **_processor(tokenizer)).save_pretrained(folder)
    return folder


def tiny_llava_next(folder: Path, seed: int = 0) -> Path:
    """Saves a random LLaVA-NeXT of 0.3 MB into `folder`; the number of its image tokens depends on the picture."""
    import transformers

    tokenizer = tiny_tokenizer()
    configuration = transformers.LlavaNextConfig(**_parts(tokenizer), image_grid_pinpoints=_GRIDS)
    widen(transformers.LlavaNextForConditionalGeneration(configuration), seed).save_pretrained(folder)
    image_processor = transformers.LlavaNextImageProcessor(**_picture_size(), image_grid_pinpoints=_GRIDS)
    transformers.LlavaNextProcessor(image_processor=image_processor, **_processor(tokenizer)).save_pretrained(folder)
    return folder


def _parts(tokenizer: Any) -> dict[str, Any]:
    import transformers

    return {
        "vision_config": transformers.CLIPVisionConfig(
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            image_size=28,
            patch_size=14,
        ),
        "text_config": transformers.LlamaConfig(**tiny_llama(tokenizer)),
        "image_token_index": tokenizer.convert_tokens_to_ids("<image>"),
        "vision_feature_layer": -1,
        "vision_feature_select_strategy": "default",
    }


def _picture_size() -> dict[str, Any]:
    return {"size": {"shortest_edge": 28}, "crop_size": {"height": 28, "width": 28}}


def _processor(tokenizer: Any) -> dict[str, Any]:
    return {
        "tokenizer": tokenizer,
        "patch_size": 14,
        "vision_feature_select_strategy": "default",
        "num_additional_image_tokens": 1,
        "chat_template": chat_template("<image>\n", images_first=True),
    }
