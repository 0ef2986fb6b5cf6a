"""Requests and settings that the tests of generators share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from whatif.engine.params.generators import DiffusersGenerator
from whatif.models.text_to_image import ImageRequest

_WORDS = ("how", "many", "dots", "flowers", "yellow", "red", "circle", "picture")


def requests(number: int, prompts: int = 1) -> list[ImageRequest]:
    texts = [tuple(f"{_WORDS[place % 8]} {place} {side}" for side in range(prompts)) for place in range(number)]
    return [ImageRequest(f"pair-{place // 4}", place % 4, text, 100 + place) for place, text in enumerate(texts)]


def settings_of(folder: Path, **changes: Any) -> DiffusersGenerator:
    return DiffusersGenerator.model_validate({"adapter": "diffusers", "checkpoint": str(folder), "steps": 2} | changes)
