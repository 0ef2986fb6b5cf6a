"""Draws counterfactual pairs of images by Prompt-to-Prompt: two captions, the same noise, shared early attention.

COCO-Counterfactuals 3.2 and B.1.2, after Hertz et al. (2022) as used by Brooks et al. (2023): the maps of
self-attention are shared. The maps of cross-attention, which determine where each word is drawn, can also be shared, as
Hertz et al. do when one word replaces another. The reference implementation draws one pair at a time, without seeds;
here several pairs form a batch, each with its own settings, and a pair does not depend on the rest of the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# Suffixes of the names of attention processors in a denoiser of diffusers.
_SELF_ATTENTION, _CROSS_ATTENTION = "attn1.processor", "attn2.processor"


@dataclass(frozen=True)
class PairRequest:
    """Two captions, and the settings that make their images.

    `shared` is p, the fraction of the steps at which the pair shares its self-attention, 0 to 1: at 0 none, at 1 all
    but the last. `guidance` is the scale of classifier-free guidance; 1 means none. With `cross_attention` the pair
    also shares cross-attention, at the same steps, if both captions have the same number of tokens; otherwise the
    maps would belong to other words.

    `shared_start` is the fraction of the steps, 0 to 1, at which the counterfactual is still denoised with the
    original's caption, so that both images are the same: 0, as in the paper, means none. Position and size of an
    object are determined early, so the counterfactual's object moves less; with too late a start the original's
    object remains.
    """

    original: str
    counterfactual: str
    seed: int
    shared: float
    guidance: float
    cross_attention: bool = False
    shared_start: float = 0.0


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


def generate_pairs(pipeline: Any, requests: Sequence[PairRequest], steps: int) -> list[tuple[Any, Any]]:
    """The images of each request, original and counterfactual, as PIL images; all requests form one batch.

    Raises ValueError as `generate_pixels` does.
    """
    if not requests:
        return []
    pixels = generate_pixels(pipeline, requests, steps)
    pictures = pipeline.image_processor.numpy_to_pil(pixels.flatten(0, 1).permute(0, 2, 3, 1).float().cpu().numpy())
    return list(zip(pictures[::2], pictures[1::2], strict=True))


def generate_pixels(pipeline: Any, requests: Sequence[PairRequest], steps: int) -> Any:
    """The pixels of each pair, (requests, 2, 3, height, width) from 0 to 1, original first.

    `pipeline` is a StableDiffusionPipeline; its scheduler's settings are used and its state is not changed. Both images
    of a pair start from the same noise, and an ancestral scheduler adds the same noise to both. All noise is drawn on
    the CPU, for each pair from its own seed. Attention is shared at step i, counted from 0, while
    i / (steps - 1) < `shared`.

    Raises ValueError for an empty list, fewer than one step, or `shared` or `shared_start` outside 0 to 1.
    """
    import torch

    _check(requests, steps)
    crossing = _crossing(pipeline, requests)
    with torch.inference_mode(), _shareable(pipeline.unet, any(crossing)) as attention:
        latents = _denoised(pipeline, requests, steps, attention, crossing)
        decoded = pipeline.vae.decode(latents / pipeline.vae.config.scaling_factor).sample
        return pipeline.image_processor.denormalize(decoded).unflatten(0, (2, len(requests))).transpose(0, 1)


def _denoised(
    pipeline: Any, requests: Sequence[PairRequest], steps: int, attention: _Attention, crossing: Sequence[bool]
) -> Any:
    """The latents of all originals, then of all counterfactuals: (2 requests, channels, height, width)."""
    import torch

    number = len(requests)
    device, dtype = pipeline.unet.device, pipeline.unet.dtype
    scheduler = type(pipeline.scheduler).from_config(pipeline.scheduler.config)
    scheduler.set_timesteps(steps, device=device)
    words, no_words = pipeline.encode_prompt(
        [request.original for request in requests] + [request.counterfactual for request in requests], device, 1, True
    )
    words = torch.cat([no_words, words])  # (4 requests, tokens, width)
    guidance = torch.tensor([request.guidance for request in requests] * 2, device=device, dtype=dtype)
    # Two generators with the same seed, so the scheduler draws the same noise for both images of a pair.
    generators = [torch.Generator().manual_seed(request.seed) for request in [*requests, *requests]]
    side = pipeline.unet.config.sample_size
    height, width = (side, side) if isinstance(side, int) else side
    shape = (1, pipeline.unet.config.in_channels, height, width)
    noise = torch.cat([torch.randn(shape, generator=generator) for generator in generators])
    latents = noise.to(device, dtype) * scheduler.init_noise_sigma
    of_scheduler = _accepted(scheduler, generators)
    for step, time in enumerate(scheduler.timesteps):
        sharing = [step / max(1, len(scheduler.timesteps) - 1) < request.shared for request in requests]
        attention.to_itself.attends_as = _rows(sharing, device)
        both = [shared and crosses for shared, crosses in zip(sharing, crossing, strict=True)]
        attention.to_words.attends_as = _rows(both, device)
        scaled = scheduler.scale_model_input(latents.repeat(2, 1, 1, 1), time)
        told = words[_told(requests, step, len(scheduler.timesteps), device)]
        unguided, guided = pipeline.unet(scaled, time, encoder_hidden_states=told).sample.split(2 * number)
        predicted = unguided + guidance[:, None, None, None] * (guided - unguided)
        latents = scheduler.step(predicted, time, latents, **of_scheduler).prev_sample
    return latents


def _told(requests: Sequence[PairRequest], step: int, steps: int, device: Any) -> Any:
    """For each of the 4 rows of each request, in the order of `_rows`, the row whose caption denoises it."""
    import torch

    number = len(requests)
    rows = list(range(4 * number))
    for place, request in enumerate(requests):
        if step / max(1, steps - 1) < request.shared_start:
            rows[3 * number + place] = 2 * number + place
    return torch.tensor(rows, device=device)


def _rows(sharing: Sequence[bool], device: Any) -> Any:
    """For each of the 4 rows of each request the row whose attention it uses: another row where it is shared.

    Order of the rows: without caption, then with caption; within both, originals, then counterfactuals.
    """
    import torch

    number = len(sharing)
    rows = list(range(4 * number))
    for place, shared in enumerate(sharing):
        if shared:
            for original in (place, 2 * number + place):
                rows[original + number] = original
    return torch.tensor(rows, device=device)


def _crossing(pipeline: Any, requests: Sequence[PairRequest]) -> list[bool]:
    """Which requests share cross-attention."""

    def tokens(caption: str) -> int:
        return len(pipeline.tokenizer(caption).input_ids)

    return [one.cross_attention and tokens(one.original) == tokens(one.counterfactual) for one in requests]


@dataclass(frozen=True)
class _Attention:
    """The processors of a denoiser's self-attention and cross-attention."""

    to_itself: SharedAttention
    to_words: SharedAttention


@contextmanager
def _shareable(denoiser: Any, crossing: bool) -> Iterator[_Attention]:
    """Replaces the denoiser's attention processors by shareable ones, and restores the old ones at the end.

    Replaces every self-attention, and with `crossing` every cross-attention.
    """
    before = denoiser.attn_processors
    attention = _Attention(SharedAttention(), SharedAttention())
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


def _accepted(scheduler: Any, generators: list[Any]) -> dict[str, Any]:
    """The generators as an argument of the scheduler's step, if it accepts them."""
    from inspect import signature

    return {"generator": generators} if "generator" in signature(scheduler.step).parameters else {}


def _check(requests: Sequence[PairRequest], steps: int) -> None:
    if not requests:
        raise ValueError("there is no request")
    if steps < 1:
        raise ValueError(f"steps is {steps}: there must be at least 1")
    for request in requests:
        if not 0 <= request.shared <= 1:
            raise ValueError(f"shared is {request.shared}: it is a fraction of the steps, 0 to 1")
        if not 0 <= request.shared_start <= 1:
            raise ValueError(f"shared_start is {request.shared_start}: it is a fraction of the steps, 0 to 1")
