"""`min_pixels` and `max_pixels` limit the images that a processor makes, and nothing else."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tests.models.families import (
    CHAT,
    OPTIONS,
    checkpoint,
    loaded,
    network,
    picture,
    processor_of,
    prompt,
    question,
    quick,
)
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models.local.answerer import LocalModel
from whatif.models.local.sent_images import sent_images

pytestmark = pytest.mark.slow

pytest.importorskip("torch")
pytest.importorskip("transformers")

LIMITED = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")
DECODED = ((56, 56), (28, 56), (40, 30), (150, 100), (12, 60))


limited = pytest.mark.parametrize("family", quick("qwen2_5_vl", of=LIMITED))


def pixels(model: LocalModel) -> list[int]:
    """Width times height of each image of `DECODED`, as the processor makes it."""
    processor, configuration = processor_of(model), network(model).config
    images = [picture(place, *size) for place, size in enumerate(DECODED)]
    (sizes,) = sent_images(configuration, processor, model.checkpoint.encode([prompt(images)]), [DECODED])
    assert sizes is not None
    return [width * height for width, height in sizes]


@limited
def test_without_limits_the_checkpoint_decides(family: str) -> None:
    assert pixels(loaded(family)) == [56 * 56, 28 * 56, 28 * 28, 84 * 56, 28 * 84]  # between 28 x 28 and 84 x 84


@pytest.mark.parametrize("family", LIMITED)
def test_images_respect_the_limits(family: str) -> None:
    token = 28 * 28
    assert min(pixels(loaded(family, min_pixels=5 * token))) >= 5 * token
    assert max(pixels(loaded(family, max_pixels=3 * token))) <= 3 * token
    made = pixels(loaded(family, min_pixels=2 * token, max_pixels=4 * token))
    assert (min(made), max(made)) == (2 * token, 4 * token)
    assert max(pixels(loaded(family, max_pixels=30 * token))) == 140 * 112  # above the checkpoint's own maximum


@limited
def test_an_image_within_the_limits_has_the_same_scores(family: str) -> None:
    small = question([picture(0)], options=OPTIONS)
    large = question([picture(1, 112, 84)], options=OPTIONS)
    plain = list(loaded(family).answer([small, large]))
    limited = list(loaded(family, max_pixels=56 * 56).answer([small, large]))
    assert limited[0] == plain[0]
    assert limited[1].option_scores != plain[1].option_scores
    assert (limited[1].prompt_tokens or 0) < (plain[1].prompt_tokens or 0)


@limited
def test_they_are_part_of_what_answers_are_stored_under_when_they_are_set(family: str) -> None:
    plain = loaded(family).identity
    assert not {"min_pixels", "max_pixels"} & set(plain)
    assert loaded(family, max_pixels=3136).identity == {**plain, "max_pixels": 3136}
    assert loaded(family, min_pixels=784).identity == {**plain, "min_pixels": 784}


@pytest.mark.parametrize("family", [family for family in CHAT if family not in LIMITED])
def test_a_family_without_such_limits_is_an_error(family: str) -> None:
    with pytest.raises(WhatifError) as error:
        loaded(family, max_pixels=3136)
    said = str(error.value)
    assert said.startswith(f"checkpoint {checkpoint(family)}: its processor (")
    assert said.endswith("has no limits in pixels; remove max_pixels from the model's entry")
    with pytest.raises(WhatifError, match="remove min_pixels and max_pixels from the model's entry"):
        loaded(family, min_pixels=784, max_pixels=3136)


@limited
def test_limits_that_no_image_can_respect_are_errors(family: str) -> None:
    with pytest.raises(WhatifError, match=r"max_pixels is 783, but an image has at least one token of 784 pixels"):
        loaded(family, max_pixels=783, min_pixels=1)
    own = (
        r"min_pixels is 7057 and max_pixels is 7056; its own max_pixels is used because none is set: set max_pixels too"
    )
    with pytest.raises(WhatifError, match=own):
        loaded(family, min_pixels=7057)


@pytest.mark.parametrize("limits", [{"min_pixels": 2, "max_pixels": 1}, {"min_pixels": 0}, {"max_pixels": -1}])
def test_settings_that_contradict_each_other_are_rejected(limits: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        HuggingFaceChat(adapter="hf-chat", checkpoint="any", **limits)
