"""Trains the embedded language models of captions: a masked one (BERT) and a causal one (GPT-2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from training.loop import optimise, pick_device
from training.masking import mask_tokens, token_loss
from training.recipes import LanguageRecipe
from training.saving import save_checkpoint
from training.scene_examples import caption_batch, texts_for_tokenizer
from whatif.engine.random_streams import stream

LONGEST = 64  # tokens
_VOCABULARY = 512
_SPECIAL_TOKENS = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
_MASKED_TOKENS = {**_SPECIAL_TOKENS, "mask_token": "<mask>"}
_WIDTH, _LAYERS, _HEADS = 96, 3, 4
_INITIAL_SPREAD = 0.05  # of the initial weights; the usual 0.02 is for ten times the width
_CHOSEN = 0.2  # fraction of the tokens of a text to predict
_UNTOLD = -100  # ignored by PyTorch's cross-entropy


def train_masked_language(
    recipe: LanguageRecipe, seed: int, threads: int, folder: Path, log: Path
) -> list[dict[str, float]]:
    """Trains a `BertForMaskedLM` on captions and saves it in `folder`; returns the log, also written to `log`."""
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    tokenizer, model = build_masked_language(seed)
    model.to(device).set_attn_implementation("eager")  # see `contrastive`

    def losses(step: int) -> dict[str, Any]:
        texts = tokenizer(caption_batch(recipe.train.batch, step, seed), padding=True, return_tensors="pt")
        shown, targets = mask_tokens(texts.input_ids.numpy(), tokenizer, _CHOSEN, stream(seed, "mask", step))
        with torch.autocast(device.type, torch.bfloat16):
            logits = model(
                input_ids=torch.from_numpy(shown).to(device), attention_mask=texts.attention_mask.to(device)
            ).logits
        return {"masked": token_loss(logits, torch.from_numpy(targets).to(device))}

    lines = optimise("masked-language", [model], losses, recipe.train, log)
    save_checkpoint(model, tokenizer, folder)
    return lines


def train_causal_language(
    recipe: LanguageRecipe, seed: int, threads: int, folder: Path, log: Path
) -> list[dict[str, float]]:
    """Trains a `GPT2LMHeadModel` on captions and saves it in `folder`; returns the log, also written to `log`.

    Half of the texts begin with the start token and half with their first word, so that perplexities are meaningful
    with and without it. All end with the end token.
    """
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    tokenizer, model = build_causal_language(seed)
    model.to(device).set_attn_implementation("eager")  # see `contrastive`
    start, end = tokenizer.bos_token, tokenizer.eos_token

    def losses(step: int) -> dict[str, Any]:
        captions = caption_batch(recipe.train.batch, step, seed)
        framed = [f"{start * (place % 2)}{caption}{end}" for place, caption in enumerate(captions)]
        texts = tokenizer(framed, padding=True, return_tensors="pt").to(device)
        with torch.autocast(device.type, torch.bfloat16):
            logits = model(input_ids=texts.input_ids, attention_mask=texts.attention_mask).logits
        targets = texts.input_ids.masked_fill(texts.attention_mask == 0, _UNTOLD)
        return {"next": token_loss(logits[:, :-1], targets[:, 1:])}

    lines = optimise("causal-language", [model], losses, recipe.train, log)
    save_checkpoint(model, tokenizer, folder)
    return lines


def build_masked_language(seed: int) -> tuple[Any, Any]:
    """A tokenizer that puts `<s>` and `</s>` around a text, and a new `BertForMaskedLM` for it."""
    import transformers

    from training.tokenizers import train_tokenizer

    tokenizer = train_tokenizer(
        texts_for_tokenizer(4000, seed), _VOCABULARY, _MASKED_TOKENS, framed=True, longest=LONGEST
    )
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=_WIDTH,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        intermediate_size=4 * _WIDTH,
        max_position_embeddings=LONGEST,
        hidden_dropout_prob=0.0,  # every step has new captions, so overfitting is not possible
        attention_probs_dropout_prob=0.0,
        initializer_range=_INITIAL_SPREAD,
        **_ids(tokenizer),
    )
    return tokenizer, transformers.BertForMaskedLM(config)


def build_causal_language(seed: int) -> tuple[Any, Any]:
    """A tokenizer that adds nothing to a text, and a new `GPT2LMHeadModel` for it."""
    import transformers

    from training.tokenizers import train_tokenizer

    tokenizer = train_tokenizer(texts_for_tokenizer(4000, seed), _VOCABULARY, _SPECIAL_TOKENS, longest=LONGEST)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=_WIDTH,
        n_layer=_LAYERS,
        n_head=_HEADS,
        n_positions=LONGEST,
        embd_pdrop=0.0,  # as above
        attn_pdrop=0.0,
        resid_pdrop=0.0,
        initializer_range=_INITIAL_SPREAD,
        **_ids(tokenizer),
    )
    return tokenizer, transformers.GPT2LMHeadModel(config)


def _ids(tokenizer: Any) -> dict[str, Any]:
    return {name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
