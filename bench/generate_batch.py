"""32 short answers to open questions in batches, beside the same questions one at a time."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.models.families import picture, question
from tests.tiny_checkpoints import random_llava
from whatif.models import Answer, Question, load
from whatif.params_models import HuggingFaceChat

_ROUNDS = 3
_QUESTIONS = 32
_BATCH = 16


def measure() -> dict[str, Any]:
    """Seconds for 32 answers of 8 tokens on one core: a LLaVA of 12 layers, 16 image tokens; median of rounds in turn.

    Few image tokens on purpose: reading a long prompt keeps one core busy whatever the batch, and only the steps that
    write the answer gain from company.
    """
    words = ["how", "many", "dots", "are", "there", "in", "all", "the", "circles", "together"]
    questions = [question([picture(n)], " ".join(words[: 3 + n % 8])) for n in range(_QUESTIONS)]
    with tempfile.TemporaryDirectory() as folder:
        random_llava(Path(folder), image_tokens_side=4)
        seconds: dict[int, list[float]] = {_BATCH: [], 1: []}
        answers = {}
        models = {
            size: load(
                "hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint=folder, max_new_tokens=8, batch_size=size), 0
            )
            for size in seconds
        }
        for _ in range(_ROUNDS):
            for size, model in models.items():
                answers[size] = _timed(seconds[size], model, questions)
    assert [answer.response for answer in answers[_BATCH]] == [answer.response for answer in answers[1]]
    ours, peer = (statistics.median(seconds[size]) for size in (_BATCH, 1))
    return {
        "name": "generate-batch",
        "ours": ours,
        "peer": peer,
        "unit": "s",
        "ratio": peer / ours,
        "peer_name": "the same 32 questions one at a time",
    }


def _timed(seconds: list[float], model: Any, questions: Sequence[Question]) -> list[Answer]:
    started = time.perf_counter()
    made = list(model.answer(questions))
    seconds.append(time.perf_counter() - started)
    return made
