"""Candidates of the embedded world: drawn in batches of their own pair, as prompt-to-prompt draws them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tiny_checkpoints import tiny_diffusion
from whatif.engine.artifacts.images import image_row
from whatif.engine.errors import WhatifError
from whatif.engine.files import png
from whatif.engine.params.base import Span
from whatif.engine.params.checkpoints import DiffusionCheckpoint
from whatif.models.prompt_to_prompt.attention import PairRequest, generate_pairs
from whatif.models.prompt_to_prompt.image_maker import PictureDrawer
from whatif.models.prompt_to_prompt.pair_candidates import draw_candidate, drawn
from whatif.models.prompt_to_prompt.pipeline import load_pipeline

pytest.importorskip("diffusers")

PAIR = {"pair_id": "0007", "caption_0": "a red dot", "caption_1": "a red flower", "provenance": "{}"}
CANDIDATES = [
    draw_candidate("0007", place, 5, p=Span(low=0.1, high=0.9), guidance=Span(low=2, high=4)) for place in range(5)
]


@pytest.fixture
def settings(tmp_path: Path) -> DiffusionCheckpoint:
    checkpoint = str(tiny_diffusion(tmp_path))
    return DiffusionCheckpoint(checkpoint=checkpoint, steps=3, batch_size=2, cross_attention=True)


def test_each_is_what_prompt_to_prompt_makes_in_batches_of_the_pair(settings: DiffusionCheckpoint) -> None:
    found = list(drawn(PictureDrawer(settings), PAIR, CANDIDATES, licence="CC0-1.0"))
    pipeline = load_pipeline(settings)
    expected: list[list[dict[str, Any]]] = []
    for run in (CANDIDATES[:2], CANDIDATES[2:4], CANDIDATES[4:]):
        requests = [PairRequest("a red dot", "a red flower", one.seed, one.p, one.guidance, True) for one in run]
        expected += [
            [image_row(png.encode(one), *one.size, "prompt-to-prompt:0007", "CC0-1.0") for one in pictures]
            for pictures in generate_pairs(pipeline, requests, 3)
        ]
    assert [images for _, images in found] == expected
    for place, (row, images) in enumerate(found):
        assert (row["candidate"], row["seed"], row["p"]) == (place, CANDIDATES[place].seed, CANDIDATES[place].p)
        assert [row["image_id_0"], row["image_id_1"]] == [image["image_id"] for image in images]
        assert (row["caption_1"], row["directional"]) == ("a red flower", None)
    assert len({row["image_id_0"] for row, _ in found}) == len(CANDIDATES)


def test_memory_that_is_too_small_is_one_line(settings: DiffusionCheckpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError("no memory\nleft")

    monkeypatch.setattr("whatif.models.prompt_to_prompt.image_maker.generate_pairs", full)
    with pytest.raises(WhatifError, match=r"^out of memory with 2 pairs of images by \S+ at once"):
        list(drawn(PictureDrawer(settings), PAIR, CANDIDATES, licence="CC0-1.0"))
