"""Options ranked after a strategy's conversation: examples before the question, and turns before the last one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from PIL import Image

from whatif.engine.language.messages import ImagePart
from whatif.engine.params.model_entries import MultipleChoice
from whatif.engine.params.models import Baseline
from whatif.models import Answer, Model, OptionScore, Question, load
from whatif.scoring.rank import predictions

ROW = {
    "question_id": "i1-counterfactual",
    "pair_id": "i1",
    "group": "count",
    "variant": "counterfactual",
    "question": "If one cup broke, how many cups would there be?",
    "choices": ["3", "5"],
    "answer": "A",
    "answer_kind": "choice",
    "image_ids": ["image-1"],
    "provenance": "{}",
}
EXAMPLE = {
    "example_id": "e1",
    "question": "If two hats were sold, how many hats would be left?",
    "choices": ["1", "4"],
    "answer": "B",
    "rationale": "there are six hats, and six less two is four.",
    "image_ids": ["image-of-hats"],
}


class Pictures:
    """A blank image for every id."""

    def get(self, image_id: str) -> Image.Image:
        return Image.new("RGB", (1, 1))

    def encoded(self, image_id: str) -> bytes:
        return image_id.encode()


@dataclass
class Speaking:
    """Ranks the first option of a question first, and answers in words where there are no options."""

    words: str = "It is full of cups."
    failing: frozenset[str] = frozenset()  # questions to which it gives no words
    identity: None = None
    asked: list[Question] = field(default_factory=list)

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        for question in questions:
            self.asked.append(question)
            if question.options:
                scores = tuple(OptionScore(-place - 1.0, 1) for place, _ in enumerate(question.options))
                yield Answer(option_scores=scores)
            elif question.question_id in self.failing:
                yield Answer(status="error", reason="refused")
            else:
                yield Answer(
                    response=self.words, request_key=f"said-{len(self.asked)}", prompt_tokens=5, response_tokens=2
                )


def told(model: Model, strategy: str, form: MultipleChoice = "rank-text", **row: Any) -> dict[str, Any]:
    """The prediction about one question with one example."""
    (made,) = predictions(
        [{**ROW, **row}],
        Pictures(),
        "m",
        model,
        form=form,
        strategy=strategy,
        examples=lambda question: [EXAMPLE] if strategy.startswith("one-shot") else [],
    )
    return made


def conversation(question: Question) -> list[tuple[str, tuple[str, ...], str]]:
    return [(one.role, tuple(image.image_id for image in one.images), one.text) for one in question.messages]


def test_an_example_comes_with_its_own_image_and_the_text_of_its_answer() -> None:
    model = Speaking()
    made = told(model, "one-shot")
    (asked,) = model.asked
    assert conversation(asked) == [
        ("user", ("image-of-hats",), EXAMPLE["question"]),
        ("assistant", (), "4"),
        ("user", ("image-1",), ROW["question"]),
    ]
    assert asked.options == ("3", "5")
    assert (made["strategy"], made["example_ids"], made["correct"]) == ("one-shot", ["e1"], True)
    assert made["earlier_turns"] is None


def test_letters_are_ranked_after_an_example_that_answers_with_one() -> None:
    model = Speaking()
    told(model, "one-shot", "rank-letter")
    (asked,) = model.asked
    assert asked.options == ("A", "B")
    assert asked.messages[0].text.endswith("Select the correct answer:A:1  B:4")
    assert asked.messages[1].text == "B"


def test_in_words_the_form_of_the_answer_is_said_in_the_example_too() -> None:
    model = Speaking(words="B")
    made = told(model, "one-shot", "words")
    (asked,) = model.asked
    assert [one.text.splitlines()[-1] for one in asked.messages] == [
        "Answer with one letter.",
        "B",
        "Answer with one letter.",
    ]
    assert (made["answer"], made["correct"]) == ("B", False)


def test_reasons_follow_the_answer_of_the_example() -> None:
    model = Speaking()
    told(model, "one-shot-cot")
    assert model.asked[0].messages[1].text == "4. Because: there are six hats, and six less two is four."


def test_with_reasons_first_the_model_writes_its_own_before_options_are_ranked() -> None:
    model = Speaking()
    made = told(model, "one-shot-cot-reason-first")
    first, last = model.asked
    assert first.options == ()
    assert [one.text for one in first.messages[1:4:2]] == [EXAMPLE["rationale"], "4"]
    assert first.max_new_tokens == 256
    assert [one.role for one in last.messages] == ["user", "assistant"] * 3 + ["user"]
    assert [one.text for one in last.messages[-2:]] == [model.words, "So what is the answer to the question?"]
    assert last.messages[-1].images == ()
    assert ImagePart("image-1") in last.messages[4].images
    assert last.options == ("3", "5")
    assert made["earlier_turns"] == [{"response": model.words, "request_key": "said-1"}]
    assert made["correct"]


@pytest.mark.parametrize("name", ["random", "first-option", "majority"])
def test_a_baseline_gives_no_reasons_and_answers_as_with_any_strategy(name: str) -> None:
    baseline = load(name, Baseline.model_validate({"adapter": name}), 2024)
    direct, reasons = (told(baseline, strategy) for strategy in ("direct", "one-shot-cot-reason-first"))
    assert (reasons["status"], reasons["answer"]) == ("ok", direct["answer"])
    assert reasons["earlier_turns"] is None


def test_a_question_without_reasons_is_not_ranked() -> None:
    model = Speaking(failing=frozenset({ROW["question_id"]}))
    made = told(model, "one-shot-cot-reason-first")
    assert len(model.asked) == 1
    assert (made["status"], made["reason"], made["choice_scores"]) == ("error", "refused", None)


def test_other_questions_are_ranked_when_one_has_no_reasons() -> None:
    model = Speaking(failing=frozenset({"i2-basic"}))
    rows = [{**ROW, "question_id": name, "pair_id": name[:2]} for name in ("i1-basic", "i2-basic", "i3-basic")]
    made = list(
        predictions(
            rows,
            Pictures(),
            "m",
            model,
            form="rank-text",
            strategy="one-shot-cot-reason-first",
            examples=lambda question: [EXAMPLE],
        )
    )
    assert [(one["question_id"], one["status"]) for one in made] == [
        ("i1-basic", "ok"),
        ("i2-basic", "error"),
        ("i3-basic", "ok"),
    ]
    assert [one.question_id for one in model.asked[3:]] == ["i1-basic", "i3-basic"]


@pytest.mark.parametrize("strategy", ["direct", "plain"])
def test_without_examples_the_question_stands_alone(strategy: str) -> None:
    model = Speaking()
    made = told(model, strategy)
    assert conversation(model.asked[0]) == [("user", ("image-1",), ROW["question"])]
    assert made["example_ids"] is None
