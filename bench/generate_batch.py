"""32 short answers to questions about 8 images in batches, against the same questions one at a time."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.models.families import picture, question
from tests.tiny_checkpoints import random_llava
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import Answer, Question, load

_ROUNDS = 3
_SIDE = 24  # tokens of an image in each direction
SMALL = {"_ROUNDS": 1, "_SIDE": 4, "_PICTURES": 2}
_PICTURES = 8
_BATCH = 16
_NEW_TOKENS = 8
_QUESTIONS = (
    "how many {} are there in all the circles",
    "how many {} would there be in all the circles without the 7 inside",
    "how many {} are outside",
    "what colour would the {} be if all of the circles were red",
)


def measure() -> dict[str, Any]:
    """Seconds for 32 answers of 8 tokens on one core: a LLaVA of 12 layers, 576 image tokens; median of rounds.

    Four questions per image are typical of benchmarks: CFMM asks five, our scenes six to twelve. The image is encoded
    once, which is most of the work, and the steps that generate the answers are faster in a batch. Two questions per
    image, as in C-VQA, were 1.9 times faster; with a different image for each question only the generation gains: 1.2
    times.
    """
    questions = asked()
    with tempfile.TemporaryDirectory() as folder:
        random_llava(Path(folder), image_tokens_side=_SIDE)
        seconds: dict[int, list[float]] = {_BATCH: [], 1: []}
        answers = {}
        models = {size: loaded(folder, size) for size in seconds}
        for _ in range(_ROUNDS):
            for size, model in models.items():
                answers[size] = _timed(seconds[size], model, questions)
    assert answers[_BATCH] == answers[1]
    assert {answer.status for answer in answers[1]} == {"ok"}
    assert all((answer.prompt_tokens or 0) > _SIDE**2 for answer in answers[1])
    ours, peer = (statistics.median(seconds[size]) for size in (_BATCH, 1))
    return {
        "name": "generate-batch",
        "ours": ours,
        "peer": peer,
        "unit": "s",
        "ratio": peer / ours,
        "peer_name": "the same 32 questions, four a picture, one at a time",
    }


def asked() -> list[Question]:
    """Four questions about each image, of different lengths."""
    things = ("dots", "flowers", "polygons", "big red circles")
    return [
        question([picture(number)], words.format(things[number % len(things)]))
        for number in range(_PICTURES)
        for words in _QUESTIONS
    ]


def loaded(checkpoint: str, batch_size: int) -> Any:
    """The checkpoint as the adapter `hf-chat` loads it."""
    settings = HuggingFaceChat(
        adapter="hf-chat", checkpoint=checkpoint, max_new_tokens=_NEW_TOKENS, batch_size=batch_size
    )
    return load("hf-chat", settings, 0)


def _timed(seconds: list[float], model: Any, questions: Sequence[Question]) -> list[Answer]:
    started = time.perf_counter()
    made = list(model.answer(questions))
    seconds.append(time.perf_counter() - started)
    return made
