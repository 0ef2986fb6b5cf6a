"""From open questions to predictions: what counts as an answer, and strategies of one turn and of two."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.scoring.test_rank import Answering, Pictures, row
from tests.served_model import encoded_picture
from whatif.engine.errors import WhatifError
from whatif.engine.language import strategies
from whatif.engine.language.chat_completions import reasoning_of
from whatif.engine.language.reasoning import CUT_OFF as REASONING_CUT_OFF
from whatif.models import Answer, Question
from whatif.models.responses.answer_json import as_json, from_json
from whatif.scoring.open_answers import open_predictions
from whatif.scoring.rank import predictions

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
        reason = f"{REASONING_CUT_OFF if '<think>' in response else 'cut off'} at 64 tokens"
        assert found["status"] == "ambiguous" or (found["status"], found["reason"]) == ("none", reason)


def test_where_tokens_are_not_counted_the_limit_is_named() -> None:
    assert predicted(Answer(response="There are 3", cut_off=True))["reason"] == "cut off at the limit of tokens"
    assert predicted(Answer(response="There are 3"))["answer"] == "3"


def test_an_option_named_in_words_that_were_cut_off_is_none() -> None:
    cut_off = Answer(response="A cat, so it may be B or", response_tokens=9, cut_off=True)
    (found,) = predictions([row(1, "original")], Pictures(), "m", Answering([cut_off]), form="words")
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


# Several turns

TOY = """\
system: You look closely.
examples:
  - question: How many dots are there?
    answer: "Answer: 2"
    kind: number
    images: [{file: dots.png, sha256: DIGEST}]
turns:
  - user: "Describe what matters for: {question}"
    max_new_tokens: 200
  - user: "You saw: {answer_1}\\n{question}"
    append: {number: Answer with one number., boolean: Answer yes or no., choice: Answer with one letter.}
    continues: CONTINUES
answer_after: "Answer:"
"""
DOTS = encoded_picture(1)


class Describing:
    """Describes first, and answers when it is reminded of what it saw; the third question is an error."""

    identity = None

    def __init__(self) -> None:
        self.asked: list[list[Question]] = []

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        self.asked.append(list(questions))
        for question in questions:
            assert len(question.images()) == len(question.image_ids) > 1
            if question.question_id.startswith("p003"):
                yield Answer(status="error", reason="no picture")
            elif question.prompt.startswith("You saw: "):
                yield Answer(response="I saw 4. Answer: 3", prompt_tokens=20, response_tokens=1, request_key="second")
            else:
                yield Answer(response="4 cats {answer_1}", prompt_tokens=10, response_tokens=6, request_key="first")


class Turns:
    """Gives the answers of each turn."""

    identity = None

    def __init__(self, turns: Sequence[Sequence[Answer]]) -> None:
        self._turns = iter(turns)

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        return iter(next(self._turns)[: len(questions)])


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of strategies with one of two turns and a worked example."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "dots.png").write_bytes(DOTS)
    write(tmp_path / "toy.yaml")
    monkeypatch.setattr(strategies, "FOLDER", tmp_path)
    strategies.read.cache_clear()
    yield tmp_path / "toy.yaml"
    strategies.read.cache_clear()


def write(path: Path, old: str = "", new: str = "", *, continues: bool = True) -> None:
    text = TOY.replace("DIGEST", hashlib.sha256(DOTS).hexdigest()).replace("CONTINUES", str(continues).lower())
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def asked_by(model: Describing, turn: int) -> list[tuple[str, tuple[str, ...]]]:
    """Role and parts of each message of the first question in a turn; an image is `image`."""
    return [
        (message.role, tuple(part if isinstance(part, str) else "image" for part in message.parts))
        for message in model.asked[turn][0].messages
    ]


OPENING = [
    ("system", ("You look closely.",)),
    ("user", ("image", "Describe what matters for: How many dots are there?")),
    ("assistant", ("Answer: 2",)),
]
DESCRIBED = ("user", ("image", f"Describe what matters for: {QUESTION}"))
AGAIN = f"You saw: 4 cats {{answer_1}}\n{QUESTION}\nAnswer with one number."


@pytest.mark.usefixtures("toy")
def test_a_strategy_of_two_turns_asks_again_with_the_first_response() -> None:
    model = Describing()
    rows = list(open_predictions(map(open_row, (1, 2, 3)), Pictures(), "m", model, strategy="toy"))
    assert [len(asked) for asked in model.asked] == [3, 2]
    assert asked_by(model, 0) == [*OPENING, DESCRIBED]
    assert asked_by(model, 1) == [*OPENING, DESCRIBED, ("assistant", ("4 cats {answer_1}",)), ("user", (AGAIN,))]
    assert [asked[0].max_new_tokens for asked in model.asked] == [200, None]
    assert model.asked[0][0].encoded_images()[0] == DOTS, "the example has its own image"
    assert [(found["status"], found["answer"]) for found in rows] == [("ok", "3"), ("ok", "3"), ("error", None)]
    assert rows[0]["request_key"] == "second" and rows[2]["reason"] == "no picture"
    assert rows[0]["earlier_turns"] == [{"response": "4 cats {answer_1}", "request_key": "first"}]
    assert [found["prompt_tokens"] for found in rows] == [30, 30, None]
    assert rows[0]["response_tokens"] == 7


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("I saw 4. Answer: 3\nThis is because", "3"),
        ("I saw 4. Answer:\n3\nThis is because", "3"),
        ("Answer: 4. No. Answer: 3. So there", "3"),
        ("I saw 4. Answer: 3", None),
        ("Answer: 4. No. Answer: 3", None),
        ("I saw 4. The", None),
        ("<think>Answer: 4\nSo", None),
        ("<think>Answer: 4\n</think>Answer: 3. So", "3"),
    ],
)
@pytest.mark.parametrize("mark", ["Answer:", "###"])
def test_what_follows_the_mark_counts_in_a_response_that_was_cut_off_later(
    toy: Path, response: str, answer: str | None, mark: str
) -> None:
    write(toy, 'answer_after: "Answer:"', f'answer_after: "{mark}"')
    marked = Answer(response=response.replace("Answer:", mark), cut_off=True, response_tokens=64)
    seen = Answer(response="4 cats")
    (found,) = open_predictions([open_row()], Pictures(), "m", Turns([[seen], [marked]]), strategy="toy")
    assert (found["answer"], found["correct"]) == (answer, answer == "3")
    reason = f"{REASONING_CUT_OFF if '<think>' in response else 'cut off'} at 64 tokens"
    assert answer is not None or (found["status"], found["reason"]) == ("none", reason)


def test_a_turn_may_start_a_new_conversation(toy: Path) -> None:
    write(toy, continues=False)
    model = Describing()
    list(open_predictions([open_row()], Pictures(), "m", model, strategy="toy"))
    assert asked_by(model, 1)[-1] == ("user", ("image", AGAIN))
    assert [role for role, _ in asked_by(model, 1)] == ["system", "user", "assistant", "user"]


def test_an_example_is_shown_with_questions_of_its_kind(toy: Path) -> None:
    write(toy, "kind: number", "kind: boolean")
    assert [message.role for message in strategies.conversation("toy", QUESTION, "number")] == ["system", "user"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("max_new_tokens: 200", "max_new_tokens: many", "turns.0.max_new_tokens: Input should be a valid integer"),
        ("{answer_1}", "{answer_2}", r"turn 2: names {answer_2}, but only turn 1 comes before it"),
        ("matters for: {question}", "matters for: {answer_1}{question}", "turn 1: names {answer_1}, but no turn comes"),
        (", choice: Answer with one letter.", "", "turn 2: has no text for choice; it needs number, boolean, choice"),
        ("matters for: {question}", "matters", "turn 1: each of its texts must contain {question} once"),
        ("dots.png", "../dots.png", "examples.0.images.0.file: is '../dots.png'; it must be the name of a PNG or JPEG"),
        ("continues", "continue", "turns.1.continue: unknown key; did you mean `continues`"),
        ("continues", "goes_on", "turns.1.goes_on: unknown key; it must be one of append, continues, example, images,"),
        ("turns:", "rounds:", "rounds: unknown key; it must be one of answer_after, examples, replaceable, shots"),
        ("sha256: ", "sha256: a", "examples.0.images.0.sha256: is 'a.{64}'; it must be the SHA-256 of the file"),
        ("{answer_1}", "{answer_0}", "turn 2: names {answer_0}, which is unknown; it can name {question}, {answer_1}"),
        ("{answer_1}", "{answer}", "turn 2: names {answer}, which is unknown"),
        ("matters for: {question}", "matters: {question} {options}", "turn 1: names {options}, which is unknown"),
        ("look closely", "look at {question}", "system: names {question}, but only turns have placeholders; remove it"),
    ],
)
def test_a_mistake_in_a_strategy_is_named(toy: Path, old: str, new: str, message: str) -> None:
    write(toy, old, new)
    with pytest.raises(WhatifError, match=f"strategy toy: .*{message}"):
        strategies.prompt("toy", QUESTION, "number")


def test_an_example_without_its_image_is_named(toy: Path) -> None:
    def ask() -> None:
        list(open_predictions([open_row()], Pictures(), "m", Describing(), strategy="toy"))

    (toy.parent / "images" / "dots.png").write_bytes(encoded_picture(2))
    with pytest.raises(WhatifError, match=r"toy: the image dots.png of an example has the SHA-256 \w{64}, not \w{64};"):
        ask()
    (toy.parent / "images" / "dots.png").unlink()
    with pytest.raises(WhatifError, match=r"toy: the image dots\.png of an example cannot be read"):
        ask()
    (toy.parent / "images" / "dots.png").mkdir()
    with pytest.raises(WhatifError, match=r"toy: the image dots\.png of an example cannot be read \(Is a directory\)"):
        ask()


def test_an_example_whose_image_is_none_is_named_before_anything_is_asked(toy: Path) -> None:
    data = b"no image"
    write(toy, hashlib.sha256(DOTS).hexdigest(), hashlib.sha256(data).hexdigest())
    (toy.parent / "images" / "dots.png").write_bytes(data)
    model = Describing()
    with pytest.raises(WhatifError, match=r"toy: the image dots\.png of an example cannot be decoded \("):
        list(open_predictions([open_row()], Pictures(), "m", model, strategy="toy"))
    assert not model.asked


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (Answer(response="<think>Perhaps 4.</think>3"), "Perhaps 4."),
        (Answer(response="3", reasoning="Perhaps 4."), "Perhaps 4."),
        (Answer(response="◁think▷So 3?◁/think▷3", reasoning="Perhaps 4."), "Perhaps 4.\n\nSo 3?"),
        (Answer(response="3"), None),
    ],
)
def test_reasoning_has_a_column_of_its_own_and_is_stored_as_it_was_received(answer: Answer, kept: str | None) -> None:
    restored = from_json(json.loads(json.dumps(as_json(answer))))
    assert restored == answer
    found = predicted(restored)
    assert (found["response"], found["reasoning"], found["answer"]) == ("3", kept, "3")


def test_reasoning_that_an_endpoint_gives_beside_the_text_is_found() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Perhaps 4."}]}, {"type": "text", "text": "3"}]
    for message in (
        {"content": "3", "reasoning_content": "Perhaps 4."},
        {"content": "3", "reasoning": "Perhaps 4."},
        {"content": "3", "reasoning_content": "Perhaps 4.", "reasoning": "Perhaps 4."},
        {"content": parts},
    ):
        assert reasoning_of(SimpleNamespace(**message)) == "Perhaps 4."
    assert reasoning_of(SimpleNamespace(content="3")) is None
