"""Pairs of images by prompt-to-prompt: the effect is drawn from the cause."""

from __future__ import annotations

import io
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.models.text_to_image.requests import requests
from tests.tiny_checkpoints import tiny_diffusion
from whatif.engine.params.generators import PromptToPromptGenerator
from whatif.models.text_to_image import Drawing, load
from whatif.models.text_to_image.stored_images import drawn_images

pytest.importorskip("diffusers")


def generator_of(folder: Path, p: float = 0.5, **changes: Any) -> Any:
    values = {"adapter": "prompt-to-prompt", "checkpoint": str(folder), "steps": 4, "batch_size": 2}
    spans = {"p": {"low": p, "high": p}, "guidance": {"low": 2.0, "high": 4.0}}
    return load(PromptToPromptGenerator.model_validate(values | spans | changes), 0)


def change_of(drawing: Drawing) -> float:
    cause, effect = (np.asarray(Image.open(io.BytesIO(data)), dtype=float) for data in drawing.images)
    return float(np.abs(cause - effect).mean())


def test_a_pair_shares_what_the_settings_say(tmp_path: Path) -> None:
    folder, asked = tiny_diffusion(tmp_path / "checkpoint"), requests(3, prompts=2)
    shared = dict(generator_of(folder, 1.0).draw_as_they_come(asked))
    apart = dict(generator_of(folder, 0.0).draw_as_they_come(asked))
    assert all(len(set(drawing.images)) == 2 for drawing in shared.values())
    assert shared[0].images[0] == apart[0].images[0], "the cause does not depend on the effect"
    assert sum(map(change_of, shared.values())) < sum(map(change_of, apart.values()))
    alone = dict(generator_of(folder, 1.0).draw_as_they_come(asked[1:2]))
    assert alone[0] == shared[1]


def test_a_request_needs_two_prompts(tmp_path: Path) -> None:
    from whatif.models.responses.store import ResponseStore

    generator = generator_of(tiny_diffusion(tmp_path / "checkpoint"))
    with (
        ResponseStore(tmp_path / "images.sqlite") as store,
        pytest.raises(ValueError, match="has 1 prompts, the generator takes 2"),
    ):
        list(drawn_images(requests(1), generator, store))


def test_prompts_that_are_cut_off_are_counted_and_not_printed(tmp_path: Path) -> None:
    generator = generator_of(tiny_diffusion(tmp_path / "checkpoint"))
    printed: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = printed.append  # type: ignore[method-assign]
    logging.getLogger("diffusers").addHandler(handler)
    try:
        (asked,) = requests(1, prompts=2)
        list(generator.draw_as_they_come([asked]))
        assert generator.note == ""
        printed.clear()  # what loading says
        list(generator.draw_as_they_come([replace(asked, prompts=(asked.prompts[0], " 1" * 70))]))
    finally:
        logging.getLogger("diffusers").removeHandler(handler)
    assert generator.note == "1 prompts are too long; their ends are cut off" and printed == []


def test_the_identity_contains_what_is_sampled(tmp_path: Path) -> None:
    folder = tiny_diffusion(tmp_path / "checkpoint")
    assert generator_of(folder, 0.5).identity != generator_of(folder, 0.6).identity
    assert generator_of(folder).identity != generator_of(folder, steps=5).identity
    assert generator_of(folder).identity != generator_of(folder, batch_size=3).identity
    assert generator_of(folder).identity == generator_of(folder, licence="CC0-1.0").identity
