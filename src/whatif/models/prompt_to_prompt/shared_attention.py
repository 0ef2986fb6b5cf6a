"""Attention processors for a denoiser of diffusers by which the rows of a batch can share attention maps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# Suffixes of the names of attention processors in a denoiser of diffusers.
_SELF_ATTENTION, _CROSS_ATTENTION = "attn1.processor", "attn2.processor"


class SharedAttention:
    """An attention processor for diffusers in which a row of the batch can use the attention map of another row.

    An attention map is made of queries and keys alone, so copying the map of another row is the same as using its
    queries and keys with one's own values. Maps are never materialised, so fast kernels can be used.
    """

    def __init__(self) -> None:
        self.attends_as: Any = None  # for each row of the batch the row whose map it uses; None: its own

    def __call__(
        self,
        attn: Any,
        hidden_states: Any,
        encoder_hidden_states: Any = None,
        attention_mask: Any = None,
        temb: Any = None,
    ) -> Any:
        """Attention of `hidden_states` (rows, tokens, width) to themselves, or to an `encoder_hidden_states` alike.

        Raises ValueError for any other attention.
        """
        from torch.nn.functional import scaled_dot_product_attention

        if attention_mask is not None or hidden_states.ndim != 3:
            raise ValueError("only attention without a mask, over (rows, tokens, width), can be shared")
        attended = hidden_states if encoder_hidden_states is None else encoder_hidden_states
        query, key, value = attn.to_q(hidden_states), attn.to_k(attended), attn.to_v(attended)
        if self.attends_as is not None:
            query, key = query[self.attends_as], key[self.attends_as]
        # (rows, heads, tokens, width of a head)
        query, key, value = (each.unflatten(-1, (attn.heads, -1)).transpose(1, 2) for each in (query, key, value))
        mixed = scaled_dot_product_attention(query, key, value, scale=attn.scale)
        for layer in attn.to_out:
            mixed = layer(mixed.transpose(1, 2).flatten(2) if layer is attn.to_out[0] else mixed)
        return mixed


@dataclass(frozen=True)
class DenoiserAttention:
    """The processors of a denoiser's self-attention and cross-attention."""

    to_itself: SharedAttention
    to_words: SharedAttention


@contextmanager
def shareable(denoiser: Any, crossing: bool) -> Iterator[DenoiserAttention]:
    """Replaces the denoiser's attention processors by shareable ones, and restores the old ones at the end.

    Replaces every self-attention, and with `crossing` every cross-attention.
    """
    before = denoiser.attn_processors
    attention = DenoiserAttention(SharedAttention(), SharedAttention())
    kinds = {_SELF_ATTENTION: attention.to_itself, **({_CROSS_ATTENTION: attention.to_words} if crossing else {})}
    processors = {
        name: next((shared for end, shared in kinds.items() if name.endswith(end)), processor)
        for name, processor in before.items()
    }
    denoiser.set_attn_processor(processors)
    try:
        yield attention
    finally:
        denoiser.set_attn_processor(before)
