"""A toy question whose answer only the image tells: which colour it has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image

from whatif.engine.language.messages import one_turn
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.engine.params.fine_tuning import FineTuning
from whatif.models import Question
from whatif.models.fine_tuning.examples import Example

COLOURS = {"yellow": (255, 255, 0), "blue": (0, 0, 255)}


def settings(folder: Path, **more: Any) -> HuggingFaceChat:
    return HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), **more)


def recipe(**more: Any) -> FineTuning:
    usual: dict[str, Any] = {"trains": "all", "steps": 30, "batch_size": 4, "learning_rate": 3e-3, "held_out": 0.0}
    return FineTuning(**usual | more)


def example(number: int, colour: str, *, prompt: str = "What colour is the picture?", images: int = 1) -> Example:
    return Example(question(number, colour, prompt=prompt, images=images), colour)


def question(number: int, colour: str, *, prompt: str = "What colour is the picture?", images: int = 1) -> Question:
    """Its images are patches of slightly different shades."""
    shade = [max(0, value - 3 * number) for value in COLOURS[colour]]
    options = tuple(COLOURS)
    ids = [f"{colour}{number}-{place}" for place in range(images)]
    return Question(
        f"q{number:02d}", "colour", "original", one_turn(prompt, ids), options, partial(_drawn, shade, images)
    )


def examples(number: int, **more: Any) -> list[Example]:
    return [example(place, list(COLOURS)[place % 2], **more) for place in range(number)]


def _drawn(shade: Sequence[int], images: int) -> list[Image.Image]:
    return [Image.new("RGB", (28, 28), tuple(shade)) for _ in range(images)]
