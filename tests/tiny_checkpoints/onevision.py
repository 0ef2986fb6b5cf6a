"""A tiny LLaVA-OneVision: a SigLIP tower of 28 x 28 pixels in 2 x 2 patches, and a Qwen2."""

from __future__ import annotations

from pathlib import Path

from tests.tiny_checkpoints.tokenizer import tiny_llama, tiny_tokenizer, widen
from whatif.models.local.processors import without_video

_GRIDS = [[28, 28], [28, 56], [56, 28], [56, 56]]  # height and width in pixels of the images that it cuts into tiles
# As in the family's own template, the images of a message precede its text, and the opening of an answer ends in a line
# break where the turns of a conversation have a space.
_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + ' ' }}"
    "{% for part in message['content'] if part['type'] == 'image' %}<image>{% endfor %}"
    "{% for part in message['content'] if part['type'] == 'text' %}{{ '\n' + part['text'] }}{% endfor %}<|im_end|>"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def tiny_llava_onevision(folder: Path, seed: int = 0) -> Path:
    """Saves a random LLaVA-OneVision of 0.3 MB into `folder`.

    The only image of a conversation is cut into tiles; several images have one tile each.
    """
    import transformers

    tokenizer = tiny_tokenizer(("<|im_start|>", "<|im_end|>", "<image>", "<video>"), end="<|im_end|>")
    configuration = transformers.LlavaOnevisionConfig(
        vision_config={
            "model_type": "siglip_vision_model",
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 28,
            "patch_size": 14,
            "vision_use_head": False,
        },
        text_config={"model_type": "qwen2", **tiny_llama(tokenizer)},
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        video_token_index=tokenizer.convert_tokens_to_ids("<video>"),
        image_grid_pinpoints=_GRIDS,
    )
    widen(transformers.LlavaOnevisionForConditionalGeneration(configuration), seed).save_pretrained(folder)
    image_processor = transformers.LlavaOnevisionImageProcessor(
        size={"height": 28, "width": 28}, image_grid_pinpoints=_GRIDS
    )
    without_video("llava_onevision")(
        image_processor,
        tokenizer,
        num_image_tokens=4,
        vision_feature_select_strategy="full",
        chat_template=_TEMPLATE,
    ).save_pretrained(folder)
    return folder
