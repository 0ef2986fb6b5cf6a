"""The majority of several samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.scoring.test_open_answers import Describing, open_row, toy
from tests.scoring.test_rank import Answering, Pictures, row
from whatif.models import Answer
from whatif.scoring.open_answers import open_predictions
from whatif.scoring.rank import predictions

__all__ = ["toy"]  # a fixture


def asked(answers: Sequence[Answer], **more: Any) -> tuple[dict[str, Any], Answering]:
    model = Answering(answers)
    found = open_predictions([open_row(**more)], Pictures(), "m", model, strategy="direct", samples=len(answers))
    return next(iter(found)), model


def said(*responses: str | None) -> list[Answer]:
    """An answer for each response; `None` is an empty one."""
    return [
        Answer(response="", status="none", reason="empty", request_key=f"k{number}")
        if response is None
        else Answer(response=response, request_key=f"k{number}", prompt_tokens=10, response_tokens=number)
        for number, response in enumerate(responses)
    ]


@pytest.mark.parametrize(
    ("responses", "answer", "status", "response", "reason"),
    [
        (("4", "three", "It is 3."), "3", "ok", "three", None),
        (("4", "I see cats.", "3", "3.0", "4", "3"), "3", "ok", "3", None),
        (("I see cats.", "I see cats.", "3"), None, "none", "I see cats.", "2 of 3 samples have no answer"),
        (("I see cats.", "3"), "3", "ok", "3", None),
        (("3", "4"), None, "ambiguous", "3", "2 answers have 1 of 2 samples each"),
        (("3", "4", "5", "4", "3"), None, "ambiguous", "3", "2 answers have 2 of 5 samples each"),
        (("3 or 4", "3 or 4", "3"), None, "none", "3 or 4", "2 of 3 samples have no answer"),
        ((None, None, "3"), None, "none", "", "2 of 3 samples have no answer"),
        ((None, "3", "3"), "3", "ok", "3", None),
    ],
)
def test_the_most_frequent_answer_counts(
    responses: Sequence[str | None], answer: str | None, status: str, response: str, reason: str | None
) -> None:
    found, model = asked(said(*responses))
    assert (found["answer"], found["status"], found["reason"]) == (answer, status, reason)
    assert found["correct"] == (answer == "3")
    assert found["response"] == response
    assert found["request_key"] == f"k{responses.index(response or None)}"
    assert [one["response"] for one in found["samples"]] == [one or "" for one in responses]
    assert [one["request_key"] for one in found["samples"]] == [f"k{n}" for n in range(len(responses))]
    assert [question.sample for question in model.asked] == list(range(len(responses)))


def test_each_sample_keeps_its_own_answer_and_all_tokens_are_counted() -> None:
    found, _ = asked(said("4", "3", "I see cats.", "3", "3 or 4"))
    assert [(one["answer"], one["status"]) for one in found["samples"]] == [
        ("4", "ok"),
        ("3", "ok"),
        (None, "none"),
        ("3", "ok"),
        (None, "ambiguous"),
    ]
    assert (found["prompt_tokens"], found["response_tokens"]) == (50, 10)


def test_one_error_makes_the_question_an_error() -> None:
    failed = Answer(status="error", reason="status 500", transient=True)
    found, _ = asked([*said("3", "3"), failed])
    assert (found["status"], found["reason"], found["correct"]) == ("error", "sample 3 of 3: status 500", False)
    assert [one["status"] for one in found["samples"]] == ["ok", "ok", "error"]


def test_a_single_response_has_no_samples() -> None:
    found, model = asked(said("3"))
    assert found["samples"] is None and found["correct"]
    assert [question.sample for question in model.asked] == [0]


def test_letters_vote_too_and_ranking_is_done_once() -> None:
    options = row(1, "original", answer="B")
    model = Answering([Answer(response=text) for text in ("A", "(b)", "Answer: B")])
    (found,) = predictions([options], Pictures(), "m", model, form="words", samples=3)
    assert (found["answer"], found["correct"], found["response"]) == ("B", True, "(b)")
    assert len(found["samples"]) == 3
    model = Answering([Answer("B")])
    (found,) = predictions([options], Pictures(), "m", model, form="rank-letter", samples=3)
    assert found["correct"] and found["samples"] is None and len(model.asked) == 1


def test_the_words_of_a_form_replace_those_of_direct_only_when_it_is_answered_in_words() -> None:
    prompts = {}
    for form in ("words", "rank-letter", "rank-text", "open"):
        model = Answering([Answer("B")])
        list(predictions([row(1, "original")], Pictures(), "m", model, form=form, prompt_form="llava-1-5"))
        prompts[form] = model.asked[0].prompt
    assert prompts["words"].endswith("\nAnswer with the option's letter from the given choices directly.")
    assert all("Answer with" not in prompts[form] for form in ("rank-letter", "rank-text", "open"))


@pytest.mark.usefixtures("toy")
def test_a_conversation_of_two_turns_is_held_for_each_sample() -> None:
    model = Describing()
    rows = [open_row(1), open_row(2)]
    found = list(open_predictions(rows, Pictures(), "m", model, strategy="toy", samples=2))
    assert [[question.sample for question in turn] for turn in model.asked] == [[0, 1, 0, 1]] * 2
    assert [row["correct"] for row in found] == [True, True]
    assert found[0]["prompt_tokens"] == 2 * (10 + 20)
    assert len(found[0]["earlier_turns"]) == 1 and len(found[0]["samples"]) == 2
