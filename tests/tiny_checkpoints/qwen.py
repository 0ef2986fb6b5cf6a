"""Tiny Qwen2-VL, Qwen2.5-VL and Qwen3-VL, whose image tokens have positions in three dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tiny_checkpoints.tokenizer import chat_template, chatml_template, tiny_llama, tiny_tokenizer, widen
from whatif.models.local.processors import without_video

_TOKENS = ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")
_PICTURE = "<|vision_start|><|image_pad|><|vision_end|>"


def tiny_qwen2_vl(folder: Path, seed: int = 0) -> Path:
    """Saves a random Qwen2-VL of 0.3 MB into `folder`."""
    import transformers

    tokenizer = tiny_tokenizer(_TOKENS)
    configuration = transformers.Qwen2VLConfig(
        vision_config={"depth": 2, "embed_dim": 32, "hidden_size": 48, "num_heads": 2, "patch_size": 14},
        **_words(tokenizer),
    )
    widen(transformers.Qwen2VLForConditionalGeneration(configuration), seed).save_pretrained(folder)
    return _save_processor(folder, tokenizer, "qwen2_vl")


def tiny_qwen2_5_vl(folder: Path, seed: int = 0) -> Path:
    """Saves a random Qwen2.5-VL of 0.3 MB into `folder`."""
    import transformers

    tokenizer = tiny_tokenizer(_TOKENS)
    vision = {"depth": 2, "hidden_size": 32, "intermediate_size": 64, "out_hidden_size": 48, "num_heads": 2}
    configuration = transformers.Qwen2_5_VLConfig(
        vision_config={**vision, "fullatt_block_indexes": [1], "window_size": 28}, **_words(tokenizer)
    )
    widen(transformers.Qwen2_5_VLForConditionalGeneration(configuration), seed).save_pretrained(folder)
    return _save_processor(folder, tokenizer, "qwen2_5_vl")


def tiny_qwen3_vl(folder: Path, seed: int = 0) -> Path:
    """Saves a random Qwen3-VL of 0.3 MB into `folder`; features of an early vision layer enter its first text layer."""
    import transformers

    tokenizer = tiny_tokenizer((*_TOKENS, "<|im_start|>", "<|im_end|>"), end="<|im_end|>")
    vision = {"depth": 2, "hidden_size": 32, "intermediate_size": 64, "out_hidden_size": 48, "num_heads": 2}
    words = _words(tokenizer)
    words["text_config"] |= {"head_dim": 24}
    words["text_config"]["rope_parameters"] |= {"mrope_interleaved": True}
    configuration = transformers.Qwen3VLConfig(
        vision_config={
            **vision,
            "patch_size": 14,
            "num_position_embeddings": 16,
            "deepstack_visual_indexes": [0],
        },
        **words,
    )
    widen(transformers.Qwen3VLForConditionalGeneration(configuration), seed).save_pretrained(folder)
    return _save_processor(folder, tokenizer, "qwen3_vl", chatml_template(_PICTURE))


def _words(tokenizer: Any) -> dict[str, Any]:
    names = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    rope = {"rope_type": "default", "mrope_section": [4, 4, 4], "rope_theta": 10000.0}
    return {
        "text_config": tiny_llama(tokenizer, rope_parameters=rope),
        **{name: tokenizer.convert_tokens_to_ids(token) for name, token in zip(names, _TOKENS, strict=True)},
    }


def _save_processor(folder: Path, tokenizer: Any, model_type: str, template: str | None = None) -> Path:
    import transformers

    image_processor = transformers.Qwen2VLImageProcessor(min_pixels=28 * 28, max_pixels=84 * 84, patch_size=14)
    processor = without_video(model_type)(image_processor, tokenizer, chat_template=template or chat_template(_PICTURE))
    processor.save_pretrained(folder)
    return folder
