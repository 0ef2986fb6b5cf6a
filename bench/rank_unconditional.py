"""Ranking four options with their unconditional likelihoods, against ranking alone."""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.models.families import picture
from tests.tiny_checkpoints import random_llava
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import Model, load
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import StoredModel
from whatif.scoring.rank import predictions

_ROUNDS = 5
_SIDE = 24  # tokens of an image in each direction
SMALL = {"_ROUNDS": 1, "_SIDE": 4, "_LIMIT": 100}
_LIMIT = 1.3  # times as long as ranking alone
_THINGS = ("dots", "flowers", "yellow polygons", "red circles")


class _Pictures:
    """An image of noise for every id, which is a number."""

    def get(self, image_id: str) -> Any:
        return picture(int(image_id))

    def encoded(self, image_id: str) -> bytes:
        raise NotImplementedError


class _Alone:
    """The same model without unconditional likelihoods."""

    def __init__(self, model: Model) -> None:
        self.identity, self.answer = model.identity, model.answer


def measure() -> dict[str, Any]:
    """Seconds of the processor per question on one core: a LLaVA of 12 layers, 576 image tokens; the least of rounds.

    Every question has its own image, its own words and four options of several tokens that no other question has, so
    nothing is asked only once for several questions. Evaluations are timed as they are run, with an empty store.
    """
    questions = [_question(number) for number in range(len(_THINGS))]
    seconds: dict[str, list[float]] = {"both": [], "alone": []}
    found: dict[str, list[Mapping[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        random_llava(Path(folder), image_tokens_side=_SIDE)
        model = load("hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint=folder), 0)
        _evaluated(_Alone(model), questions[:1], Path(folder) / "first.sqlite")
        for number in range(_ROUNDS):
            for name, asked in (("both", model), ("alone", _Alone(model))):
                store = Path(folder) / f"{name}-{number}.sqlite"
                started = time.process_time()
                found[name] = _evaluated(asked, questions, store)
                seconds[name].append((time.process_time() - started) / len(questions))
    for both, alone in zip(found["both"], found["alone"], strict=True):
        assert both["prompt_tokens"] > _SIDE**2
        assert [score["mean"] for score in both["choice_scores"]] == [score["mean"] for score in alone["choice_scores"]]
        assert all(np.isfinite([score["without_image"] + score["without_prompt"] for score in both["choice_scores"]]))
    ours, peer = (min(seconds[name]) for name in ("both", "alone"))
    assert ours < _LIMIT * peer, f"{ours / peer:.2f} times as long as ranking alone, at most {_LIMIT}"
    return {
        "name": "rank-unconditional",
        "ours": ours,
        "peer": peer,
        "unit": "s",
        "ratio": peer / ours,
        "peer_name": "the same evaluation without unconditional likelihoods",
    }


def _question(number: int) -> dict[str, Any]:
    thing = _THINGS[number]
    return {
        "question_id": f"q{number}",
        "group": "dots",
        "variant": "original",
        "question": f"How many {thing} are there in all the circles together?",
        "choices": [f"7 {thing} inside", f"16 {thing}", f"12 {thing} in all", f"outside the {thing}"],
        "answer": "A",
        "answer_kind": "choice",
        "image_ids": [str(number)],
    }


def _evaluated(model: Any, questions: Sequence[Mapping[str, Any]], path: Path) -> list[Mapping[str, Any]]:
    with ResponseStore(path) as store, contextlib.redirect_stderr(io.StringIO()):
        stored = StoredModel(model, model.identity, store)
        return list(predictions(questions, _Pictures(), "m", stored, form="rank-text"))
