"""Pairs of images by prompt-to-prompt: several candidates of several caption pairs per batch, against one at a time."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.tiny_checkpoints import tiny_diffusion
from whatif.engine.params.base import Span
from whatif.engine.params.checkpoints import DiffusionCheckpoint
from whatif.models.prompt_to_prompt.attention import PairRequest, generate_pixels
from whatif.models.prompt_to_prompt.pair_candidates import draw_candidate
from whatif.models.prompt_to_prompt.pipeline import load_pipeline
from whatif.world.scene_pairs import caption_pair

SMALL = {"_ROUNDS": 1, "_CAPTION_PAIRS": 1, "_CANDIDATES": 2, "_AT_ONCE": 2, "_STEPS": 2}
_ROUNDS = 5  # alternating, so that a slow moment of the machine affects both
_CAPTION_PAIRS = 4
_CANDIDATES = 4
_AT_ONCE = 8
_STEPS = 16


def measure() -> dict[str, Any]:
    """Candidates per second on one core, with random weights and 16 steps: median of alternating rounds."""
    with tempfile.TemporaryDirectory() as folder:
        pipeline = load_pipeline(DiffusionCheckpoint(checkpoint=str(tiny_diffusion(Path(folder))), steps=_STEPS))
    requests = candidates()
    together, alone = in_runs(pipeline, requests, _AT_ONCE), in_runs(pipeline, requests, 1)  # also warms up
    assert max(float((one - other).abs().max()) for one, other in zip(together, alone, strict=True)) < 1e-4
    speeds: dict[int, list[float]] = {_AT_ONCE: [], 1: []}
    for _ in range(_ROUNDS):
        for width, found in speeds.items():
            found.append(_per_second(partial(in_runs, pipeline, requests, width), len(requests)))
    ours, peer = (statistics.median(speeds[width]) for width in (_AT_ONCE, 1))
    return {
        "name": "prompt-to-prompt",
        "ours": ours,
        "peer": peer,
        "unit": "pairs/s",
        "ratio": ours / peer,
        "peer_name": "one pair of images at a time",
    }


def candidates() -> list[PairRequest]:
    """Candidates of several caption pairs, each with its own settings; pairs alternate, so that runs mix them."""
    requests = []
    for place in range(_CANDIDATES):
        for number in range(_CAPTION_PAIRS):
            pair = caption_pair("test", number, 0)
            one = draw_candidate(
                pair["pair_id"], place, 0, p=Span(low=0.1, high=0.9), guidance=Span(low=7.5, high=15.0)
            )
            requests.append(
                PairRequest(pair["caption_0"], pair["caption_1"], one.seed, shared=one.p, guidance=one.guidance)
            )
    return requests


def in_runs(pipeline: Any, requests: Sequence[PairRequest], width: int) -> list[Any]:
    """The pixels of each request, drawn in runs of `width`."""
    return [
        pair
        for start in range(0, len(requests), width)
        for pair in generate_pixels(pipeline, requests[start : start + width], _STEPS)
    ]


def _per_second(work: Callable[[], object], number: int) -> float:
    start = time.process_time()  # CPU time, which other processes do not affect
    work()
    return number / (time.process_time() - start)
