"""A tiny InternVL, which cuts an image into tiles and adds a thumbnail."""

from __future__ import annotations

from pathlib import Path

from tests.tiny_checkpoints.tokenizer import chatml_template, tiny_llama, tiny_tokenizer, widen
from whatif.models.local.processors import without_video

_NAMED = {
    "start_image_token": "<img>",
    "end_image_token": "</img>",
    "context_image_token": "<IMG_CONTEXT>",
    "video_token": "<video>",
}
_TOKENS_A_TILE = 4  # (28 / 7) squared patches, 2 squared of them in a token


def tiny_internvl(folder: Path, seed: int = 0) -> Path:
    """Saves a random InternVL of 0.3 MB into `folder`."""
    import transformers

    tokenizer = tiny_tokenizer(("<|im_start|>", "<|im_end|>", *_NAMED.values()), end="<|im_end|>", named=_NAMED)
    configuration = transformers.InternVLConfig(
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 28,
            "patch_size": 7,
        },
        text_config={"model_type": "qwen2", **tiny_llama(tokenizer)},
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=_TOKENS_A_TILE,
    )
    widen(transformers.InternVLForConditionalGeneration(configuration), seed).save_pretrained(folder)
    image_processor = transformers.GotOcr2ImageProcessor(
        size={"height": 28, "width": 28}, crop_to_patches=True, min_patches=1, max_patches=6
    )
    without_video("internvl")(
        image_processor,
        tokenizer,
        image_seq_length=_TOKENS_A_TILE,
        chat_template=chatml_template("<IMG_CONTEXT>\n"),
    ).save_pretrained(folder)
    return folder
