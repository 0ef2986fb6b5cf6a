"""A tiny Gemma 3, whose image tokens attend to each other in both directions, and which has a sliding window."""

from __future__ import annotations

from pathlib import Path

from tests.tiny_checkpoints.tokenizer import special_ids, tiny_tokenizer, widen

_NAMED = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>", "image_token": "<image_soft_token>"}
_TOKENS_AN_IMAGE = 4  # (28 / 7) squared patches, 2 squared of them in a token
_WINDOW = 12  # tokens; shorter than every prompt
# As in the family's own template, the system message is the beginning of the first user message.
_TEMPLATE = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set rest = messages[1:] %}"
    "{% set prefix = messages[0]['content'][0]['text'] + '\n\n' %}"
    "{% else %}{% set rest = messages %}{% set prefix = '' %}{% endif %}"
    "{% for message in rest %}{{ '<start_of_turn>' + ('model' if message['role'] == 'assistant' else 'user') + '\n' }}"
    "{% if loop.first %}{{ prefix }}{% endif %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<start_of_image>{% else %}{{ part['text'] | trim }}{% endif %}{% endfor %}"
    "{{ '<end_of_turn>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)


def tiny_gemma3(folder: Path, seed: int = 0) -> Path:
    """Saves a random Gemma 3 of 0.4 MB into `folder`: one layer with a sliding window, one without."""
    import transformers

    tokenizer = tiny_tokenizer(
        ("<start_of_turn>", "<end_of_turn>", *_NAMED.values()), end="<end_of_turn>", named=_NAMED
    )
    ids = {name: tokenizer.convert_tokens_to_ids(token) for name, token in _NAMED.items()}
    configuration = transformers.Gemma3Config(
        vision_config={
            "model_type": "siglip_vision_model",
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 28,
            "patch_size": 7,
            "vision_use_head": False,
        },
        text_config={
            "model_type": "gemma3_text",
            "vocab_size": len(tokenizer),
            "hidden_size": 48,
            "intermediate_size": 96,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 24,
            "query_pre_attn_scalar": 24,
            "max_position_embeddings": 512,
            "sliding_window": _WINDOW,
            "layer_types": ["sliding_attention", "full_attention"],
            "tie_word_embeddings": False,
            **special_ids(tokenizer),
        },
        mm_tokens_per_image=_TOKENS_AN_IMAGE,
        boi_token_index=ids["boi_token"],
        eoi_token_index=ids["eoi_token"],
        image_token_index=ids["image_token"],
        # Tied, the toy would repeat the last token of every prompt.
        tie_word_embeddings=False,
        **special_ids(tokenizer),
    )
    widen(transformers.Gemma3ForConditionalGeneration(configuration), seed).save_pretrained(folder)
    image_processor = transformers.Gemma3ImageProcessor(size={"height": 28, "width": 28})
    transformers.Gemma3Processor(
        image_processor, tokenizer, chat_template=_TEMPLATE, image_seq_length=_TOKENS_AN_IMAGE
    ).save_pretrained(folder)
    return folder
