"""Reasoning of a local checkpoint: what its template gets, where it is stopped, and what is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.models import families
from tests.models.families import mixed_questions, questions_sharing_images
from tests.models.local.reasoner import END, reasoner, reasoning, rows, with_end
from tests.tiny_checkpoints import tiny_text_model
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import Answer, Question, load
from whatif.models.local.template_variables import template_variables
from whatif.models.responses.answer_json import as_json, from_json

pytestmark = pytest.mark.slow

pytest.importorskip("torch")

BUDGET, LENGTH = 12, 8
NEVER_LEFT = f"never left its reasoning: budget_tokens of {BUDGET} used up"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = reasoner(tmp_path_factory.mktemp("reasoner") / "tiny")
    return with_end(made, mixed_questions([1]), BUDGET)


def answers(folder: Path, questions: list[Question], **more: Any) -> list[Answer]:
    settings = {"budget_tokens": BUDGET, "max_new_tokens": LENGTH, **more}
    return list(reasoning(folder, **settings).answer(questions))


def test_a_response_stops_where_its_budget_is_used_up_in_its_reasoning(folder: Path) -> None:
    found = answers(folder, mixed_questions([1]))
    stopped = [answer for answer in found if answer.reason == NEVER_LEFT]
    others = [answer for answer in found if answer.status == "ok"]
    assert len(stopped) + len(others) == len(found)
    assert stopped and others
    for answer in stopped:
        assert (answer.status, answer.finish) == ("none", "length")
        assert (answer.response_tokens, answer.reasoning_tokens) == (BUDGET, BUDGET)
        assert (answer.without_reasoning().response, answer.without_reasoning().reason) == ("", NEVER_LEFT)
    for answer in others:
        assert answer.response is not None and answer.response.startswith("<think>\n")
        assert answer.reasoning_tokens is not None and answer.reasoning_tokens <= BUDGET
        assert (answer.response_tokens or 0) > BUDGET  # the room of the reasoning is in addition to that of the answer
        assert "think" not in (answer.without_reasoning().response or "think")


def test_tokens_of_reasoning_are_those_up_to_its_end(folder: Path) -> None:
    model = reasoning(folder, budget_tokens=BUDGET, max_new_tokens=LENGTH)
    mark = families.processor_of(model).tokenizer.convert_tokens_to_ids(END)
    questions = mixed_questions([1])
    for answer, row in zip(model.answer(questions), rows(model, questions, BUDGET + LENGTH), strict=True):
        if mark in row:
            last = max(place for place, token in enumerate(row) if token == mark)
            assert answer.reasoning_tokens == last + 1
        else:
            assert (answer.reasoning_tokens, len(row)) == (BUDGET, BUDGET)  # nothing was generated after it


@pytest.mark.parametrize("decoding", [{}, {"temperature": 1.0, "seed": 3}], ids=["greedy", "sampled"])
def test_batches_and_shared_images_change_no_answer(folder: Path, decoding: dict[str, Any]) -> None:
    for questions in (mixed_questions([1]), questions_sharing_images()):
        alone, together = (answers(folder, questions, batch_size=size, decoding=decoding) for size in (1, 8))
        assert together == alone
    assert {answer.status for answer in together} == {"ok", "none"}


def test_beams_are_cut_off_at_the_same_place(folder: Path) -> None:
    found = answers(folder, mixed_questions([1]), decoding={"beams": 2})
    assert {answer.response_tokens for answer in found if answer.reason == NEVER_LEFT} == {BUDGET}


def test_a_limit_inside_the_reasoning_is_not_a_limit_of_the_answer(folder: Path) -> None:
    questions = [Question("q", "g", "original", one_turn("How many dots?"))]
    (answer,) = answers(folder, questions, budget_tokens=None, max_new_tokens=1024, thinks=True)
    assert answer.cut_off or END in (answer.response or "")
    cut = Answer(response="<think>\nfour", cut_off=True, finish="length", response_tokens=1088)
    assert cut.without_reasoning().reason == "cut off inside its reasoning at 1,088 tokens"
    done = Answer(response="<think>\nfour", finish="stop", response_tokens=9)
    assert done.without_reasoning().reason == "never left its reasoning"


def test_without_thinking_nothing_is_reasoning(folder: Path) -> None:
    for answer in answers(folder, mixed_questions([1])[:3], thinks=False, budget_tokens=None):
        assert not (answer.response or "").startswith("<think>")


def test_the_template_gets_what_is_set_and_its_answers_are_stored_apart(folder: Path) -> None:
    asked = {"effort": "high", "template_kwargs": {"enable_thinking": False}}
    entry = HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), max_new_tokens=1024, reasoning=asked)
    model: Any = load("hf-chat", entry, 0)
    prompt = model.prompt(mixed_questions([1])[0])
    text = model.checkpoint.encode.args[0].processor.tokenizer.decode(model.checkpoint.encode([prompt])["input_ids"][0])
    assert text.startswith("high<s>USER:")
    assert text.endswith("ASSISTANT:<think>\n\n</think>\n\n")
    bare: Any = load("hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), max_new_tokens=1024), 0)
    assert model.identity == {**bare.identity, "reasoning": asked}


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"template_kwargs": {"thinking": True}, "budget_tokens": 9},
        "reasoning.template_kwargs: its chat template does not use thinking; it uses enable_thinking, reasoning_effort",
    ),
    (
        {"budget_tokens": 500},
        "reasoning.budget_tokens (500) and max_new_tokens (64) leave no room for a question in its 512 positions "
        "(max_position_embeddings); lower them",
    ),
]


@pytest.mark.parametrize(("settings", "message"), REFUSED)
def test_settings_that_a_checkpoint_cannot_have_are_one_line(
    folder: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(WhatifError) as error:
        load("hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), reasoning=settings), 0)
    assert str(error.value) == f"checkpoint {folder}: {message}"


def test_a_language_model_without_such_a_template_says_so(tmp_path: Path) -> None:
    entry = HuggingFaceChat(
        adapter="hf-chat", checkpoint=str(tiny_text_model(tmp_path / "t")), reasoning={"effort": "none"}
    )
    with pytest.raises(WhatifError) as error:
        load("hf-chat", entry, 0)
    message = "reasoning.effort: its chat template does not use reasoning_effort; it has no such variables"
    assert str(error.value) == f"checkpoint {tmp_path / 't'}: {message}"


def test_variables_of_a_template() -> None:
    template = (
        "{% set ns = namespace(a=1) %}{% if thinking is defined %}{% for m in messages %}{% if loop.first %}"
        "{% continue %}{% endif %}{% generation %}{{ m.content | upper }}{% endgeneration %}{% endfor %}{% endif %}"
    )
    assert template_variables(template) == {"thinking", "messages"}
    assert template_variables({"default": "{{ a }}", "other": "{{ b }}"}) == {"a"}


def test_a_template_is_parsed_and_not_run() -> None:
    assert template_variables("{{ raise_exception('run') }}{% for i in range(10**9) %}{{ x }}{% endfor %}") == {
        "raise_exception",
        "x",
    }


def test_tokens_of_reasoning_are_stored() -> None:
    answer = Answer(response="<think>a</think>b", response_tokens=5, reasoning_tokens=3, finish="stop")
    assert from_json(as_json(answer)) == answer
    assert "reasoning_tokens" not in as_json(Answer(response="b"))
