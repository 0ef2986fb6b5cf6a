"""Examples are the questions as they are asked, with the answer that their form calls for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.models.fine_tuning import toy
from tests.tiny_checkpoints import tiny_llava
from whatif.engine.errors import WhatifError
from whatif.engine.params.model_entries import MultipleChoice
from whatif.models import Model
from whatif.models.fine_tuning.examples import examples_of, held_out_groups, readable
from whatif.models.local.chat import load_chat
from whatif.scoring.rank import predictions


class Pictures:
    def get(self, image_id: str) -> Image.Image:
        return Image.new("RGB", (28, 28))

    def encoded(self, image_id: str) -> bytes:
        return b""


def row(number: int, answer: str) -> dict[str, Any]:
    return {
        "question_id": f"q{number}",
        "group": "CP",
        "variant": "composite",
        "question": "Which cue links the images?",
        "choices": ["a broken cup", "rain", "a cat", "snow"],
        "answer": answer,
        "answer_kind": "choice",
        "image_ids": ["one", "two"],
        "image_labels": ["Cause", "Effect"],
    }


def asking(rows: list[dict[str, Any]], form: MultipleChoice, **more: Any) -> Callable[[Model], Iterable[Any]]:
    return lambda model: predictions(rows, Pictures(), "tiny", model, form=form, **more)


@pytest.mark.parametrize(
    ("form", "answers", "shows_options"),
    [("rank-text", ["rain", "snow"], False), ("rank-letter", ["B", "D"], True), ("words", ["B", "D"], True)],
)
def test_an_answer_has_the_form_in_which_the_question_is_asked(
    form: MultipleChoice, answers: list[str], *, shows_options: bool
) -> None:
    rows = [row(1, "B"), row(2, "D")]
    found = examples_of(rows, asking(rows, form))
    assert [example.answer for example in found] == answers
    assert [example.question.question_id for example in found] == ["q1", "q2"]
    assert all(("A:a broken cup" in example.question.prompt) == shows_options for example in found)
    assert [part.label for part in found[0].question.messages[0].images] == ["Cause", "Effect"]


def test_a_strategy_of_several_turns_gives_no_examples() -> None:
    rows = [row(1, "B")]
    with pytest.raises(WhatifError, match="0 turns were asked for 1 questions; use a strategy with one turn"):
        examples_of(rows, lambda model: ())
    with pytest.raises(WhatifError, match="2 turns were asked for 1 questions"):
        examples_of(rows, asking(rows * 2, "rank-text"))


def test_what_cannot_be_shown_is_left_out_with_its_reason(tmp_path: Path) -> None:
    def broken() -> list[Image.Image]:
        raise OSError("image 12ab: truncated")

    whole, other = toy.examples(2)
    damaged = replace(other, question=replace(other.question, images=broken))
    lost = replace(other, question=replace(other.question, images=list))  # an image less than the prompt names
    kept, reasons = readable(load_chat(toy.settings(tiny_llava(tmp_path))).model, [damaged, whole, lost, damaged])
    assert kept == [whole]
    assert reasons["picture cannot be decoded: image 12ab: truncated"] == 2
    assert reasons.total() == 3


def test_held_out_groups_are_a_share_that_depends_on_the_seed_alone() -> None:
    groups = [f"g{number}" for number in range(10)]
    held_out = held_out_groups(groups, 0.25, 0)
    assert len(held_out) == 2
    assert held_out == held_out_groups(reversed(groups), 0.25, 0)
    assert held_out != held_out_groups(groups, 0.25, 1)
    assert held_out_groups(["only"], 0.9, 0) == set()
    assert held_out_groups(groups, 0.0, 0) == set()
