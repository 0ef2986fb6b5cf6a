"""Every benchmark's own options in plain sentences: no answer is read that a response does not give.

`python -m tests.scoring.extraction.own_responses` prints the figures of each group of sentences.
"""

from __future__ import annotations

import pytest

from tests.scoring.extraction.own_options import sources
from tests.scoring.extraction.own_responses import Outcome, Response, counts, read
from tests.scoring.extraction.own_sentences import NO_ANSWER
from whatif.benchmarks.discovery import modules
from whatif.scoring.extraction.extracted import Extracted

pytestmark = pytest.mark.slow

FORMS = ("letters", "texts", "images", "numbers", "yes or no", "open", "further forms")
# The least share of responses whose answer is found, by group. What is not found goes to a judge, if there is one.
LEAST = {
    "short": 0.98,
    "layout": 0.98,
    "restated": 0.95,
    "sentence": 0.9,
    "true or false": 0.9,
    "own numbers": 0.9,
    "calculation": 0.9,
    "elimination": 0.8,
    "correction": 0.8,
    "comparison": 0.6,
    "other languages": 0.6,
    "further forms": 0.6,
    "supposition": 0.5,
    NO_ANSWER: 1.0,
}
# Benchmarks whose models match and retrieve, or answer the questions of another benchmark.
ASK_NO_QUESTIONS_OF_THEIR_OWN = {
    "coco-counterfactuals",
    "coco-counterfactuals-released",
    "coco-counterfactuals-training",
    "cvqa-synthetic-released",
}


@pytest.mark.parametrize("form", FORMS)
def test_no_response_is_read_wrongly(form: str) -> None:
    wrong = [
        f"{one.asked.source}, {one.group}: {one.text!r} says {one.answer}, read as {found.answer}"
        for one, found, outcome in _of(form)
        if outcome == "wrong"
    ]
    assert not wrong, "\n".join([f"{len(wrong)} wrong", *wrong])


@pytest.mark.parametrize("form", FORMS)
def test_most_answers_are_found(form: str) -> None:
    few = [
        f"{group}: {found['right']} of {found.total()}"
        for group, found in counts().items()
        if group.startswith(form) and found["right"] < LEAST[group.split(": ")[-1]] * found.total()
    ]
    assert not few


def test_every_benchmark_that_asks_questions_has_some_here() -> None:
    asked = {source.split()[0] for source in sources()} - {"yaml", "released"}
    assert (
        asked
        == {name for name, module in modules().items() if module.startswith("whatif.")} - ASK_NO_QUESTIONS_OF_THEIR_OWN
    )


def _of(form: str) -> list[tuple[Response, Extracted, Outcome]]:
    return [found for found in read() if found[0].group.startswith(form)]
