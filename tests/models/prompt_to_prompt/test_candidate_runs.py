"""Places of candidates in runs; other candidates of a run do not change a pixel."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tiny_checkpoints import tiny_diffusion
from whatif.engine.params.checkpoints import DiffusionCheckpoint
from whatif.models.prompt_to_prompt.attention import PairRequest, generate_pixels
from whatif.models.prompt_to_prompt.candidate_runs import filled, place_of, runs_of
from whatif.models.prompt_to_prompt.pipeline import load_pipeline

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")


def test_candidates_of_a_pair_follow_each_other_and_pairs_begin_anywhere() -> None:
    places = [place_of("000000000139", number, 8) for number in range(20)]
    assert places == [(places[0] + number) % 8 for number in range(20)]
    begins = Counter(place_of(f"{number:012d}", 0, 8) for number in range(8000))
    assert set(begins) == set(range(8)) and all(900 < count < 1100 for count in begins.values())


def test_every_item_is_in_one_run_at_its_place_in_order() -> None:
    items = [(place_of(f"pair-{pair}", number, 4), (pair, number)) for pair in range(9) for number in range(7)]
    runs = list(runs_of(items, 4))
    assert all(len(run) == 4 for run in runs)
    for place in range(4):
        stood = [run[place] for run in runs if run[place] is not None]
        assert stood == [item for at, item in items if at == place]
        assert runs[len(stood) :] == [] or all(run[place] is None for run in runs[len(stood) :])
    assert len(runs) == max(Counter(place for place, _ in items).values())
    assert list(runs_of([], 4)) == []


def test_an_empty_place_holds_a_copy() -> None:
    assert filled([None, "b", None, "d"]) == ["b", "b", "b", "d"]


@pytest.mark.parametrize("scheduler", ["DDIMScheduler", "EulerAncestralDiscreteScheduler"])
def test_neighbours_change_no_bit_and_the_size_of_a_batch_no_visible_one(tmp_path: Path, scheduler: str) -> None:
    pipeline = load_pipeline(DiffusionCheckpoint(checkpoint=str(tiny_diffusion(tmp_path)), steps=2))
    pipeline.scheduler = getattr(diffusers, scheduler).from_config(pipeline.scheduler.config)
    words = ("how many dots", "a red flower inside", "yellow", "what colour is the answer", "outside the picture")
    requests = [
        PairRequest(word, word[::-1], seed, shared=0.1 + 0.2 * seed, guidance=7.5 + seed)
        for seed, word in enumerate(words)
    ]
    kept = requests[2]

    def drawn(*run: PairRequest) -> Any:
        return generate_pixels(pipeline, run, 4)

    first = drawn(requests[0], requests[1], kept, requests[3])[2]
    assert torch.equal(drawn(requests[4], requests[3], kept, requests[4])[2], first)
    assert torch.equal(drawn(kept, kept, kept, kept)[2], first)
    assert not torch.equal(drawn(kept, kept, replace(kept, seed=9), kept)[2], first)
    assert (drawn(kept)[0] - first).abs().max() < 1e-4
