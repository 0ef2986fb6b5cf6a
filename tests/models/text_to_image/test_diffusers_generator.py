"""Images of checkpoints of the real classes: they depend on prompt and seed, and not on the batch."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.models.text_to_image.requests import requests, settings_of
from tests.tiny_checkpoints import tiny_diffusion, tiny_flux, tiny_pixart, tiny_sd3, tiny_sdxl
from whatif.engine.errors import WhatifError
from whatif.models.text_to_image import Drawing, ImageRequest, load

pytestmark = pytest.mark.slow

pytest.importorskip("diffusers")

SMALL = {"width": 32, "height": 32}


def drawn(asked: list[ImageRequest], folder: Path, **changes: Any) -> list[Drawing]:
    found = dict(load(settings_of(folder, **changes), 0).draw_as_they_come(asked))
    assert sorted(found) == list(range(len(asked)))
    return [found[place] for place in range(len(asked))]


@pytest.mark.parametrize("maker", [tiny_diffusion, tiny_sdxl, tiny_sd3, tiny_flux])
def test_an_image_depends_on_its_prompt_and_seed_and_on_no_other_image(
    tmp_path: Path, maker: Callable[[Path], Path]
) -> None:
    folder, asked = maker(tmp_path / "checkpoint"), requests(7)
    all_at_once = drawn(asked, folder, batch_size=3, **SMALL)
    assert [drawing.status for drawing in all_at_once] == ["ok"] * 7
    alone = [drawn([one], folder, batch_size=3, **SMALL)[0] for one in asked[:3]]
    assert alone == all_at_once[:3]
    assert drawn(asked[::-1], folder, batch_size=3, **SMALL) == all_at_once[::-1]
    other_prompt = replace(asked[0], prompts=("outside of all polygons",))
    other_seed = replace(asked[0], seed=7)
    assert len({one.images for one in [*all_at_once, *drawn([other_prompt, other_seed], folder, **SMALL)]}) == 9


def test_size_guidance_and_negative_prompt_reach_the_pipeline(tmp_path: Path) -> None:
    folder, asked = tiny_sdxl(tmp_path / "checkpoint"), requests(1)
    settings = {"guidance": 4.0, **SMALL}
    (plain,) = drawn(asked, folder, **settings)
    wide = drawn(asked, folder, guidance=4.0, width=48, height=32)[0]
    assert Image.open(io.BytesIO(wide.images[0])).size == (48, 32)
    assert Image.open(io.BytesIO(drawn(asked, folder, guidance=4.0)[0].images[0])).size == (32, 32)
    others = [
        drawn(asked, folder, **{**settings, "guidance": 1.0}),
        drawn(asked, folder, **settings, negative_prompt="yellow flowers"),
        drawn(asked, folder, **settings, steps=3),
    ]
    assert len({plain.images, *(other[0].images for other in others)}) == 4


def test_a_size_that_the_pipeline_cannot_draw_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"cannot draw: `height` and `width` have to be divisible by 8"):
        drawn(requests(1), tiny_diffusion(tmp_path / "checkpoint"), width=33, height=32)


def test_an_image_without_numbers_is_rejected_with_its_reason(tmp_path: Path) -> None:
    import torch

    generator = load(settings_of(tiny_sdxl(tmp_path / "checkpoint"), **SMALL), 0)
    with torch.no_grad():
        generator.pipeline.vae.decoder.conv_out.bias.fill_(float("nan"))  # type: ignore[attr-defined]
    ((_, drawing),) = generator.draw_as_they_come(requests(1))
    assert (
        drawing.status == "none"
        and "damaged image: its pixels are not numbers" in str(drawing.reason)
        and not drawing.images
    )


def test_a_pipeline_that_pads_prompts_in_its_own_way_draws_one_at_a_time(tmp_path: Path) -> None:
    folder = tiny_pixart(tmp_path / "checkpoint")
    with pytest.raises(WhatifError, match=r"images of a PixArtSigmaPipeline would depend on the batch; set `batch_"):
        drawn(requests(1), folder, batch_size=2)
    assert load(settings_of(folder), 0).pipeline is not None  # type: ignore[attr-defined]


def test_the_identity_names_what_changes_an_image_and_nothing_else(tmp_path: Path) -> None:
    folder = tiny_sdxl(tmp_path / "checkpoint")
    identity = load(settings_of(folder, **SMALL), 0).identity
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert load(settings_of(copy, **SMALL, licence="CC0-1.0"), 5).identity == identity
    for changes in (
        {"steps": 3},
        {"guidance": 2.0},
        {"batch_size": 2},
        {"dtype": "bfloat16"},
        {"negative_prompt": "a"},
    ):
        assert load(settings_of(folder, **{**SMALL, **changes}), 0).identity != identity
    assert load(settings_of(folder), 0).identity != identity


def test_width_and_height_are_given_together() -> None:
    with pytest.raises(ValueError, match="give both width and height, or neither"):
        settings_of(Path("x"), width=64)


@pytest.mark.parametrize(
    ("maker", "most"), [(tiny_diffusion, 64), (tiny_sdxl, 192), (tiny_sd3, 256), (tiny_flux, 512), (tiny_pixart, 300)]
)
def test_prompts_that_are_cut_off_are_counted(maker: Callable[[Path], Path], most: int, tmp_path: Path) -> None:
    from whatif.models.text_to_image.cut_off import is_cut_off

    pipeline: Any = load(settings_of(maker(tmp_path / "checkpoint")), 0).pipeline  # type: ignore[attr-defined]
    assert [is_cut_off(pipeline, " 1" * (most - 2 + more)) for more in (0, 1)] == [False, True]


def test_the_note_says_how_many_prompts_were_cut_off(tmp_path: Path) -> None:
    generator = load(settings_of(tiny_diffusion(tmp_path / "checkpoint")), 0)
    asked = [*requests(2), ImageRequest("long", 0, (" 1" * 70,), 1), ImageRequest("long", 1, (" 1" * 70,), 2)]
    list(generator.draw_as_they_come(asked[:2]))
    assert generator.note == ""
    list(generator.draw_as_they_come(asked))
    assert generator.note == "1 prompts are too long; their ends are cut off"
