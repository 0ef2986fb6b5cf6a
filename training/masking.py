"""Masks words as BERT does (BERT 3.1): the visible text, and the tokens to predict."""

from __future__ import annotations

from typing import Any

import numpy as np

_SHOWN_AS_MASK, _SHOWN_AS_ANOTHER = 0.8, 0.1  # of the chosen tokens; the rest are unchanged
_UNTOLD = -100  # ignored by PyTorch's cross-entropy


def mask_tokens(tokens: Any, tokenizer: Any, share: float, generator: np.random.Generator) -> tuple[Any, Any]:
    """Visible and predicted tokens, (texts, length) each; `share` of the tokens are chosen, at least one per text."""
    draws = generator.random(tokens.shape)
    special = np.isin(tokens, tokenizer.all_special_ids)
    draws[special] = np.inf
    chosen = (draws < share) | (draws == draws.min(axis=1, keepdims=True)) & ~special
    how = generator.random(tokens.shape)
    shown = tokens.copy()
    shown[chosen & (how < _SHOWN_AS_MASK)] = tokenizer.mask_token_id
    another = chosen & (how >= _SHOWN_AS_MASK) & (how < _SHOWN_AS_MASK + _SHOWN_AS_ANOTHER)
    shown[another] = generator.integers(len(tokenizer), size=int(another.sum()))
    return shown, np.where(chosen, tokens, _UNTOLD)


def token_loss(logits: Any, targets: Any) -> Any:
    """The mean cross-entropy over targets that are not ignored: (texts, length, vocabulary) and (texts, length).

    0 if there are none.
    """
    import torch

    if (targets == _UNTOLD).all():
        return logits.float().sum() * 0
    return torch.nn.functional.cross_entropy(
        logits.float().flatten(0, 1), targets.flatten(), ignore_index=_UNTOLD, reduction="mean"
    )
