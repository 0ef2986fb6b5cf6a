"""A served model that is asked 16 questions at once, against the same server asked one question at a time."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.models.endpoint.server import question
from tests.tiny_checkpoints import tiny_llava, tiny_text_model
from whatif.engine.language.messages import one_turn
from whatif.engine.params.endpoints import ApiModel, ServedModel
from whatif.models import Question
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.endpoint.server import start

_ROUNDS = 3
SMALL = {"_ROUNDS": 1, "_QUESTIONS": 4, "_NEW_TOKENS": 4, "_AT_ONCE": 2}
_QUESTIONS = 48
_NEW_TOKENS = 64
_AT_ONCE = 16
# The default would allocate a large share of the memory; these blocks are enough for 16 short requests.
_BATCHING = "--continuous-batching --cb-num-blocks 64 --cb-max-batch-tokens 512"


def measure() -> dict[str, Any]:
    """Seconds for 48 answers of 64 tokens from `transformers serve` on the CPU, median of rounds; a tiny Llama.

    The engine limits the gain. Without `--continuous-batching`, all requests wait for one thread that calls `generate`,
    and 16 at once take as long as one at a time: the ratio is 1.0 to 1.1. With it, 16 requests share each step, but
    transformers 5 does this for language models only (`GenerationState.use_continuous_batching`). A vision-language
    model falls back to the one thread; `ratio_with_images` is its ratio, of a tiny LLaVA with one image per question.
    """
    words = [
        Question(f"question-{number}", "group", "original", one_turn(f"how many dots are there in circle {number}"))
        for number in range(_QUESTIONS)
    ]
    about_images = [question(number) for number in range(_QUESTIONS)]
    with tempfile.TemporaryDirectory() as folder:
        ours, peer = _seconds(tiny_text_model(Path(folder) / "text"), words)
        with_images = _seconds(tiny_llava(Path(folder) / "images"), about_images)
    return {
        "name": "served",
        "ours": ours,
        "peer": peer,
        "unit": "s",
        "ratio": peer / ours,
        "ratio_with_images": with_images[1] / with_images[0],
        "peer_name": "the same server, one request at a time",
    }


def _seconds(checkpoint: Path, questions: Sequence[Question]) -> tuple[float, float]:
    """Seconds for all answers, 16 at once and one at a time; the first answer, for which memory is set up, is free."""
    program = Path(sys.executable).with_name("transformers")
    command = f"{program} serve {{checkpoint}} --device cpu {_BATCHING}"
    settings = ServedModel(adapter="served", command=command, checkpoint=str(checkpoint))
    seconds: dict[int, list[float]] = {_AT_ONCE: [], 1: []}
    with start(settings, str(checkpoint), "transformers", str(checkpoint)) as server:
        models = {many: _asked_at(server.base_url, str(checkpoint), many) for many in seconds}
        list(models[1].answer(questions[:1]))
        for _ in range(_ROUNDS):
            answers = {}
            for many, model in models.items():
                began = time.perf_counter()
                answers[many] = list(model.answer(questions))
                seconds[many].append(time.perf_counter() - began)
            assert answers[1] == answers[_AT_ONCE]
            assert {answer.status for answer in answers[1]} == {"ok"}
    return statistics.median(seconds[_AT_ONCE]), statistics.median(seconds[1])


def _asked_at(base_url: str, name: str, many: int) -> ApiAnswers:
    settings = ApiModel(
        adapter="api", model=name, base_url=base_url, concurrency=many, max_new_tokens=_NEW_TOKENS, retries=0
    )
    return ApiAnswers(settings, 0)
