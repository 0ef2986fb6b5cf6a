"""Draws counterfactual pairs of images by Prompt-to-Prompt: two captions, the same noise, shared early attention.

COCO-Counterfactuals 3.2 and B.1.2, after Hertz et al. (2022) as used by Brooks et al. (2023): the maps of
self-attention are shared. The maps of cross-attention, which determine where each word is drawn, can also be shared, as
Hertz et al. do when one word replaces another. The reference implementation draws one pair at a time, without seeds;
here several pairs form a batch, each with its own settings, and a pair does not depend on the rest of the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from whatif.models.prompt_to_prompt.shared_attention import DenoiserAttention, shareable

# Schedulers of diffusers whose step depends on the latents alone, and which predict the final latents at each step.
RESUMABLE = ("DDIMScheduler", "EulerAncestralDiscreteScheduler", "EulerDiscreteScheduler")


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


@dataclass(frozen=True)
class Begun:
    """A request of which the first `done` steps are done.

    `latents` (2, channels, height, width) are those of the original and of the counterfactual, `noise` is the state of
    the generator that draws the noise of the steps that follow.
    """

    request: PairRequest
    done: int
    latents: Any
    noise: Any


def generate_pairs(pipeline: Any, requests: Sequence[PairRequest], steps: int) -> list[tuple[Any, Any]]:
    """The images of each request, original and counterfactual, as PIL images; all requests form one batch.

    Raises ValueError as `generate_pixels` does.
    """
    if not requests:
        return []
    return _pictures(pipeline, generate_pixels(pipeline, requests, steps))


def _pictures(pipeline: Any, pixels: Any) -> list[tuple[Any, Any]]:
    pictures = pipeline.image_processor.numpy_to_pil(pixels.flatten(0, 1).permute(0, 2, 3, 1).float().cpu().numpy())
    return list(zip(pictures[::2], pictures[1::2], strict=True))


def begin_pairs(
    pipeline: Any, requests: Sequence[PairRequest], steps: int, done: int
) -> tuple[list[Begun], list[tuple[Any, Any]]]:
    """Each request after `done` of its steps, and its images as PIL images as the scheduler predicts them then.

    Raises ValueError as `generate_pixels` does, when `done` is not from 1 to `steps` - 1, and when the pipeline's
    scheduler is none of `RESUMABLE`: others remember earlier steps or predict no image.
    """
    import torch

    _check(requests, steps)
    if not 1 <= done < steps:
        raise ValueError(f"done is {done}: it is a number of steps from 1 to {steps - 1}")
    if type(pipeline.scheduler).__name__ not in RESUMABLE:
        raise ValueError(f"a {type(pipeline.scheduler).__name__} cannot be stopped; {', '.join(RESUMABLE)} can")
    crossing = _crossing(pipeline, requests)
    with torch.inference_mode(), shareable(pipeline.unet, any(crossing)) as attention:
        begun = [_started(pipeline, request) for request in requests]
        begun, predicted = _denoised(pipeline, begun, attention, crossing, steps=steps, until=done)
        return begun, _pictures(pipeline, _decoded(pipeline, predicted))


def finish_pairs(pipeline: Any, begun: Sequence[Begun], steps: int) -> list[tuple[Any, Any]]:
    """The images of requests that `begin_pairs` began, as PIL images; all form one batch.

    In a batch of the same size and at the same place in it, an image has the bytes that `generate_pairs` gives it,
    whatever else is in the two batches.
    """
    import torch

    crossing = _crossing(pipeline, [one.request for one in begun])
    with torch.inference_mode(), shareable(pipeline.unet, any(crossing)) as attention:
        ended, _ = _denoised(pipeline, begun, attention, crossing, steps=steps, until=steps)
        return _pictures(pipeline, _decoded(pipeline, _stacked([one.latents for one in ended])))


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
    with torch.inference_mode(), shareable(pipeline.unet, any(crossing)) as attention:
        begun = [_started(pipeline, request) for request in requests]
        ended, _ = _denoised(pipeline, begun, attention, crossing, steps=steps, until=steps)
        return _decoded(pipeline, _stacked([one.latents for one in ended]))


def _decoded(pipeline: Any, latents: Any) -> Any:
    """Pixels (requests, 2, 3, height, width) of latents in the order of a batch."""
    decoded = pipeline.vae.decode(latents / pipeline.vae.config.scaling_factor).sample
    return pipeline.image_processor.denormalize(decoded).unflatten(0, (2, len(latents) // 2)).transpose(0, 1)


def _started(pipeline: Any, request: PairRequest) -> Begun:
    """A request before its first step; both of its images have the same noise."""
    import torch

    side = pipeline.unet.config.sample_size
    height, width = (side, side) if isinstance(side, int) else side
    generator = torch.Generator().manual_seed(request.seed)
    noise = torch.randn((1, pipeline.unet.config.in_channels, height, width), generator=generator)
    return Begun(request, 0, torch.cat([noise, noise]), generator.get_state())


def _stacked(pairs: Sequence[Any]) -> Any:
    """The pairs' tensors (2, ...) as one batch: all originals, then all counterfactuals."""
    import torch

    return torch.stack(list(pairs), dim=1).flatten(0, 1)


def _generator(state: Any) -> Any:
    import torch

    generator = torch.Generator()
    generator.set_state(state)
    return generator


def _denoised(
    pipeline: Any,
    begun: Sequence[Begun],
    attention: DenoiserAttention,
    crossing: Sequence[bool],
    *,
    steps: int,
    until: int,
) -> tuple[list[Begun], Any]:
    """The requests after `until` steps, and the latents (2 requests, channels, height, width) predicted for the end.

    All requests have done the same number of steps.
    """
    import torch

    requests, number, first = [one.request for one in begun], len(begun), begun[0].done
    device, dtype = pipeline.unet.device, pipeline.unet.dtype
    scheduler = type(pipeline.scheduler).from_config(pipeline.scheduler.config)
    scheduler.set_timesteps(steps, device=device)
    words, no_words = pipeline.encode_prompt(
        [request.original for request in requests] + [request.counterfactual for request in requests], device, 1, True
    )
    words = torch.cat([no_words, words])  # (4 requests, tokens, width)
    guidance = torch.tensor([request.guidance for request in requests] * 2, device=device, dtype=dtype)
    # Two generators in the same state, so the scheduler draws the same noise for both images of a pair.
    generators = [_generator(one.noise) for one in [*begun, *begun]]
    latents = _stacked([one.latents for one in begun]).to(device, dtype)
    if first == 0:
        latents = latents * scheduler.init_noise_sigma
    of_scheduler = _accepted(scheduler, generators)
    times = scheduler.timesteps
    predicted_end = None
    for step, time in list(enumerate(times))[first : len(times) if until == steps else until]:
        sharing = [step / max(1, len(times) - 1) < request.shared for request in requests]
        attention.to_itself.attends_as = _rows(sharing, device)
        both = [shared and crosses for shared, crosses in zip(sharing, crossing, strict=True)]
        attention.to_words.attends_as = _rows(both, device)
        scaled = scheduler.scale_model_input(latents.repeat(2, 1, 1, 1), time)
        told = words[_told(requests, step, len(times), device)]
        unguided, guided = pipeline.unet(scaled, time, encoder_hidden_states=told).sample.split(2 * number)
        predicted = unguided + guidance[:, None, None, None] * (guided - unguided)
        made = scheduler.step(predicted, time, latents, **of_scheduler)
        latents, predicted_end = made.prev_sample, getattr(made, "pred_original_sample", None)
    ended = latents.unflatten(0, (2, number))
    states = [generator.get_state() for generator in generators[:number]]
    return [
        Begun(request, until, ended[:, place].clone(), state)
        for place, (request, state) in enumerate(zip(requests, states, strict=True))
    ], predicted_end


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
