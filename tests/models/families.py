"""Shared by the tests of checkpoints: the families, images, and questions about them."""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image

from tests import tiny_checkpoints
from whatif.engine.language.messages import one_turn
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceBlip, HuggingFaceChat
from whatif.models import OptionScore, Question, load
from whatif.models.local.answerer import LocalModel, Prompt

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
FAMILIES: dict[str, Build] = {**CHAT, **BLIP, "blind": tiny_checkpoints.tiny_text_model}
_SETTINGS: dict[str, Any] = {"hf-chat": HuggingFaceChat, "hf-blip": HuggingFaceBlip, "blind": BlindTextModel}
_MADE = tempfile.TemporaryDirectory(prefix="tiny-checkpoints-")
# One token, two, six and five: different lengths, so that padding matters.
OPTIONS = ("A", "16 dots", "zebra", "7 flowers inside the picture")


def quick(*quick: str, of: Iterable[str] = CHAT) -> list[Any]:
    """Families as parameters of a test: these in every run of the tests, the others in the soak."""
    return [family if family in quick else pytest.param(family, marks=pytest.mark.soak) for family in of]


@functools.cache
def checkpoint(family: str) -> Path:
    """The checkpoint of a family, made once in a process: a test that edits one makes or copies its own."""
    return FAMILIES[family](Path(_MADE.name) / family)


def loaded(family: str, folder: Path | None = None, **more: Any) -> LocalModel:
    """A model of a family, with its own network, from the shared checkpoint or another one."""
    adapter = "hf-chat" if family in CHAT else "hf-blip" if family in BLIP else "blind"
    settings = _SETTINGS[adapter](adapter=adapter, checkpoint=str(folder or checkpoint(family)), **more)
    return cast("LocalModel", load(adapter, settings, 0))


def network(model: LocalModel) -> Any:
    """The library's model inside a model."""
    return cast("Any", model.checkpoint.score).args[0]


def processor_of(model: LocalModel) -> Any:
    reader = cast("Any", model.checkpoint.encode).args[0]
    return getattr(reader, "processor", reader)


def llava_ending(folder: Path, ends: Sequence[int], **more: Any) -> Path:
    """A copy of the LLaVA in `folder` whose responses end at these tokens; `more` are its recommended settings."""
    shutil.copytree(checkpoint("llava"), folder, dirs_exist_ok=True)
    settings = folder / "generation_config.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "eos_token_id": list(ends), **more}))
    return folder


def sums(scores: Iterable[OptionScore] | None) -> list[float]:
    """The known log-likelihoods of ranked options."""
    assert scores is not None
    return [score.log_likelihood for score in scores if score.log_likelihood is not None]


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


def questions_sharing_images(pictures: int = 1) -> list[Question]:
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
