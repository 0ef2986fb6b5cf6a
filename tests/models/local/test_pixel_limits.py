"""`min_pixels` and `max_pixels` limit the images that a processor makes, and nothing else."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import ValidationError

from tests.models.families import CHAT, OPTIONS, picture, prompt, question
from whatif.errors import WhatifError
from whatif.models import load
from whatif.models.local.answerer import LocalModel
from whatif.models.local.sent_images import sent_images
from whatif.params.checkpoints import HuggingFaceChat

pytest.importorskip("torch")
pytest.importorskip("transformers")

LIMITED = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")
DECODED = ((56, 56), (28, 56), (40, 30), (150, 100), (12, 60))


@pytest.fixture(scope="module", params=LIMITED)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield CHAT[request.param](tmp_path_factory.mktemp(request.param))
    gc.collect()


@pytest.fixture(scope="module")
def llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return CHAT["llava"](tmp_path_factory.mktemp("llava"))


def settings(folder: Path, **more: Any) -> HuggingFaceChat:
    return HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), **more)


def loaded(folder: Path, **more: Any) -> LocalModel:
    return cast("LocalModel", load("hf-chat", settings(folder, **more), 0))


def pixels(model: LocalModel) -> list[int]:
    """Width times height of each image of `DECODED`, as the processor makes it."""
    processor = model.checkpoint.encode.args[0].processor  # type: ignore[attr-defined]
    configuration = model.checkpoint.score.args[0].config  # type: ignore[attr-defined]
    images = [picture(place, *size) for place, size in enumerate(DECODED)]
    (sizes,) = sent_images(configuration, processor, model.checkpoint.encode([prompt(images)]), [DECODED])
    assert sizes is not None
    return [width * height for width, height in sizes]


def test_without_limits_the_checkpoint_decides(folder: Path) -> None:
    assert pixels(loaded(folder)) == [56 * 56, 28 * 56, 28 * 28, 84 * 56, 28 * 84]  # between 28 x 28 and 84 x 84


def test_images_respect_the_limits(folder: Path) -> None:
    token = 28 * 28
    assert min(pixels(loaded(folder, min_pixels=5 * token))) >= 5 * token
    assert max(pixels(loaded(folder, max_pixels=3 * token))) <= 3 * token
    made = pixels(loaded(folder, min_pixels=2 * token, max_pixels=4 * token))
    assert (min(made), max(made)) == (2 * token, 4 * token)
    assert max(pixels(loaded(folder, max_pixels=30 * token))) == 140 * 112  # above the checkpoint's own maximum


def test_an_image_within_the_limits_has_the_same_scores(folder: Path) -> None:
    small = question([picture(0)], options=OPTIONS)
    large = question([picture(1, 112, 84)], options=OPTIONS)
    plain = list(loaded(folder).answer([small, large]))
    limited = list(loaded(folder, max_pixels=56 * 56).answer([small, large]))
    assert limited[0] == plain[0]
    assert limited[1].option_scores != plain[1].option_scores
    assert (limited[1].prompt_tokens or 0) < (plain[1].prompt_tokens or 0)


def test_they_are_part_of_what_answers_are_stored_under_when_they_are_set(folder: Path) -> None:
    plain = loaded(folder).identity
    assert not {"min_pixels", "max_pixels"} & set(plain)
    assert loaded(folder, max_pixels=3136).identity == {**plain, "max_pixels": 3136}
    assert loaded(folder, min_pixels=784).identity == {**plain, "min_pixels": 784}


@pytest.mark.parametrize("family", [family for family in CHAT if family not in LIMITED])
def test_a_family_without_such_limits_is_an_error(family: str, tmp_path: Path) -> None:
    folder = CHAT[family](tmp_path)
    with pytest.raises(WhatifError) as error:
        loaded(folder, max_pixels=3136)
    said = str(error.value)
    assert said.startswith(f"checkpoint {folder}: its processor (")
    assert said.endswith("has no limits in pixels; remove max_pixels from the model's entry")
    with pytest.raises(WhatifError, match="remove min_pixels and max_pixels from the model's entry"):
        loaded(folder, min_pixels=784, max_pixels=3136)


def test_limits_that_no_image_can_respect_are_errors(folder: Path) -> None:
    with pytest.raises(WhatifError, match=r"max_pixels is 783, but an image has at least one token of 784 pixels"):
        loaded(folder, max_pixels=783, min_pixels=1)
    own = (
        r"min_pixels is 7057 and max_pixels is 7056; its own max_pixels is used because none is set: set max_pixels too"
    )
    with pytest.raises(WhatifError, match=own):
        loaded(folder, min_pixels=7057)


@pytest.mark.parametrize("limits", [{"min_pixels": 2, "max_pixels": 1}, {"min_pixels": 0}, {"max_pixels": -1}])
def test_settings_that_contradict_each_other_are_rejected(llava: Path, limits: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        settings(llava, **limits)
