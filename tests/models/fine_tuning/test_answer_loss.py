"""The loss is that of the answer's tokens alone, after exactly what the adapter sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.models.families import checkpoint
from tests.models.fine_tuning import toy
from whatif.models.fine_tuning.answer_loss import AnswerLoss
from whatif.models.local.chat import Chat, load_chat
from whatif.models.local.option_scores import option_scores

torch = pytest.importorskip("torch")

FAMILIES = ("llava", "llava_next", "llava_onevision", "idefics3", "internvl", "gemma3", "mllama", "qwen2_5_vl")


@pytest.fixture(scope="module", params=FAMILIES)
def chat(request: pytest.FixtureRequest) -> Chat:
    torch.set_num_threads(1)
    return load_chat(toy.settings(checkpoint(request.param)))


def sent_by_the_adapter(chat: Chat, example: Any) -> Mapping[str, Any]:
    """The inputs that the adapter gives to its scoring function when it is asked the question."""
    seen: list[Mapping[str, Any]] = []

    def score(inputs: Mapping[str, Any], options: Any) -> Any:
        seen.append(inputs)
        return option_scores(chat.network, inputs, options)

    asked = replace(chat.model, checkpoint=replace(chat.model.checkpoint, score=score))
    next(asked.answer([example.question]))
    return seen[0]


def check_prompt(chat: Chat, example: Any) -> None:
    (encoded,) = AnswerLoss(chat, 1).passes([example])
    sent = sent_by_the_adapter(chat, example)
    assert encoded.inputs.keys() == sent.keys()
    for name, value in sent.items():
        shown = encoded.inputs[name]
        if shown.shape != value.shape:  # an entry for each token
            shown = shown[:, : value.shape[1]]
        assert torch.equal(shown, value), name
    answer = encoded.inputs["input_ids"][0, sent["input_ids"].shape[1] :].tolist()
    assert answer == list(encoded.answers[0])
    assert chat.model.checkpoint.reasoning.text(answer) == example.answer


def test_the_prompt_is_the_adapters(chat: Chat) -> None:
    check_prompt(chat, toy.example(1, "yellow"))


def test_the_loss_is_minus_the_score_of_the_answer_and_its_end(chat: Chat) -> None:
    example = toy.example(1, "yellow")
    losses = AnswerLoss(chat, 1)
    (encoded,) = losses.passes([example])
    tokens = encoded.answers[0]
    assert tokens[:-1] == tuple(chat.model.checkpoint.option_tokens("yellow"))
    assert tokens[-1] in chat.model.checkpoint.ends
    (score,) = option_scores(chat.network, sent_by_the_adapter(chat, example), [tokens])
    assert score.log_likelihood is not None
    with torch.no_grad():
        assert float(losses(encoded)) == pytest.approx(-score.log_likelihood, abs=1e-4)


def test_examples_in_one_pass_have_the_loss_that_they_have_alone(chat: Chat) -> None:
    """Prompts and answers of other lengths are padded on both sides, and nothing of that counts."""
    longer = toy.example(5, "blue", prompt="What colour is the very first picture of all these circles?")
    some = [toy.example(1, "yellow"), longer, toy.example(2, "blue")]
    alone, together = AnswerLoss(chat, 1), AnswerLoss(chat, 3)
    with torch.no_grad():
        (of_all,) = [float(together(encoded)) for encoded in together.passes(some)]
        each = [float(alone(encoded)) for encoded in alone.passes(some)]
    assert len(each) == 3
    assert of_all == pytest.approx(sum(each), abs=1e-4)


@pytest.mark.parametrize("name", ["llava", "qwen2_5_vl"])
def test_system_message_words_around_and_composites_are_those_of_the_entry(name: str) -> None:
    folder = checkpoint(name)
    more = {"system": "dots", "prompt": "question {question} answer", "several_images": "composite"}
    chat = load_chat(toy.settings(folder, **more))
    example = toy.example(1, "yellow", images=3)
    check_prompt(chat, example)
    (encoded,) = AnswerLoss(chat, 1).passes([example])
    shown = chat.processor.tokenizer.decode(encoded.inputs["input_ids"][0])
    assert "dots" in shown
    assert "question What colour is the picture? answer" in shown


def test_examples_with_other_numbers_of_images_are_passed_apart() -> None:
    chat = load_chat(toy.settings(checkpoint("llava")))
    some = [toy.example(1, "yellow"), toy.example(2, "blue", images=2), toy.example(3, "blue")]
    assert [len(encoded.answers) for encoded in AnswerLoss(chat, 4).passes(some)] == [2, 1]
