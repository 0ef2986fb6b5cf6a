"""Questions with several images for models that take one: all images on one canvas, with their labels (MuCR 4.1).

A change that alters composites alters answers: increase `VERSION` of each adapter that shows them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.language.messages import ImagePart, Message, Messages, Part, images_in
from whatif.models import Question

if TYPE_CHECKING:
    from PIL.Image import Image


def with_composite(question: Question) -> Question:
    """The same question with one image instead of several; unchanged if it has at most one.

    The composite takes the place of the first image. An image without a label gets `Image 1`, `Image 2`, ... by its
    place in the conversation. Where texts or other messages are between the images, each image leaves its label, in
    brackets, in its place, because the text around it may refer to it.
    """
    images = images_in(question.messages)
    if len(images) < 2:
        return question
    labels = [image.label or f"Image {number}" for number, image in enumerate(images, start=1)]
    shown = [[image.image_id, label] for image, label in zip(images, labels, strict=True)]
    image_id = hashlib.sha256(canonical_json({"composite": shown}).encode()).hexdigest()

    def draw() -> Sequence[Image]:
        from whatif.models.composite_picture import composite

        return [composite(question.images(), labels)]

    def encode() -> Sequence[bytes]:
        from whatif.engine.files import png

        return [png.encode(image) for image in draw()]

    messages = _with_one(question.messages, ImagePart(image_id), labels)
    return replace(question, messages=messages, images=draw, encoded_images=encode)


def _with_one(messages: Messages, composite: ImagePart, labels: Sequence[str]) -> Messages:
    names = iter(labels if _are_apart(messages) else [])
    first = True
    changed = []
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            if not isinstance(part, ImagePart):
                parts.append(part)
                continue
            if first:
                parts.append(composite)
            first = False
            parts += _reference(names)
        changed.append(Message(message.role, tuple(parts)))
    return tuple(changed)


def _reference(names: Iterator[str]) -> list[Part]:
    name = next(names, None)
    return [] if name is None else [f"[{name}]"]


def _are_apart(messages: Messages) -> bool:
    """Whether texts or other messages are between the images."""
    with_images = [message for message in messages if message.images]
    if len(with_images) > 1:
        return True
    kinds = [isinstance(part, ImagePart) for part in with_images[0].parts]
    first, last = kinds.index(True), len(kinds) - kinds[::-1].index(True)
    return not all(kinds[first:last])
