"""Shared by the tests of checkpoints: the families, images, and questions about them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from tests import tiny_checkpoints
from whatif.language.messages import one_turn
from whatif.models import Question
from whatif.models.local.answerer import Prompt

Build = Callable[[Path], Path]

CHAT: dict[str, Build] = {
    "llava": tiny_checkpoints.tiny_llava,
    "llava_next": tiny_checkpoints.tiny_llava_next,
    "llava_onevision": tiny_checkpoints.tiny_llava_onevision,
    "qwen2_vl": tiny_checkpoints.tiny_qwen2_vl,
    "qwen2_5_vl": tiny_checkpoints.tiny_qwen2_5_vl,
    "qwen3_vl": tiny_checkpoints.tiny_qwen3_vl,
    "mllama": tiny_checkpoints.tiny_mllama,
    "idefics3": tiny_checkpoints.tiny_idefics3,
    "smolvlm": tiny_checkpoints.tiny_smolvlm,
    "internvl": tiny_checkpoints.tiny_internvl,
    "gemma3": tiny_checkpoints.tiny_gemma3,
}
BLIP: dict[str, Build] = {
    "blip2-opt": partial(tiny_checkpoints.tiny_blip2, language="opt"),
    "blip2-t5": partial(tiny_checkpoints.tiny_blip2, language="t5"),
    "instructblip-opt": partial(tiny_checkpoints.tiny_instructblip, language="opt"),
    "instructblip-t5": partial(tiny_checkpoints.tiny_instructblip, language="t5"),
}
# One token, two, six and five: different lengths, so that padding matters.
OPTIONS = ("A", "16 dots", "zebra", "7 flowers inside the picture")


def picture(seed: int, width: int = 56, height: int = 56) -> Image.Image:
    """An image of noise; sizes in pixels."""
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def question(
    images: Sequence[Image.Image], text: str = "How many dots are there?", options: Sequence[str] = ()
) -> Question:
    """A question about images; open when it has no options."""
    names = tuple(hashlib.sha256(repr(image.size).encode() + image.tobytes()).hexdigest() for image in images)
    return Question("q", "dots", "original", one_turn(text, names), tuple(options), lambda: images)


def prompt(images: Sequence[Image.Image], text: str = "How many dots?") -> Prompt:
    """The usual conversation about images, as a model gets it."""
    asked = question(images, text)
    return Prompt(asked.messages, images)


def twin_questions(pictures: int = 1) -> list[Question]:
    """Eleven open questions of different lengths, two or three about the same images, which have different sizes."""
    words = ["how", "many", "dots", "are", "there", "in", "all", "the", "circles", "together", "inside"]
    sizes = [(56, 56), (28, 56), (40, 30), (56, 28)]
    questions = []
    for number in range(11):
        about = number % 4
        images = [picture(10 * about + place, *sizes[(about + place) % 4]) for place in range(pictures)]
        questions.append(question(images, " ".join(words[number % 3 : 4 + (7 * number) % 8])))
    return questions


def mixed_questions(pictures: Sequence[int]) -> list[Question]:
    """Nine open questions of different lengths; the numbers of their images cycle through `pictures`."""
    words = ["How", "many", "dots", "are", "there", "in", "all", "the", "circles", "together?"]
    sizes = [(56, 56), (28, 56), (40, 30)]
    questions = []
    for number in range(9):
        count = pictures[number % len(pictures)]
        images = [picture(10 * number + place, *sizes[(number + place) % 3]) for place in range(count)]
        questions.append(question(images, " ".join(words[: 2 + (5 * number) % 9])))
    return questions
