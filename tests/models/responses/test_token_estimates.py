"""Estimates of the tokens that an endpoint will count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pictures import png
from whatif.engine.language.messages import one_turn
from whatif.engine.params.endpoints import ApiModel
from whatif.models import Question
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.token_estimates import Estimate, Unasked, picture_tokens, prompt_tokens


@pytest.mark.parametrize(
    ("size", "tokens"),
    [
        ((448, 448), 255),
        ((512, 512), 255),
        ((513, 512), 425),
        ((1024, 1024), 765),  # an example of the published rule: 768 x 768, four tiles
        ((2048, 4096), 1105),  # the other one: 768 x 1536, six tiles
        ((640, 480), 425),
        ((1, 10_000), 765),
    ],
)
def test_a_picture_is_counted_in_tiles(size: tuple[int, int], tokens: int) -> None:
    assert picture_tokens(*size) == tokens
    assert picture_tokens(*reversed(size)) == tokens


def test_a_question_is_its_words_and_its_pictures() -> None:
    pictures = [png((0, 0, 0)), png((9, 9, 9), side=600)]
    question = Question("q", "g", "original", one_turn("x" * 40), encoded_images=lambda: pictures)
    assert prompt_tokens(question) == 10 + 255 + 765


def test_a_question_that_cannot_be_read_is_not_sent() -> None:
    assert (
        prompt_tokens(Question("q", "g", "original", one_turn("x" * 40), encoded_images=lambda: [b"no picture"])) == 0
    )


@pytest.mark.parametrize(
    ("multiple_choice", "requests", "responses"), [("rank-text", 5, 5), ("rank-letter", 1, 1), ("words", 1, 64)]
)
def test_all_requests_for_a_ranking_are_counted(
    multiple_choice: str, requests: int, responses: int, tmp_path: Path
) -> None:
    asked = Question("q", "g", "original", one_turn("x" * 40), options=("A", "B", "C", "D"))
    estimate = estimated(asked, tmp_path, multiple_choice=multiple_choice)
    assert (estimate.asked, estimate.prompt_tokens, estimate.response_tokens) == (1, 10 * requests, responses)


@pytest.mark.parametrize(("limit", "responses"), [(None, 64), (8, 64), (512, 512)])
def test_a_strategy_may_allow_longer_responses(limit: int | None, responses: int, tmp_path: Path) -> None:
    asked = Question("q", "g", "original", one_turn("x" * 40), max_new_tokens=limit)
    assert estimated(asked, tmp_path).response_tokens == responses


def test_images_that_a_model_does_not_take_cost_nothing(tmp_path: Path) -> None:
    asked = Question("q", "g", "original", one_turn("x" * 40), encoded_images=lambda: [png((0, 0, 0))])
    found = {takes: estimated(asked, tmp_path, takes_images=takes).prompt_tokens for takes in (True, False)}
    assert found == {True: 10 + 255, False: 10}


def estimated(question: Question, folder: Path, **changes: Any) -> Estimate:
    """What it costs to ask a question of which nothing is known."""
    entry = {"adapter": "api", "model": "m", "base_url": "http://host/v1", "prompt_log_probabilities": "vllm"}
    model = ApiAnswers(ApiModel.model_validate({**entry, **changes}), 0)
    with ResponseStore(folder / "r.sqlite") as store:
        unasked = Unasked(model, store)
        list(unasked.answer([question]))
        return unasked.estimate()
