"""The time left that is shown while a local checkpoint answers questions of very different lengths."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.scoring.test_rank import Pictures
from whatif.benchmarks.shared.evaluation import TransientErrors
from whatif.engine.progress import progress
from whatif.models import Model, OptionScore, shown_progress
from whatif.models.local.answerer import Checkpoint, LocalModel, Prompt
from whatif.models.local.generation import Batches
from whatif.models.local.reasoning_tokens import ReasoningTokens
from whatif.models.responses import stored
from whatif.models.responses.store import ResponseStore
from whatif.scoring.open_answers import open_predictions
from whatif.scoring.rank import predictions

pytestmark = pytest.mark.slow

_LINE = re.compile(r"m: (\d+) of \d+ questions in ([\d:]+), ([\d:]+) left")


class Clock:
    """A clock that a checkpoint advances by what its work takes."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def model_of(clock: Clock, *, batch: int) -> LocalModel:
    """A model that needs 0.01 s for each character of the padded prompts of a batch, and 1 s for each new token."""

    def encode(prompts: Sequence[Prompt]) -> Mapping[str, Any]:
        lengths = [sum(len(message.text) for message in prompt.messages) for prompt in prompts]
        return {
            name: torch.ones(len(prompts), max(lengths), dtype=torch.int) for name in ("input_ids", "attention_mask")
        }

    def generate(inputs: Mapping[str, Any], limit: int, noise: Any = None) -> list[list[int]]:
        clock.now += 0.01 * inputs["input_ids"].numel() + limit
        return [[1] for _ in inputs["input_ids"]]

    def score(inputs: Mapping[str, Any], options: Sequence[list[int]]) -> tuple[OptionScore, ...]:
        clock.now += 0.01 * inputs["input_ids"].numel()
        return tuple(OptionScore(-1.0 - place, 1) for place in range(len(options)))

    reasoning = ReasoningTokens(lambda tokens: "3")
    checkpoint = Checkpoint(encode, lambda option: [1], score, generate, reasoning, frozenset([1]), max_new_tokens=8)
    return LocalModel(checkpoint, lambda: {"checkpoint": "m"}, Batches(batch))


def rows(lengths: Sequence[int]) -> list[dict[str, Any]]:
    blank = {"group": "g", "variant": "original", "image_ids": [], "provenance": "{}", "previous_version": None}
    return [
        {
            **blank,
            "question_id": f"question-{place:04d}",
            "pair_id": f"pair-{place}",
            "question": f"{place} " + "word " * number,
            "choices": ["yes", "no"],
            "answer": "A",
            "answer_kind": "choice",
        }
        for place, number in enumerate(lengths)
    ]


def ask_openly(some: Sequence[dict[str, Any]], model: Model) -> Iterator[dict[str, Any]]:
    return open_predictions(some, Pictures(), "m", model, strategy="plain")


def rank(some: Sequence[dict[str, Any]], model: Model) -> Iterator[dict[str, Any]]:
    return predictions(some, Pictures(), "m", model, form="rank-text", strategy="plain")


def seconds(shown: str) -> int:
    return sum(int(part) * 60**place for place, part in enumerate(reversed(shown.split(":"))))


_UNEQUAL = [round(10 * 200 ** random.Random(seed).random()) for seed in range(120)]  # words: 10 to 2,000
_STORED = 20  # questions that are not asked again


@pytest.mark.parametrize("ask", [ask_openly, rank])
@pytest.mark.parametrize("lengths", [_UNEQUAL, sorted(_UNEQUAL)])
def test_the_time_left_is_right_within_a_factor_of_two(
    ask: Callable[..., Iterator[dict[str, Any]]],
    lengths: Sequence[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = Clock()
    monkeypatch.setattr(shown_progress, "progress", partial(progress, clock=clock))
    monkeypatch.setattr(stored, "time", SimpleNamespace(monotonic=clock))  # by which answers are stored together
    asked = rows(lengths)
    with ResponseStore(tmp_path / "responses.sqlite") as store:
        model = TransientErrors(stored.stored(model_of(clock, batch=8), store))
        list(ask(asked[:_STORED], model))
        capsys.readouterr()
        began = clock.now
        list(ask(asked, model))
    took = clock.now - began
    lines = [_LINE.fullmatch(line) for line in capsys.readouterr().err.splitlines()]
    shown = [(seconds(line[2]), seconds(line[3])) for line in lines if line]
    halfway = [(passed, left) for passed, left in shown if 0.2 * took < passed < 0.8 * took]
    assert halfway
    assert all(0.5 < left / (took - passed) < 2 for passed, left in halfway), (took, halfway)
