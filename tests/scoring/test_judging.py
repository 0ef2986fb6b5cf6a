"""A judge of responses: which ones it is asked about, and what counts of its replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.scoring.test_open_answers import open_row
from tests.scoring.test_rank import Answering, Pictures
from tests.tiny_checkpoints import tiny_text_model
from whatif import models
from whatif.engine.language import judges
from whatif.engine.params.checkpoints import BlindTextModel
from whatif.models import Answer, Model, Question
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored
from whatif.scoring.judging import FINDS_NONE, NOT_IN_RESPONSE, OUTSIDE, is_judged, judged, with_judge
from whatif.scoring.occurrence import occurs
from whatif.scoring.open_answers import open_predictions

NO_ANSWER, SEVERAL, CLEAR = "I cannot say which.", "3 or perhaps 4", "Answer: 3"


class Saying:
    """Replies with the given texts, one after the other, and records what it is asked."""

    identity: Mapping[str, Any] | None = None

    def __init__(self, *replies: str | Answer) -> None:
        self._replies = [Answer(response=one) if isinstance(one, str) else one for one in replies]
        self.asked: list[Question] = []

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        self.asked += questions
        return iter(self._replies[: len(questions)])


def predictions(*responses: str | Answer, **more: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Questions whose answer is 3, and the predictions of a model with these responses."""
    questions = [open_row(number, **more) for number in range(len(responses))]
    answers = [Answer(response=one, finish="stop") if isinstance(one, str) else one for one in responses]
    found = open_predictions(questions, Pictures(), "m", Answering(answers), strategy="direct")
    return questions, list(found)


def test_only_responses_without_a_single_answer_are_judged() -> None:
    cases: list[tuple[str | Answer, str, bool]] = [
        (NO_ANSWER, "none", True),
        (SEVERAL, "ambiguous", True),
        (CLEAR, "ok", False),
        (Answer(status="error", reason="status 500"), "error", False),
        (Answer(response="I count the cats on", cut_off=True, finish="length", response_tokens=64), "none", False),
        (Answer(response="I count the cats on", cut_off=True), "none", False),
        (Answer(response="Answer: 2\nAnswer: 3\nSo", cut_off=True, finish="MAX_TOKENS"), "ambiguous", False),
        (" \n", "none", False),
    ]
    _, found = predictions(*(response for response, _, _ in cases))
    assert [(row["status"], is_judged(row, "number")) for row in found] == [
        (status, asked) for _, status, asked in cases
    ]


def test_sentences_given_as_open_text_are_judged() -> None:
    asked = {
        "red": False,  # right
        "green": False,  # a word is read as it is
        "a dark green": False,
        "The bus is red.": False,  # right, too
        "It is a red bus, parked under a tree.": True,
        "peanut butter and jelly": True,  # may be a sentence
    }
    text = {"question": "What colour is the bus?", "answer": "red", "answer_kind": "text"}
    questions, found = predictions(*asked, **text)
    assert [is_judged(row, "text") for row in found] == list(asked.values())
    replies = ["Answer: red", "Answer: none"]
    assert [
        (row["by_rules"], row["answer"], row["correct"])
        for row in judged(questions, found, "j", Saying(*replies), prompt="answer")
    ] == [("ok", "red", True), ("ok", None, False)]
    (row,) = predictions("The bus is red.", **{**text, "answer": "the bus is red"})[1]
    assert row["correct"] and not is_judged(row, "text")


def test_the_majority_of_several_samples_is_not_judged() -> None:
    questions = [open_row()]
    answers = [Answer(response=one, finish="stop") for one in ("Answer: 3", "Answer: 4")]
    (row,) = open_predictions(questions, Pictures(), "m", Answering(answers), strategy="direct", samples=2)
    assert row["status"] == "ambiguous" and row["response"]
    assert not is_judged(row, "number")


def test_the_judge_reads_question_and_response_and_no_image() -> None:
    questions, found = predictions(CLEAR, SEVERAL)
    judge = Saying("Answer: 3")
    (row,) = judged(questions, found, "j", judge, prompt="answer")
    (asked,) = judge.asked
    assert asked.image_ids == () and asked.images() == () and asked.max_new_tokens == 16
    assert questions[1]["question"] in asked.prompt and SEVERAL in asked.prompt
    assert {name: row[name] for name in ("question_id", "model", "strategy", "judge", "prompt", "by_rules")} == {
        "question_id": questions[1]["question_id"],
        "model": "m",
        "strategy": "direct",
        "judge": "j",
        "prompt": "answer",
        "by_rules": "ambiguous",
    }
    assert (row["status"], row["answer"], row["correct"], row["reason"]) == ("ok", "3", True, None)


@pytest.mark.parametrize(
    ("reply", "status", "answer", "correct", "reason"),
    [
        ("Answer: 3", "ok", "3", True, None),
        ("Answer: 3.0", "ok", "3.0", True, None),
        ("Answer: 4", "ok", "4", False, None),
        ("Answer: none", "none", None, False, FINDS_NONE),
        ("The answer is 3.", "none", None, False, OUTSIDE),
        ("Answer: three", "none", None, False, OUTSIDE),
        (Answer(response="Answer: 3", cut_off=True), "none", None, False, OUTSIDE),
        (Answer(status="error", reason="status 500"), "error", None, False, "status 500"),
        (Answer(letter="A"), "error", None, False, "the judge gave no reply"),
    ],
)
def test_a_reply_outside_its_format_is_no_answer(
    reply: str | Answer, status: str, answer: str | None, correct: bool, reason: str | None
) -> None:
    questions, found = predictions(SEVERAL)
    (row,) = judged(questions, found, "j", Saying(reply), prompt="answer")
    assert (row["status"], row["answer"], row["correct"], row["reason"]) == (status, answer, correct, reason)
    assert row["by_rules"] == "ambiguous"


def test_what_the_judge_does_not_decide_stays_as_the_rules_left_it() -> None:
    questions, found = predictions(SEVERAL, SEVERAL, CLEAR, NO_ANSWER, SEVERAL)
    before = [dict(row) for row in found]
    replies = ["Answer: 3", "Answer: 4", "Answer: none", "well, 3"]
    rows = list(judged(questions, found, "j", Saying(*replies), prompt="answer"))
    after = list(with_judge(found, rows))
    assert found == before, "the predictions themselves do not change"
    assert [(row["status"], row["answer"], row["correct"]) for row in after] == [
        ("ok", "3", True),
        ("ok", "4", False),
        ("ok", "3", True),
        ("none", None, False),
        ("ambiguous", None, False),
    ]
    assert after[2:] == before[2:]
    changed = {name for one, other in zip(before, after, strict=True) for name in one if one[name] != other[name]}
    assert changed == {"status", "reason", "answer", "correct"}
    of_another = [{**row, "model": "other"} for row in rows]
    assert list(with_judge(found, of_another)) == before


def test_options_are_shown_and_only_their_letters_count() -> None:
    kind = {"choices": ["a jug", "a candle"], "answer": "B", "answer_kind": "choice"}
    questions, found = predictions("A jug or a candle.", "A jug or a candle.", **kind)
    judge = Saying("Answer: B", "Answer: C")
    rows = list(judged(questions, found, "j", judge, prompt="answer"))
    assert "A:a jug  B:a candle" in judge.asked[0].prompt
    assert [(row["answer"], row["correct"], row["reason"]) for row in rows] == [
        ("B", True, None),
        (None, False, OUTSIDE),
    ]


@pytest.fixture
def tiny(tmp_path: Path) -> Model:
    settings = BlindTextModel(adapter="blind", checkpoint=str(tiny_text_model(tmp_path / "tiny")), max_new_tokens=4)
    return models.load("blind", settings, 0)


def test_a_checkpoint_judges_and_its_replies_are_stored_by_the_text_of_the_prompt(
    tiny: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, found = predictions(NO_ANSWER, SEVERAL, NO_ANSWER)
    with ResponseStore(tmp_path / "responses.sqlite") as store:

        def asked() -> tuple[list[dict[str, Any]], int]:
            model = stored(tiny, store)
            rows = list(judged(questions, found, "j", model, prompt="answer"))
            return rows, model.misses  # type: ignore[attr-defined]

        first, misses = asked()
        assert misses == 2, "the same question and response are asked once"
        assert [row["reason"] for row in first] == [OUTSIDE] * 3, "a random checkpoint does not keep to the format"
        assert all(row["response"] and row["request_key"] and row["prompt_tokens"] for row in first)
        assert asked() == (first, 0)
        text = (judges.FOLDER / "answer.yaml").read_text(encoding="utf-8")
        (tmp_path / "answer.yaml").write_text(text.replace("Reply with one line", "Give one line"), encoding="utf-8")
        monkeypatch.setattr(judges, "FOLDER", tmp_path)
        judges.read.cache_clear()
        try:
            second, misses = asked()
        finally:
            judges.read.cache_clear()
        assert misses == 2
        assert {row["request_key"] for row in first}.isdisjoint(row["request_key"] for row in second)


_CHOICE = {"choices": ["a jug", "a loaf of bread"], "answer": "B", "answer_kind": "choice"}
_BOOLEAN = {"question": "Would the street be empty if the bus had left?", "answer": "no", "answer_kind": "boolean"}
_UNSURE = "I'm not sure how to respond to that."


@pytest.mark.parametrize(
    ("more", "response", "reply", "is_there"),
    [
        ({}, _UNSURE, "1", False),
        ({}, "It might be three or four.", "3", True),
        ({}, "Three, or perhaps four.", "5", False),
        ({}, "Perhaps a pair, perhaps a single one.", "2", True),
        (_CHOICE, _UNSURE, "A", False),
        (_CHOICE, "The loaf, or maybe the jug.", "B", True),
        (_CHOICE, "Either (A) or (B).", "A", True),
        (_CHOICE, "A crowd is in the way.", "A", False),
        (_BOOLEAN, _UNSURE, "yes", False),
        (_BOOLEAN, _UNSURE, "no", False),
        (_BOOLEAN, "People are waiting, and nothing suggests that they would go.", "no", True),
        (_BOOLEAN, "People are waiting, and nothing suggests that they would go.", "yes", False),
        ({"answer_kind": "text", "answer": "green"}, "The door is green or blue.", "green", True),
        ({"answer_kind": "text", "answer": "green"}, "The door has a colour.", "green", False),
    ],
)
def test_an_answer_that_the_judge_makes_up_is_counted_apart(
    more: dict[str, Any], response: str, reply: str, is_there: bool
) -> None:
    questions, found = predictions(response, **more)
    (prediction,) = ({**row, "status": "none", "correct": False, "answer": None, "reason": "no"} for row in found)
    (row,) = judged(questions, [prediction], "j", Saying(f"Answer: {reply}"), prompt="answer")
    assert (row["status"], row["answer"]) == (("ok", reply) if is_there else (NOT_IN_RESPONSE, None))
    assert is_there or (not row["correct"] and list(with_judge([prediction], [row])) == [prediction])


@pytest.mark.parametrize(
    ("answer", "kind", "response", "occurs_there"),
    [
        ("0", "number", "There is no image provided.", False),
        ("0", "number", "I cannot determine that without seeing the picture.", False),
        ("2", "number", "I am unable to determine the number in both images.", False),
        ("no", "boolean", "I'm sorry, but I can't assist with that.", False),
        ("no", "boolean", "The image does not provide any information about the dog.", False),
        ("yes", "boolean", "Sure, I can help you with that! Please upload the picture.", False),
        ("3", "number", "Zwei oder drei Hunde. Es könnten drei sein.", True),
        ("0", "number", "There would be no dogs.", True),
        ("2", "number", "Both would stay.", True),
        ("no", "boolean", "The dog would not be wet.", True),
    ],
)
def test_a_refusal_holds_no_answer(answer: str, kind: str, response: str, occurs_there: bool) -> None:
    question = (
        "How many dogs would there be if it rained?" if kind == "number" else "Would the dog be wet if it rained?"
    )
    assert occurs(answer, kind, question, None, response) is occurs_there  # type: ignore[arg-type]
