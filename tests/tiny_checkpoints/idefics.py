"""Tiny Idefics3 and SmolVLM, which cut a picture into tiles beside the whole of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tiny_checkpoints.tokenizer import chat_template, tiny_llama, tiny_tokenizer, widen
from whatif.models.local.processors import without_video

_TOKENS = (
    "<image>",
    "<fake_token_around_image>",
    "<global-img>",
    "<end_of_utterance>",
    "<video>",
    *(f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)),
)
_VISION = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 28,
    "patch_size": 7,
}
_TOKENS_A_TILE = 4  # (28 / 7) squared patches, 2 squared of them in a token


def tiny_idefics3(folder: Path, seed: int = 0) -> Path:
    """Saves a random Idefics3 of 0.4 MB into `folder`."""
    import transformers

    tokenizer = tiny_tokenizer(_TOKENS)
    configuration = transformers.Idefics3Config(vision_config=_VISION, **_words(tokenizer))
    widen(transformers.Idefics3ForConditionalGeneration(configuration), seed).save_pretrained(folder)
    image_processor = transformers.Idefics3ImageProcessor(**_picture_size())
    transformers.Idefics3Processor(
        image_processor, tokenizer, image_seq_len=_TOKENS_A_TILE, chat_template=chat_template("<image>")
    ).save_pretrained(folder)
    return folder


def tiny_smolvlm(folder: Path, seed: int = 0) -> Path:
    """Saves a random SmolVLM of 0.4 MB into `folder`."""
    import transformers

    tokenizer = tiny_tokenizer(_TOKENS)
    configuration = transformers.SmolVLMConfig(vision_config=_VISION, **_words(tokenizer))
    widen(transformers.SmolVLMForConditionalGeneration(configuration), seed).save_pretrained(folder)
    image_processor = transformers.SmolVLMImageProcessor(**_picture_size())
    without_video("smolvlm")(
        image_processor, tokenizer, image_seq_len=_TOKENS_A_TILE, chat_template=chat_template("<image>")
    ).save_pretrained(folder)
    return folder


def _words(tokenizer: Any) -> dict[str, Any]:
    import transformers

    return {
        "text_config": transformers.LlamaConfig(**tiny_llama(tokenizer)),
        "image_token_id": tokenizer.convert_tokens_to_ids("<image>"),
        "scale_factor": 2,
        "pad_token_id": tokenizer.pad_token_id,
    }


def _picture_size() -> dict[str, Any]:
    return {"size": {"longest_edge": 56}, "max_image_size": {"longest_edge": 28}}
