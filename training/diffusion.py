"""Trains the embedded diffusion pipeline: an ordinary StableDiffusionPipeline that draws scenes from captions.

First the autoencoder is trained, then on its latents the denoiser, together with the text encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.diffusion_parts import (
    new_autoencoder,
    new_denoiser,
    new_pipeline,
    new_scheduler,
    new_text_encoder,
    new_tokenizer,
    token_ids,
)
from training.diffusion_scenes import caption_words, draw_caption, draw_pictures, draw_training_scenes
from training.loop import optimise, pick_device
from training.recipes import DiffusionRecipe, Schedule
from whatif.engine.random_streams import stream
from whatif.world.scenes import Scene

_THING_WEIGHT = 4.0  # additional weight of pixel errors at a thing
_LATENT_NOISE = 0.05  # standard deviations of noise that the decoder is trained to ignore
_LATENT_WEIGHT = 1e-3  # weight of the latents' divergence from a standard normal distribution
_WORDS_WEIGHT = 0.5  # weight of the loss of words read from the encoded caption
_AVERAGED_STEPS = 200  # the saved denoiser is the mean over about this many last steps
_ENCODED_TOGETHER = 250


def train_diffusion(
    recipe: DiffusionRecipe, seed: int, threads: int, folder: Path, log: Path
) -> list[dict[str, float]]:
    """Trains a StableDiffusionPipeline and saves it in `folder`, in half precision; returns the log of the losses.

    The log is also written to `log`. On a CPU the same arguments give the same bytes. Raises WhatifError when a loss is
    not a number any more.
    """
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    tokenizer = new_tokenizer(caption_words())
    autoencoder = new_autoencoder().to(device, memory_format=torch.channels_last)
    text_encoder = new_text_encoder(tokenizer).to(device)
    denoiser = new_denoiser().to(device, memory_format=torch.channels_last)
    scenes = draw_training_scenes(recipe.scenes, recipe.pairs, seed)
    pictures = torch.from_numpy(draw_pictures(scenes)).permute(0, 3, 1, 2)  # (scenes, 3, 64, 64), 0 to 255

    lines = _train_autoencoder(autoencoder, pictures, schedule=recipe.autoencoder, seed=seed, device=device, log=log)
    latents = _encode(autoencoder, pictures, device)
    lines += _train_denoiser(
        denoiser,
        text_encoder,
        tokenizer=tokenizer,
        scenes=scenes,
        latents=latents,
        schedule=recipe.denoiser,
        seed=seed,
        device=device,
        log=log,
        before=lines,
    )

    save_pipeline(new_pipeline(tokenizer, text_encoder, autoencoder, denoiser), folder)
    return lines


def save_pipeline(pipeline: Any, folder: Path) -> None:
    """Writes a pipeline as fp16 safetensors; its weights are rounded in place and stay on the CPU in half precision."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    pipeline.to("cpu", torch.float16, silence_dtype_warnings=True).save_pretrained(folder)


def _train_autoencoder(
    autoencoder: Any, pictures: Any, *, schedule: Schedule, seed: int, device: Any, log: Path
) -> list[dict[str, float]]:
    """Each channel of the latents is kept near mean 0 and variance 1, as the denoiser needs."""
    import torch

    noise = torch.Generator().manual_seed(seed)
    autocast = torch.autocast(device.type, torch.bfloat16)

    def losses(step: int) -> dict[str, Any]:
        numbers = stream(seed, "autoencoder batch", step).integers(0, len(pictures), schedule.batch)
        pixels = _pixels(pictures[torch.from_numpy(numbers)], device)
        with autocast:
            latents = autoencoder.encoder(pixels).float()
        disturbance = torch.randn(latents.shape, generator=noise).to(device)
        with autocast:
            decoded = autoencoder.decoder(latents + _LATENT_NOISE * disturbance).float()
        mean, variance = latents.mean(dim=(0, 2, 3)), latents.var(dim=(0, 2, 3))
        divergence = (mean.square() + variance - 1 - variance.clamp(min=1e-6).log()).mean() / 2
        errors = (decoded - pixels).square() * _weights_of_things(pixels)
        return {"pixels": errors.mean(), "latents": _LATENT_WEIGHT * divergence}

    return optimise("diffusion, autoencoder", [autoencoder], losses, schedule, log)


def _encode(autoencoder: Any, pictures: Any, device: Any) -> Any:
    """The latents of the images, (scenes, 16, 8, 8)."""
    import torch

    with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
        parts = [autoencoder.encoder(_pixels(part, device)).float() for part in pictures.split(_ENCODED_TOGETHER)]
    return torch.cat(parts)


def _weights_of_things(pixels: Any) -> Any:
    """Larger weights for the few pixels of things and beside them, which define the shapes: (images, 1, 64, 64)."""
    import torch

    background = pixels[:, :, :1, :1]  # no thing reaches the corner
    thing = (pixels - background).abs().amax(dim=1, keepdim=True).gt(0.05).float()
    return 1 + _THING_WEIGHT * torch.nn.functional.max_pool2d(thing, 5, stride=1, padding=2)


def _pixels(pictures: Any, device: Any) -> Any:
    """Bytes of images scaled to the autoencoder's range, -1 to 1."""
    import torch

    return pictures.to(device).float().div(127.5).sub(1).contiguous(memory_format=torch.channels_last)


def _train_denoiser(
    denoiser: Any,
    text_encoder: Any,
    *,
    tokenizer: Any,
    scenes: Sequence[Scene],
    latents: Any,
    schedule: Schedule,
    seed: int,
    device: Any,
    log: Path,
    before: Sequence[dict[str, float]],
) -> list[dict[str, float]]:
    """Learns to predict the velocity (Salimans and Ho 2022); leaves the running mean of the weights in place.

    An auxiliary loss predicts a caption's words from the mean of its tokens. The noisy image alone reveals most nouns
    and colours, so without this loss the text encoder would not learn for a long time to pass them on.
    """
    import torch

    kept = new_scheduler().alphas_cumprod.to(device)  # the fraction of the image's variance at each time
    noise_source = torch.Generator().manual_seed(seed + 1)
    reader = torch.nn.Linear(text_encoder.config.hidden_size, len(tokenizer)).to(device)
    trained = [weight for module in (denoiser, text_encoder) for weight in module.parameters()]
    mean = [weight.detach().clone() for weight in trained]

    def losses(step: int) -> dict[str, Any]:
        _average(mean, trained, step)
        generator = stream(seed, "denoiser batch", step)
        numbers = generator.integers(0, len(scenes), schedule.batch)
        ids = token_ids(tokenizer, [draw_caption(scenes[number], generator) for number in numbers]).to(device)
        # Times are spread evenly over a batch: independent times would make the loss jump from step to step.
        spread = (torch.arange(schedule.batch) + torch.from_numpy(generator.random(schedule.batch))) / schedule.batch
        times = (spread * len(kept)).long().to(device)
        clean = latents[torch.from_numpy(numbers).to(device)]
        noise = torch.randn(clean.shape, generator=noise_source).to(device)
        signal, disturbance = (share.sqrt()[:, None, None, None] for share in (kept[times], 1 - kept[times]))
        noisy = (signal * clean + disturbance * noise).contiguous(memory_format=torch.channels_last)
        with torch.autocast(device.type, torch.bfloat16):
            words = text_encoder(ids).last_hidden_state
            velocity = denoiser(noisy, times, encoder_hidden_states=words).sample.float()
        told = torch.zeros(len(ids), len(tokenizer), device=device).scatter_(1, ids, 1.0)
        read = torch.nn.functional.binary_cross_entropy_with_logits(reader(words.float().mean(dim=1)), told)
        return {
            "velocity": (velocity - (signal * noise - disturbance * clean)).square().mean(),
            "words": _WORDS_WEIGHT * read,
        }

    lines = optimise("diffusion, denoiser", [denoiser, text_encoder, reader], losses, schedule, log, before=before)
    _average(mean, trained, schedule.steps)
    with torch.no_grad():
        for weight, averaged in zip(trained, mean, strict=True):
            weight.copy_(averaged)
    return lines


def _average(mean: list[Any], weights: list[Any], step: int) -> None:
    """Moves the running mean towards the weights; the first steps are forgotten faster."""
    import torch

    share = max(1 / _AVERAGED_STEPS, 1 / (1 + step / 10))
    with torch.no_grad():
        torch._foreach_lerp_(mean, weights, share)
