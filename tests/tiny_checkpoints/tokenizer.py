"""The tokeniser, the chat template and the wide weights that all tiny checkpoints share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

WORDS = (
    "how many dots are there in all the circles together if were removed select correct answer flowers inside "
    "outside yellow red polygons question what colour is picture"
)


def chat_template(image: str, *, images_first: bool = False) -> str:
    """Turns as `USER: ...` and `ASSISTANT: ...`, with `image` for each image of a turn.

    `images_first` puts the images of a turn before its text, as the templates of the LLaVA family do.
    """
    return (
        "{{ bos_token }}{% for message in messages %}{{ message['role'].upper() }}: "
        + _parts(image, images_first)
        + "{% if message['role'] == 'assistant' %}{{ eos_token }}{% else %}{{ '\n' }}{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
    )


def chatml_template(image: str) -> str:
    """Turns between `<|im_start|>` and `<|im_end|>`, as in the families whose language model is a Qwen."""
    return (
        "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
        + _parts(image, images_first=False)
        + "{{ '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    )


def _parts(image: str, images_first: bool) -> str:
    """The part of a template that writes the content of a turn."""
    image = "{% if part['type'] == 'image' %}{{ '" + image.replace("\n", "\\n") + "' }}{% endif %}"
    text = "{% if part['type'] == 'text' %}{{ part['text'] }}{% endif %}"
    loop, end = "{% for part in message['content'] %}", "{% endfor %}"
    return loop + image + end + loop + text + end if images_first else loop + image + text + end


def tiny_tokenizer(
    special_tokens: Sequence[str] = ("<image>",), end: str = "</s>", named: Mapping[str, str] | None = None
) -> Any:
    """A byte-level BPE tokeniser of at most 480 tokens, where ` A` and `A`, ` 16` and `16` are different tokens.

    `end` ends an answer; `named` gives special tokens their names in the tokeniser.
    """
    import tokenizers
    import transformers

    text = [WORDS, *(f" {n} {n}\n{n}\n{n}" for n in range(40)), "USER: ASSISTANT: A:1 B:2 C:3 D:4", " A B C D A B C D"]
    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=480,
        special_tokens=["<pad>", "<s>", "</s>", *special_tokens],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(text, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token="<s>",
        eos_token=end,
        pad_token="<pad>",
        additional_special_tokens=list(special_tokens),
        extra_special_tokens=dict(named or {}),
    )


def special_ids(tokenizer: Any) -> dict[str, int]:
    """The ids of padding, beginning and end, as configurations want them."""
    return {name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}


def tiny_llama(tokenizer: Any, **more: Any) -> dict[str, Any]:
    """Settings of a language model of two layers."""
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": 48,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        **special_ids(tokenizer),
        **more,
    }


def widen(model: Any, seed: int) -> Any:
    """Draws the weights wide, and opens the gates of cross-attention.

    At the usual width a toy's answers hardly depend on the picture, and a test that mixes pictures up would pass.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "gate" in name and weight.numel() == 1:
                weight.fill_(1.0)
            elif "norm" not in name:
                weight.normal_(0, 0.2, generator=generator)
    return model.eval()
