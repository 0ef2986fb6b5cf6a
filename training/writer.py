"""Trains the embedded chat model that writes counterfactual questions about scenes (C-VQA 3.1): a small Llama."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from training.loop import optimise, pick_device
from training.masking import token_loss
from training.recipes import LanguageRecipe
from training.saving import save_checkpoint
from training.writer_examples import conversations, texts_for_tokenizer

LONGEST = 1024  # tokens; a conversation has about 130, and twice as many after a repair
ROLES = ("system", "user", "assistant")
_VOCABULARY = 880
_SPECIAL_TOKENS = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
_WIDTH, _LAYERS, _HEADS = 128, 3, 4
_INITIAL_SPREAD = 0.05  # of the initial weights; the usual 0.02 is for ten times the width
_UNTOLD = -100  # ignored by PyTorch's cross-entropy
_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}"
    "{% if message['role'] == 'assistant' %}{{ eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def train_writer(recipe: LanguageRecipe, seed: int, threads: int, folder: Path, log: Path) -> list[dict[str, float]]:
    """Trains a `LlamaForCausalLM` on conversations and saves it in `folder`; returns the log, also written to `log`.

    Only the tokens of the reply are predicted.
    """
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    tokenizer, model = build_writer(seed)
    model.to(device).set_attn_implementation("sdpa")
    starts = tokenizer.convert_tokens_to_ids(_marker("assistant"))

    def losses(step: int) -> dict[str, Any]:
        talks = conversations(recipe.train.batch, step, seed)
        texts = tokenizer(
            [tokenizer.apply_chat_template(talk, tokenize=False) for talk in talks], padding=True, return_tensors="pt"
        ).to(device)
        reply = (texts.input_ids == starts).cumsum(dim=1) > 0  # from the marker of the assistant on
        targets = texts.input_ids.masked_fill((texts.attention_mask == 0) | ~reply, _UNTOLD)
        with torch.autocast(device.type, torch.bfloat16):
            logits = model(input_ids=texts.input_ids, attention_mask=texts.attention_mask).logits
        return {"reply": token_loss(logits[:, :-1], targets[:, 1:].masked_fill(~reply[:, :-1], _UNTOLD))}

    lines = optimise("writer", [model], losses, recipe.train, log)
    save_checkpoint(model, tokenizer, folder)
    return lines


def build_writer(seed: int) -> tuple[Any, Any]:
    """A tokenizer with a chat template, which adds nothing to a text, and a new `LlamaForCausalLM` for it."""
    import transformers

    from training.tokenizers import train_tokenizer

    tokenizer = train_tokenizer(
        texts_for_tokenizer(3000, seed),
        _VOCABULARY,
        _SPECIAL_TOKENS,
        [_marker(role) for role in ROLES],
        whole_numbers=True,
        longest=LONGEST,
    )
    tokenizer.chat_template = _TEMPLATE
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=_WIDTH,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        num_key_value_heads=_HEADS,
        intermediate_size=3 * _WIDTH,
        max_position_embeddings=LONGEST,
        tie_word_embeddings=True,
        initializer_range=_INITIAL_SPREAD,
        **{name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")},
    )
    return tokenizer, transformers.LlamaForCausalLM(config)


def _marker(role: str) -> str:
    return f"<|{role}|>"
