"""Builds tiny vision-language checkpoints on the spot, so that tests run the real loading and scoring code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WORDS = (
    "how many dots are there in all the circles together if were removed select correct answer flowers inside "
    "outside yellow red polygons question what colour is picture"
)
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{{ message['role'].upper() }}: "
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<image>\n{% endif %}{% endfor %}"
    "{% for part in message['content'] %}{% if part['type'] == 'text' %}{{ part['text'] }}{% endif %}{% endfor %}"
    "{% if message['role'] == 'assistant' %}{{ eos_token }}{% else %}{{ '\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)


def tiny_tokenizer() -> Any:
    """A byte-level BPE tokeniser of at most 480 tokens, where ` A` and `A`, ` 16` and `16` are different tokens."""
    import tokenizers
    import transformers

    text = [WORDS, *(f" {n} {n}\n{n}\n{n}" for n in range(40)), "USER: ASSISTANT: A:1 B:2 C:3 D:4", " A B C D A B C D"]
    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=480,
        special_tokens=["<pad>", "<s>", "</s>", "<image>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(text, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        additional_special_tokens=["<image>"],
    )


def tiny_llava(folder: Path, seed: int = 0) -> Path:
    """Saves a random LLaVA (a CLIP tower of 28 x 28 pixels, 2 x 2 patches, and a Llama) of 0.3 MB into `folder`.

    Weights are drawn wide: at the usual width a toy's answers hardly depend on the picture, and a test that mixes
    pictures up would pass.
    """
    import torch
    import transformers

    tokenizer = tiny_tokenizer()
    configuration = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            image_size=28,
            patch_size=14,
        ),
        text_config=transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=48,
            intermediate_size=96,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=512,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
        ),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-1,
        vision_feature_select_strategy="default",
    )
    model = transformers.LlavaForConditionalGeneration(configuration).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" not in name:
                weight.normal_(0, 0.2, generator=generator)
    model.save_pretrained(folder)
    _processor(tokenizer).save_pretrained(folder)
    return folder


def _processor(tokenizer: Any) -> Any:
    import transformers

    size = {"height": 28, "width": 28}
    return transformers.LlavaProcessor(
        image_processor=transformers.CLIPImageProcessor(size={"shortest_edge": 28}, crop_size=size),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=CHAT_TEMPLATE,
    )
