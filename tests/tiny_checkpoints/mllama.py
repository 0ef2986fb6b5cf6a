"""A tiny Mllama (Llama 3.2 Vision), whose words look at the picture through gated cross-attention."""

from __future__ import annotations

from pathlib import Path

from tests.tiny_checkpoints.tokenizer import chat_template, tiny_llama, tiny_tokenizer, widen

_RATIOS = [[1, 1], [1, 2], [2, 1]]


def tiny_mllama(folder: Path, seed: int = 0) -> Path:
    """Saves a random Mllama of 0.6 MB into `folder`, its gates open."""
    import transformers

    tokenizer = tiny_tokenizer(("<|image|>", "<|python_tag|>"))
    configuration = transformers.MllamaConfig(
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_global_layers": 1,
            "attention_heads": 2,
            "vision_output_dim": 64,
            "intermediate_layers_indices": [0],
            "image_size": 28,
            "patch_size": 14,
            "max_num_tiles": 2,
            "supported_aspect_ratios": _RATIOS,
        },
        text_config=tiny_llama(
            tokenizer,
            num_hidden_layers=3,
            cross_attention_layers=[1],
            rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        ),
        image_token_index=tokenizer.convert_tokens_to_ids("<|image|>"),
    )
    widen(transformers.MllamaForConditionalGeneration(configuration), seed).save_pretrained(folder)
    image_processor = transformers.MllamaImageProcessor(size={"height": 28, "width": 28}, max_image_tiles=2)
    transformers.MllamaProcessor(image_processor, tokenizer, chat_template=chat_template("<|image|>")).save_pretrained(
        folder
    )
    return folder
