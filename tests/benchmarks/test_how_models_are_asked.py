"""How each model is put the puzzles: what an endpoint is sent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.benchmarks.puzzle_project import BEFORE_MODELS, Project, project
from tests.benchmarks.test_evaluation import Endpoint, loopback
from whatif.schemas import PREDICTIONS, QUESTIONS
from whatif.text.options import printed_question

__all__ = ["loopback", "project"]  # fixtures


@pytest.fixture
def endpoint(project: Project) -> Iterator[Endpoint]:
    with Endpoint() as started:
        model = {"adapter": "api", "model": "m", "base_url": started.base_url, "retries": 0, "concurrency": 1}
        project.values["models"] = {"m": model}
        yield started


def sent(endpoint: Endpoint) -> list[str]:
    """The words of every request, in order."""
    return [body["messages"][-1]["content"][-1]["text"] for _, body, _ in endpoint.log]


def test_an_endpoint_is_sent_each_puzzle_with_its_options_and_the_form_of_the_answer(
    project: Project, endpoint: Endpoint
) -> None:
    project.make(*BEFORE_MODELS, "evaluate")
    questions = project.rows("verify", "questions", QUESTIONS)
    assert sorted(sent(endpoint)) == sorted(
        f"{printed_question(row['question'], row['choices'])}\nAnswer with one letter." for row in questions
    )
    assert all("Select the correct answer:A:" in words for words in sent(endpoint))
    assert len(project.rows("evaluate", "predictions", PREDICTIONS)) == len(questions)
