"""Pairs without sharing: the same original image, another counterfactual image, and nothing depends on the others."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from whatif.engine.params.checkpoints import DiffusionCheckpoint, LocalCheckpoint
from whatif.models.prompt_to_prompt.chosen_images import chosen_pictures
from whatif.models.prompt_to_prompt.directional_similarity import Thresholds
from whatif.models.prompt_to_prompt.image_maker import PictureMaker
from whatif.models.prompt_to_prompt.unshared_images import without_sharing

pytestmark = pytest.mark.slow

pytest.importorskip("diffusers")

NOUNS = (("dots", "flowers"), ("flowers", "circles"), ("polygons", "dots"))
PAIRS = [
    {
        **{"pair_id": f"{number:04d}", "candidate": number, "subject_0": noun, "subject_1": other},
        **{"caption_0": f"red {noun}", "caption_1": f"red {other}", "image_id_0": "", "image_id_1": ""},
        **{"p": 0.9, "guidance": 3.0 + number, "seed": 11 + number, "provenance": "{}"},
    }
    for number, (noun, other) in enumerate(NOUNS)
]


@pytest.fixture(scope="module")
def models(checkpoints: Path) -> tuple[DiffusionCheckpoint, LocalCheckpoint]:
    own = {"batch_size": 4, "steps": 4, "cross_attention": True, "shared_start": 0.5, "licence": "CC0-1.0"}
    diffusion = DiffusionCheckpoint.model_validate({"checkpoint": str(checkpoints / "diffusion"), **own})
    return diffusion, LocalCheckpoint(checkpoint=str(checkpoints / "clip"))


def pixels(image: dict[str, Any]) -> Any:
    with Image.open(io.BytesIO(image["image"]["bytes"])) as opened:
        return np.asarray(opened, dtype=np.int64)


def drawn_alone(pairs: list[dict[str, Any]], models: Any) -> dict[str, tuple[dict[str, Any], list[Any]]]:
    return {row["pair_id"]: (row, images) for row, images in without_sharing(pairs, *models)}


def test_only_the_counterfactual_image_changes(models: Any) -> None:
    least = Thresholds(-1.0, -1.0, -1.0)
    shared = {
        pair.row["pair_id"]: pair for pair in chosen_pictures(PAIRS, PictureMaker(*models), least, licence="CC0-1.0")
    }
    alone = drawn_alone(PAIRS, models)
    assert set(alone) == set(shared) == {row["pair_id"] for row in PAIRS}
    for pair in PAIRS:
        (row, images), other = alone[pair["pair_id"]], shared[pair["pair_id"]]
        assert np.abs(pixels(images[0]) - pixels(other.images[0])).max() <= 1
        assert np.abs(pixels(images[1]) - pixels(other.images[1])).max() > 3
        assert [row["image_id_0"], row["image_id_1"]] == [image["image_id"] for image in images]
        kept = ("candidate", "caption_0", "caption_1", "guidance", "seed", "provenance")
        assert {name: row[name] for name in kept} == {name: pair[name] for name in kept}
        assert row["p"] == 0.0
        assert row["image_image"] != other.row["image_image"]
        assert {image["licence"] for image in images} == {"CC0-1.0"}


def test_neither_the_first_steps_nor_cross_attention_are_shared(models: Any) -> None:
    """As two images that are drawn apart from each other, from the same noise."""
    plain = models[0].model_copy(update={"cross_attention": False, "shared_start": 0.0})
    alone = drawn_alone(PAIRS, models)
    swapped = [{**pair, "caption_0": pair["caption_1"], "caption_1": pair["caption_0"]} for pair in PAIRS]
    for pair_id, (_, images) in drawn_alone(swapped, (plain, models[1])).items():
        for side in (0, 1):
            assert np.abs(pixels(images[side]) - pixels(alone[pair_id][1][1 - side])).max() <= 1


def test_a_pair_does_not_depend_on_the_others(models: Any) -> None:
    together = drawn_alone(PAIRS, models)
    for some in (PAIRS[:1], PAIRS[1:]):
        assert drawn_alone(some, models) == {row["pair_id"]: together[row["pair_id"]] for row in some}


def test_without_pairs_nothing_is_loaded(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    settings = DiffusionCheckpoint(checkpoint=missing, batch_size=1, steps=1)
    assert list(without_sharing([], settings, LocalCheckpoint(checkpoint=missing))) == []
