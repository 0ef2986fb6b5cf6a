"""Ranking four options after a prompt that is encoded once, against one whole forward pass per option."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np

from tests.models.families import picture, prompt
from tests.tiny_checkpoints import random_llava
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import load
from whatif.models.local.answerer import LocalModel
from whatif.models.local.option_scores import shared_prefix_scores, whole_pass_scores

_ROUNDS = 5
_SIDE = 24  # tokens of an image in each direction
SMALL = {"_ROUNDS": 1, "_SIDE": 4}
_OPTIONS = ("7 flowers inside", "16 dots", "12 yellow polygons", "outside the picture")


def measure() -> dict[str, Any]:
    """Seconds per question on one core: a LLaVA of 12 layers, 576 image tokens; median of alternating rounds."""
    with tempfile.TemporaryDirectory() as folder:
        random_llava(Path(folder), image_tokens_side=_SIDE)
        settings = HuggingFaceChat(adapter="hf-chat", checkpoint=folder)
        model = cast("LocalModel", load("hf-chat", settings, 0))
        checkpoint = model.checkpoint
        asked = checkpoint.score.args[0]  # type: ignore[attr-defined]
        inputs = checkpoint.encode([prompt([picture(0)], "How many dots are there in all the circles together?")])
        options = [checkpoint.option_tokens(option) for option in _OPTIONS]
        assert (inputs["input_ids"] == asked.config.image_token_id).sum() == _SIDE**2
        seconds: dict[str, list[float]] = {"shared": [], "whole": []}
        scores = {}
        for _ in range(_ROUNDS):
            for name, ways in (("shared", shared_prefix_scores), ("whole", whole_pass_scores)):
                scores[name] = [score.log_likelihood for score in _timed(seconds[name], ways, asked, inputs, options)]
    np.testing.assert_allclose(scores["shared"], scores["whole"], rtol=1e-4)
    ours, peer = (statistics.median(seconds[name]) for name in ("shared", "whole"))
    return {
        "name": "rank-options",
        "ours": ours,
        "peer": peer,
        "unit": "s",
        "ratio": peer / ours,
        "peer_name": "a whole forward pass for each of the 4 options",
    }


def _timed(seconds: list[float], work: Callable[..., Any], *arguments: Any) -> Any:
    started = time.perf_counter()
    made = work(*arguments)
    seconds.append(time.perf_counter() - started)
    return made
