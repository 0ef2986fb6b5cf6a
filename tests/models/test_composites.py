"""Several images as one, for models that take one image."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image

from whatif.engine.language.messages import ImagePart, Message, Messages, images_in, one_turn
from whatif.models import Question
from whatif.models.composites import with_composite

COLOURS = {"a": (200, 30, 30), "b": (30, 200, 30), "c": (30, 30, 200)}


def question(messages: Messages) -> Question:
    def images() -> Sequence[Image.Image]:
        return [Image.new("RGB", (60, 40), COLOURS[image.image_id]) for image in images_in(messages)]

    return Question("q", "g", "original", messages, images=images)


def parts(asked: Question) -> list[tuple[str, ...]]:
    return [
        tuple(part if isinstance(part, str) else "composite" for part in message.parts) for message in asked.messages
    ]


def test_one_image_stays_as_it_is() -> None:
    for asked in (question(one_turn("How many?")), question(one_turn("How many?", ["a"]))):
        assert with_composite(asked) is asked


def test_images_beside_each_other_become_one_image() -> None:
    made = with_composite(question(one_turn("Which is first?", ["a", "b"])))
    assert parts(made) == [("composite", "Which is first?")]
    (image,) = made.images()
    pixels = {tuple(pixel) for pixel in np.asarray(image).reshape(-1, 3).tolist()}
    assert {COLOURS["a"], COLOURS["b"]} <= pixels
    with Image.open(io.BytesIO(made.encoded_images()[0])) as encoded:
        assert np.array_equal(np.asarray(encoded.convert("RGB")), np.asarray(image))


def test_images_apart_leave_their_labels_where_they_were() -> None:
    messages = (
        Message("user", (ImagePart("a"), "How many?")),
        Message("assistant", ("Two.",)),
        Message("user", ("Look at", ImagePart("b", "left"), "and", ImagePart("c"), "How many now?")),
    )
    made = with_composite(question(messages))
    assert parts(made) == [
        ("composite", "[Image 1]", "How many?"),
        ("Two.",),
        ("Look at", "[left]", "and", "[Image 3]", "How many now?"),
    ]
    assert len(made.images()) == 1


def test_a_composite_is_named_by_its_images_their_order_and_their_labels() -> None:
    def name(*images: ImagePart) -> str:
        (image_id,) = with_composite(question((Message("user", (*images, "How many?")),))).image_ids
        return image_id

    a, b = ImagePart("a"), ImagePart("b")
    assert len({name(a, b), name(b, a), name(a, ImagePart("b", "left")), name(a, b, b)}) == 4
    assert name(a, b) == name(a, b)
