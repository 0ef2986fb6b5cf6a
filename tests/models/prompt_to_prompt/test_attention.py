"""Prompt-to-Prompt pairs on a small pipeline with random weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from diffusers import DDIMScheduler, DPMSolverMultistepScheduler, EulerAncestralDiscreteScheduler, PNDMScheduler
from diffusers.models.attention_processor import Attention

from training.diffusion_parts import new_autoencoder, new_denoiser, new_pipeline, new_text_encoder, new_tokenizer
from training.diffusion_scenes import caption_words
from whatif.models.prompt_to_prompt.attention import PairRequest, generate_pairs, generate_pixels
from whatif.models.prompt_to_prompt.shared_attention import SharedAttention

pytestmark = pytest.mark.slow

BALL = "A large red ball on a white background."
STAR = "A large red star on a white background."
REQUESTS = [
    PairRequest(BALL, STAR, seed=3, shared=0.9, guidance=7.5),
    PairRequest("There is a small blue cup in front of a black background.", "A boat.", seed=4, shared=0.3, guidance=2),
    PairRequest(BALL, STAR, seed=3, shared=0.0, guidance=1),
]
SCHEDULERS = [
    DDIMScheduler,
    EulerAncestralDiscreteScheduler,
    *(pytest.param(one, marks=pytest.mark.soak) for one in (DPMSolverMultistepScheduler, PNDMScheduler)),
]


@pytest.fixture(scope="module")
def pipeline() -> Any:
    torch.manual_seed(1)
    tokenizer = new_tokenizer(caption_words())
    made = new_pipeline(tokenizer, new_text_encoder(tokenizer), new_autoencoder(), new_denoiser())
    made.set_progress_bar_config(disable=True)
    with torch.no_grad():  # with the usual spread, captions hardly affect a pipeline with random weights
        made.text_encoder.get_input_embeddings().weight.mul_(50)
        for name, weight in made.unet.named_parameters():
            if "attn" in name:
                weight.mul_(3)
    return made


@pytest.fixture(params=SCHEDULERS, ids=lambda scheduler: scheduler.__name__)
def scheduled(request: pytest.FixtureRequest, pipeline: Any) -> Any:
    before = pipeline.scheduler
    pipeline.scheduler = request.param.from_config(before.config)
    yield pipeline
    pipeline.scheduler = before


def test_a_batch_gives_what_single_pairs_give(scheduled: Any) -> None:
    together = generate_pixels(scheduled, REQUESTS, 5)
    assert together.shape == (3, 2, 3, 64, 64)
    alone = torch.cat([generate_pixels(scheduled, [request], 5) for request in REQUESTS])
    # Sums of a larger batch are in another order, which the wide random weights amplify; other noise differs by 0.1.
    assert (together - alone).abs().max() < 2e-3
    assert torch.equal(generate_pixels(scheduled, REQUESTS, 5), together)


def test_without_sharing_it_is_the_pipeline_itself(scheduled: Any) -> None:
    request = replace(REQUESTS[0], shared=0.0)
    pair = generate_pixels(scheduled, [request], 5)[0]
    for caption, pixels in zip((BALL, STAR), pair, strict=True):
        drawn = scheduled(
            caption,
            num_inference_steps=5,
            guidance_scale=request.guidance,
            generator=torch.Generator().manual_seed(request.seed),
            output_type="pt",
        ).images[0]
        # A caption alone in its batch is summed in another order, which the wide random weights amplify.
        assert (drawn - pixels).abs().max() < 2e-3


def test_the_same_caption_gives_the_same_picture_twice(scheduled: Any) -> None:
    first, second = generate_pixels(scheduled, [replace(REQUESTS[0], counterfactual=BALL, shared=0.5)], 4)[0]
    assert (first - second).abs().max() < 1e-4


def test_attention_is_shared_while_the_step_is_below_the_share(pipeline: Any) -> None:
    # Of 5 steps, these are 0, 1/4, 1/2, 3/4 and 1 of the way.
    shares = (0.0, 0.1, 0.25, 0.26, 0.5, 0.51, 0.76, 1.0)
    pairs = generate_pixels(pipeline, [replace(REQUESTS[0], shared=share) for share in shares], 5)
    counterfactuals = dict(zip(shares, pairs[:, 1], strict=True))
    for original in pairs[:, 0]:
        assert (original - pairs[0, 0]).abs().max() < 1e-4, "the original does not change"
    for one, other, alike in (
        (0.0, 0.1, False),
        (0.1, 0.25, True),
        (0.25, 0.26, False),
        (0.26, 0.5, True),
        (0.5, 0.51, False),
        (0.76, 1.0, True),
    ):
        difference = (counterfactuals[one] - counterfactuals[other]).abs().max()
        assert bool(difference < 1e-4) is alike, (one, other)


def test_queries_and_keys_of_another_row_copy_its_map() -> None:
    torch.manual_seed(2)
    layer: Any = Attention(query_dim=24, heads=3, dim_head=8)
    hidden = torch.randn(4, 10, 24)
    processor = SharedAttention()
    with torch.inference_mode():
        plain = layer(hidden)
        layer.set_processor(processor)
        assert torch.allclose(layer(hidden), plain, atol=1e-6)
        processor.attends_as = torch.tensor([0, 0, 2, 1])
        shared = layer(hidden)
        query, key, value = (
            layer.head_to_batch_dim(project(hidden)) for project in (layer.to_q, layer.to_k, layer.to_v)
        )
        maps = layer.get_attention_scores(query, key).unflatten(0, (4, 3))[[0, 0, 2, 1]].flatten(0, 1)
        copied = layer.to_out[0](layer.batch_to_head_dim(maps @ value))
    assert torch.allclose(shared, copied, atol=1e-6)
    assert not torch.allclose(shared[1], plain[1], atol=1e-3)


def test_a_map_over_words_is_copied_too() -> None:
    torch.manual_seed(3)
    processor = SharedAttention()
    layer: Any = Attention(query_dim=24, cross_attention_dim=16, heads=3, dim_head=8)
    hidden, words = torch.randn(2, 10, 24), torch.randn(2, 5, 16)
    with torch.inference_mode():
        plain = layer(hidden, words)
        layer.set_processor(processor)
        assert torch.allclose(layer(hidden, words), plain, atol=1e-6)
        processor.attends_as = torch.tensor([0, 0])
        shared = layer(hidden, words)
        alone = layer(hidden[[0, 0]], torch.stack([words[0], words[0]]))
    # The map of the first with the words of the second: equal to neither's own.
    assert torch.allclose(shared[0], plain[0], atol=1e-6)
    assert not torch.allclose(shared[1], plain[1], atol=1e-3) and not torch.allclose(shared[1], alone[1], atol=1e-3)


def test_only_attention_without_a_mask_is_shared() -> None:
    layer: Any = Attention(query_dim=24, heads=3, dim_head=8, processor=SharedAttention())
    with pytest.raises(ValueError, match="without a mask"):
        layer(torch.randn(1, 10, 24), attention_mask=torch.zeros(1, 10, 10))


def test_cross_attention_is_shared_where_captions_have_as_many_tokens(pipeline: Any) -> None:
    alike = PairRequest("A red ball.", "A red star.", seed=5, shared=0.9, guidance=3)
    longer = replace(alike, counterfactual="A red star on a black background.")
    assert len(pipeline.tokenizer(alike.original).input_ids) == len(pipeline.tokenizer(alike.counterfactual).input_ids)
    requests = [alike, replace(alike, cross_attention=True), longer, replace(longer, cross_attention=True)]
    pixels = generate_pixels(pipeline, requests, 4)
    assert torch.allclose(pixels[0, 0], pixels[1, 0], atol=1e-4)  # originals' attention is unchanged
    assert not torch.allclose(pixels[0, 1], pixels[1, 1], atol=1e-4)
    assert torch.allclose(pixels[2], pixels[3], atol=1e-4)
    one_by_one = torch.cat([generate_pixels(pipeline, [request], 4) for request in requests])
    assert torch.allclose(pixels, one_by_one, atol=1e-4)


def test_a_pair_is_one_picture_while_its_start_is_shared(pipeline: Any) -> None:
    own = PairRequest("A red ball.", "A blue star on a black background.", seed=5, shared=0.5, guidance=3)
    requests = [own, replace(own, shared_start=0.5), replace(own, shared_start=1.0)]
    pixels = generate_pixels(pipeline, requests, 4)
    for start in (1, 2):
        assert torch.allclose(pixels[0, 0], pixels[start, 0], atol=1e-4)  # originals are unchanged

    def change(place: int) -> float:
        return float((pixels[place, 1] - pixels[place, 0]).abs().mean())

    # At 1.0 only the last of four steps uses the other caption.
    assert change(0) > change(1) > change(2) > 0
    one_by_one = torch.cat([generate_pixels(pipeline, [request], 4) for request in requests])
    assert torch.allclose(pixels, one_by_one, atol=1e-4)


def test_the_pipeline_is_left_as_it_was(pipeline: Any) -> None:
    before, scheduler = pipeline.unet.attn_processors, pipeline.scheduler
    pipeline.scheduler.set_timesteps(7)
    generate_pairs(pipeline, REQUESTS[:1], 2)
    with pytest.raises(ValueError, match="text input"):
        generate_pixels(pipeline, [replace(REQUESTS[0], original=None)], 2)  # type: ignore[arg-type]
    assert pipeline.unet.attn_processors == before
    assert pipeline.scheduler is scheduler
    assert len(scheduler.timesteps) == 7


def test_pictures_are_the_pixels(pipeline: Any) -> None:
    pixels = generate_pixels(pipeline, REQUESTS[:2], 2)
    pairs = generate_pairs(pipeline, REQUESTS[:2], 2)
    assert [len(pair) for pair in pairs] == [2, 2]
    shown = np.asarray(pairs[1][0])
    assert shown.shape == (64, 64, 3)
    assert np.abs(shown / 255 - pixels[1, 0].permute(1, 2, 0).numpy()).max() < 0.5 / 255 + 1e-4
    assert generate_pairs(pipeline, [], 2) == []


@pytest.mark.parametrize(
    ("requests", "steps", "message"),
    [
        ([], 2, "there is no request"),
        (REQUESTS[:1], 0, "steps is 0"),
        ([replace(REQUESTS[0], shared=1.5)], 2, r"shared is 1\.5"),
        ([replace(REQUESTS[0], shared=float("nan"))], 2, "shared is nan"),
        ([replace(REQUESTS[0], shared_start=-0.1)], 2, r"shared_start is -0\.1"),
    ],
)
def test_what_cannot_be_made(pipeline: Any, requests: list[PairRequest], steps: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generate_pixels(pipeline, requests, steps)
