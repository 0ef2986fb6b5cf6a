"""From open questions to predictions: what counts as an answer, and strategies of one turn and of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.scoring.test_rank import Answering, Pictures, row
from whatif.errors import WhatifError
from whatif.language import strategies
from whatif.models import Answer, Question
from whatif.scoring import predictions
from whatif.scoring.open_answers import open_predictions

QUESTION = "How many cats would there be if 1 left?"


def open_row(number: int = 1, **more: Any) -> dict[str, Any]:
    fields = {"question": QUESTION, "choices": None, "answer": "3", "answer_kind": "number"}
    return row(number, "counterfactual", **fields | more)


def predicted(answer: Answer, **more: Any) -> dict[str, Any]:
    (found,) = open_predictions([open_row(**more)], Pictures(), "m", Answering([answer]), strategy="direct")
    return found


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("To answer, we look at the picture. I can see 3 cats on the sofa. If one of them", None),
        ("Let's count. There are 3 cats on the sofa. Now,", None),
        ("3", None),
        ("There are 4 cats. Answer: 3", None),
        ("The answer is 3.", None),
        ("Answer: 1\nWait, the answer is 3", "1"),
        ("Answer: 3\nThis is because", "3"),
        ("The answer is 3. This is because 4 cats", "3"),
        ("One of 4 leaves, so \\boxed{3}", "3"),
        ("<answer>3</answer> since 4", "3"),
        ("<think>The answer is 5. Or not.\nAnswer: 6\nSo", None),
        ("<think>Answer: 5\n</think>The answer is 3. It", "3"),
        ("Answer: 2\nAnswer: 3\nAnswer", None),
    ],
)
def test_a_response_that_was_cut_off_counts_only_by_an_answer_that_it_had_finished(
    response: str, answer: str | None
) -> None:
    found = predicted(Answer(response=response, response_tokens=64, cut_off=True))
    assert found["answer"] == answer and found["correct"] == (answer == "3")
    if answer is None:
        assert (found["status"], found["reason"]) in (
            ("none", "cut off at 64 tokens"),
            ("ambiguous", "different answers, each called the answer"),
        )


def test_where_tokens_are_not_counted_the_limit_is_named() -> None:
    assert predicted(Answer(response="There are 3", cut_off=True))["reason"] == "cut off at the limit of tokens"
    assert predicted(Answer(response="There are 3"))["answer"] == "3"


def test_an_option_named_in_words_that_were_cut_off_is_none() -> None:
    cut_off = Answer(response="A cat, so it may be B or", response_tokens=9, cut_off=True)
    (found,) = predictions([row(1, "original")], Pictures(), "m", Answering([cut_off]), form="words", rule="mean")
    assert (found["answer"], found["status"], found["reason"]) == (None, "none", "cut off at 9 tokens")


@pytest.mark.parametrize("response", [None, "", "I see 3 cats."])
def test_a_refusal_keeps_its_reason(response: str | None) -> None:
    found = predicted(Answer(status="none", reason="refused: I will not.", response=response))
    assert (found["status"], found["reason"], found["correct"]) == ("none", "refused: I will not.", False)
    assert found["answer"] is None


def test_a_question_with_options_is_put_with_them_and_answered_by_letter() -> None:
    model = Answering([Answer(response="It is (B).")])
    (found,) = open_predictions([row(1, "original", answer="B")], Pictures(), "m", model, strategy="direct")
    assert "A:16  B:17  C:12  D:13" in model.asked[0].prompt and "one letter" in model.asked[0].prompt
    assert (found["answer"], found["correct"]) == ("B", True)


# Two turns

TOY = """\
max_new_tokens: 200
then: tests.scoring.test_open_answers:with_what_it_saw
number: "Describe what matters for: {question}"
boolean: "{question}"
choice: "{question}"
"""


def with_what_it_saw(question: str, answer_kind: str, response: str) -> str:
    return f"You saw: {response}\n{question}\nAnswer with one {answer_kind}."


class Describing:
    """Describes first, and answers when it is reminded of what it saw; the third question is an error."""

    identity = None

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        self.asked.append([question.prompt for question in questions])
        for question in questions:
            assert question.images() is not None and question.image_ids
            if question.question_id.startswith("p003"):
                yield Answer(status="error", reason="no picture")
            elif question.prompt.startswith("You saw: "):
                yield Answer(response="3", prompt_tokens=20, response_tokens=1, request_key="second")
            else:
                yield Answer(response="4 cats, one at the door", prompt_tokens=10, response_tokens=6)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of strategies with one of two turns."""
    (tmp_path / "toy.yaml").write_text(TOY, encoding="utf-8")
    monkeypatch.setattr(strategies, "FOLDER", tmp_path)
    strategies._read.cache_clear()
    yield tmp_path / "toy.yaml"
    strategies._read.cache_clear()


@pytest.mark.usefixtures("toy")
def test_a_strategy_of_two_turns_asks_again_with_the_first_response() -> None:
    model = Describing()
    rows = list(open_predictions(map(open_row, (1, 2, 3)), Pictures(), "m", model, strategy="toy"))
    described = f"Describe what matters for: {QUESTION}"
    again = f"You saw: 4 cats, one at the door\n{QUESTION}\nAnswer with one number."
    assert model.asked == [[described] * 3, [again] * 2]
    assert [(found["status"], found["answer"]) for found in rows] == [("ok", "3"), ("ok", "3"), ("error", None)]
    assert rows[0]["request_key"] == "second" and rows[2]["reason"] == "no picture"
    assert [found["prompt_tokens"] for found in rows] == [30, 30, None]
    assert rows[0]["response_tokens"] == 7
    assert strategies.max_new_tokens("toy", 64) == 200 and strategies.max_new_tokens("toy", 300) == 300
    assert strategies.code("toy") == ["tests.scoring.test_open_answers:with_what_it_saw"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("max_new_tokens: 200", "max_new_tokens: many", "max_new_tokens is 'many'; it must be a positive integer"),
        ("tests.scoring.test_open_answers:with", "with", "must name a function as `module:function`"),
        ('choice: "{question}"', "", "has prompts for number, boolean; it needs number, boolean, choice"),
        ('boolean: "{question}"', "boolean: x", "its prompt for boolean must contain {question} once"),
    ],
)
def test_a_mistake_in_a_strategy_is_named(toy: Path, old: str, new: str, message: str) -> None:
    toy.write_text(TOY.replace(old, new), encoding="utf-8")
    with pytest.raises(WhatifError, match=f"strategy toy: .*{message}"):
        strategies.prompt("toy", QUESTION, "number")
