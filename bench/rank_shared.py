"""Ranking five questions about each image, with what they share computed once, against computing it each time."""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

from tests.models.families import picture
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import load
from whatif.models.local.answerer import LocalModel
from whatif.models.local.option_scores import option_scores
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import StoredModel
from whatif.scoring.rank import predictions

_ROUNDS = 3
SMALL = {"_ROUNDS": 1, "_IMAGES": 2, "_LEAST": 0}
_IMAGES = 12
_SIDE = 224  # pixels, as the images of CFMM in drawn scenes
_THINGS = ("hearts", "balls", "mushrooms", "stars", "keys")
_LEAST = 1.2  # times as long without memory


class _Pictures:
    """An image of noise for every id, which is a number."""

    get = staticmethod(cache(lambda image_id: picture(int(image_id), _SIDE, _SIDE)))

    def encoded(self, image_id: str) -> bytes:
        raise NotImplementedError


def measure() -> dict[str, Any]:
    """Seconds of the processor per question on one core, with the embedded LLaVA; the least of rounds.

    Questions are asked as in an evaluation, with unconditional likelihoods and an empty store. Both sides give the same
    rows, to the last bit.
    """
    model = cast(
        "LocalModel", load("hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint="embedded:llava-scenes"), 0)
    )
    library_model = model.checkpoint.score.args[0]  # type: ignore[attr-defined]
    plain = replace(model, checkpoint=replace(model.checkpoint, score=partial(option_scores, library_model)))
    questions = [_question(image, place) for image in range(_IMAGES) for place in range(len(_THINGS))]
    seconds: dict[str, list[float]] = {"shared": [], "plain": []}
    found: dict[str, list[Mapping[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(_ROUNDS):
            for name, asked in (("shared", model), ("plain", plain)):
                started = time.process_time()
                found[name] = _evaluated(asked, questions, Path(folder) / f"{name}-{number}.sqlite")
                seconds[name].append((time.process_time() - started) / len(questions))
    assert found["shared"] == found["plain"]
    assert all(row["status"] == "ok" for row in found["plain"])
    ours, peer = (min(seconds[name]) for name in ("shared", "plain"))
    assert peer > _LEAST * ours, f"{peer / ours:.2f} times as long without memory, at least {_LEAST}"
    return {
        "name": "rank-shared",
        "ours": ours,
        "peer": peer,
        "unit": "s",
        "ratio": peer / ours,
        "peer_name": "images and prompts without images are encoded for each question",
    }


def _question(image: int, place: int) -> dict[str, Any]:
    return {
        "question_id": f"q{image:02}-{place}",
        "group": "counts",
        "variant": "basic",
        "question": f"How many {_THINGS[place]} are there?",
        "choices": [str(1 + (image + place) % 9), "10"],
        "answer": "A",
        "answer_kind": "choice",
        "image_ids": [str(image)],
    }


def _evaluated(model: LocalModel, questions: Sequence[Mapping[str, Any]], path: Path) -> list[Mapping[str, Any]]:
    with ResponseStore(path) as store, contextlib.redirect_stderr(io.StringIO()):
        stored = StoredModel(model, model.identity, store)
        return list(predictions(questions, _Pictures(), "m", stored, form="rank-text"))
