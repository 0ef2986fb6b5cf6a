"""Loads masked and causal language models that score captions, and forms their batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.local.checkpoints import load_checkpoint
from whatif.models.local.processors import load_tokenizer

CAPTION_TOKENS = 32  # nominal caption length that `batch_size` refers to
_WORDS_AT_ONCE = 1024  # of the vocabulary, in the output layer on a CPU
_ROWS_AT_ONCE = 8  # whose exponentials stay in the cache of a CPU


class _Sized(Protocol):
    def __len__(self) -> int: ...


def load_masked_language(settings: LocalCheckpoint) -> tuple[Any, Any]:
    """A masked language model (BERT, RoBERTa, ...) and its tokeniser.

    Raises WhatifError when the checkpoint cannot be loaded (see `whatif.models.local.checkpoints`), is of another type,
    or has no mask token.
    """
    model, tokenizer = load_checkpoint(settings, "AutoModelForMaskedLM", _check_masked, load_tokenizer)
    _check_tokenizer(settings.checkpoint, tokenizer)
    mask = tokenizer.mask_token_id
    if mask is None or mask >= model.config.vocab_size:
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: its tokeniser has no mask token that the model knows; "
            "masked language models have one, such as <mask> or [MASK]"
        )
    return model, tokenizer


def load_causal_language(settings: LocalCheckpoint) -> tuple[Any, Any]:
    """A decoder-only language model (GPT-2, ...) and its tokeniser. Raises as `load_masked_language` does."""
    model, tokenizer = load_checkpoint(settings, "AutoModelForCausalLM", _check_causal, load_tokenizer)
    _check_tokenizer(settings.checkpoint, tokenizer)
    return model, tokenizer


def longest_text(model: Any, tokenizer: Any) -> int:
    """The maximum number of tokens, including special ones, that the model has positions for."""
    limit = int(tokenizer.model_max_length)  # a huge number if it is unknown
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        for name, module in model.named_modules():
            if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
                positions -= module.padding_idx + 1  # RoBERTa's positions start there
        limit = min(limit, positions)
    return limit


def length_batches(texts: Sequence[_Sized], tokens: int) -> Iterator[list[int]]:
    """Places of texts in batches of similar length: at most `tokens` including padding, or a single longer text."""
    order = sorted(range(len(texts)), key=lambda place: (len(texts[place]), place))
    batch: list[int] = []
    for place in order:
        if batch and (len(batch) + 1) * len(texts[place]) > tokens:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def padded(model: Any, tokenizer: Any, texts: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Right-padded token ids (texts, longest) and their attention mask, on the model's device."""
    import torch

    # RoBERTa derives positions from the padding token, so exactly that token must be used.
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
    shape = (len(texts), max(map(len, texts)))
    ids = torch.full(shape, pad, dtype=torch.long)
    attended = torch.zeros(shape, dtype=torch.long)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text)
        attended[row, : len(text)] = 1
    return {"input_ids": ids.to(model.device), "attention_mask": attended.to(model.device)}


def logits_at(model: Any, inputs: dict[str, Any], chosen: Any) -> Any:
    """Logits (places, vocabulary), in float32, at the places where the mask `chosen` (texts, longest) is true.

    Only these places go through the output layer, which for a small model with a large vocabulary is a third of the
    work. For a model without a separate output layer all logits are computed, and these are selected.
    """
    head = model.get_output_embeddings()
    hook = None
    if head is not None:
        hook = head.register_forward_pre_hook(lambda _, given: (given[0][chosen].unsqueeze(0), *given[1:]))
    try:
        with _words_in_pieces(head):
            logits = model(**inputs).logits
    finally:
        if hook is not None:
            hook.remove()
    found = logits[chosen] if logits.shape[:2] == chosen.shape else logits[0]
    return found.float()


def log_sums(logits: Any) -> Any:
    """The logarithm of the sum of the exponentials of each row of `logits` (places, vocabulary), as `logsumexp`.

    On a CPU a few rows at a time, whose intermediate results stay in its cache: half of the time, and the same digits.
    """
    import torch

    if logits.device.type != "cpu" or not len(logits):
        return logits.logsumexp(-1)
    return torch.cat([rows.logsumexp(-1) for rows in logits.split(_ROWS_AT_ONCE)])


@contextmanager
def _words_in_pieces(head: Any) -> Iterator[None]:
    """Lets an output layer on a CPU compute its logits in pieces of the vocabulary, for the duration of a block.

    The product of few rows and a very wide matrix is slow in the library, because the matrix does not fit into the
    cache; in pieces it takes two thirds of the time. The digits are the same: each logit is a sum of its own. Other
    layers than a plain linear one in float32, such as quantised or distributed ones, are left as they are.
    """
    import torch

    plain = type(head) is torch.nn.Linear and "forward" not in vars(head)
    if not plain or head.weight.device.type != "cpu" or head.weight.dtype != torch.float32:
        yield
        return

    def forward(hidden: Any) -> Any:
        rows = hidden.flatten(0, -2)
        logits = rows.new_empty(len(rows), head.out_features)
        for start in range(0, head.out_features, _WORDS_AT_ONCE):
            piece = slice(start, start + _WORDS_AT_ONCE)
            weights, target = head.weight[piece].T, logits[:, piece]
            if head.bias is None:
                torch.mm(rows, weights, out=target)
            else:
                torch.addmm(head.bias[piece], rows, weights, out=target)
        return logits.unflatten(0, hidden.shape[:-1])

    head.forward = forward  # of this object, before that of its class
    try:
        yield
    finally:
        del head.forward


def check_numbers(values: Any) -> None:
    """Raises WhatifError when the model's output contains values that are not numbers."""
    if bool(values.isnan().any()):
        raise WhatifError(
            "the model's output is not a number (NaN), as can happen in half precision; set dtype: float32"
        )


def _check_tokenizer(source: str, tokenizer: Any) -> None:
    if not tokenizer.is_fast:
        raise WhatifError(
            f"checkpoint {source}: its tokeniser has no tokenizer.json, which is needed for token positions"
        )


def _check_masked(source: str, configuration: Any) -> None:
    from transformers import AutoModelForMaskedLM

    if type(configuration) not in AutoModelForMaskedLM._model_mapping:
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is not a masked language model; "
            "give what AutoModelForMaskedLM loads (roberta, bert, ...)"
        )


def _check_causal(source: str, configuration: Any) -> None:
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    kind = type(configuration)
    # The library would also load a BERT, in which every word sees the following ones.
    looks_ahead = kind in AutoModelForMaskedLM._model_mapping and not getattr(configuration, "is_decoder", False)
    if kind not in AutoModelForCausalLM._model_mapping or looks_ahead or configuration.is_encoder_decoder:
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is not a causal language model; "
            "give what AutoModelForCausalLM loads (gpt2, llama, ...)"
        )
