"""A tiny language model that sees no pictures, with or without a chat template."""

from __future__ import annotations

from pathlib import Path

from tests.tiny_checkpoints.tokenizer import tiny_llama, tiny_tokenizer, widen

# A language model's template wants the words of a turn as they are.
_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{{ message['role'].upper() + ': ' + message['content'] }}"
    "{% if message['role'] == 'assistant' %}{{ eos_token }}{% else %}{{ '\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)


def tiny_text_model(folder: Path, seed: int = 0, chat: bool = True) -> Path:
    """Saves a random Llama of 0.2 MB into `folder`."""
    import transformers

    tokenizer = tiny_tokenizer()
    if chat:
        tokenizer.chat_template = _TEMPLATE
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**tiny_llama(tokenizer)))
    widen(model, seed).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
