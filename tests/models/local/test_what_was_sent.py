"""An answer tells how the images of its question were sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.models.families import OPTIONS, loaded, network, picture, question

pytest.importorskip("torch")
pytest.importorskip("transformers")

SIZES = [[(80, 40)], [(56, 56)], [(56, 56), (28, 56)], []]


@pytest.mark.parametrize("together", [1, 4])
def test_every_answer_has_its_own_images(together: int) -> None:
    """LLaVA scales every image to the size of its tower, and has a token for each patch."""
    model = loaded("llava", batch_size=together, max_new_tokens=3)
    vision = network(model).config.vision_config
    side, patches = vision.image_size, (vision.image_size // vision.patch_size) ** 2
    asked = [question([picture(place, *size) for place, size in enumerate(sizes)]) for sizes in SIZES]
    opened = list(model.answer(asked))
    ranked = list(model.answer([replace(one, options=OPTIONS) for one in asked]))
    for number, answer in zip([len(sizes) for sizes in SIZES] * 2, [*opened, *ranked], strict=True):
        assert answer.image_sizes == (((side, side),) * number or None)
        assert answer.image_tokens == (patches * number or None)
        assert answer.image_form == ("in place" if number else None)
    assert {answer.finish for answer in opened} <= {"stop", "length"} and {answer.finish for answer in ranked} == {None}


def test_questions_that_share_an_image_have_its_size_too() -> None:
    questions = [question([picture(0)], text) for text in ("how many?", "how many in all?", "what colour?")]
    answers = list(loaded("llava", batch_size=4, max_new_tokens=3).answer(questions))
    assert len({(answer.image_sizes, answer.image_tokens) for answer in answers}) == 1
    assert answers[0].image_tokens


def test_a_composite_is_one_image() -> None:
    asked = question([picture(0), picture(1)])
    chat = loaded("llava", several_images="composite", max_new_tokens=3)
    for model in (chat, loaded("blip2-opt", max_new_tokens=3)):
        (answer,) = model.answer([asked])
        assert answer.image_form == "composite" and len(answer.image_sizes or ()) == 1
