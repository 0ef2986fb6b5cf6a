"""Ranking options with a real, tiny vision-language checkpoint."""

from __future__ import annotations

import math
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.models import families
from whatif.engine.language.messages import one_turn
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import Answer, Model, Question, load
from whatif.models.local.answer_place import AnswerPlace, answer_place, option_tokens, remembered_option_tokens

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def checkpoint() -> Path:
    torch.set_num_threads(1)
    return families.checkpoint("llava")


@pytest.fixture(scope="module")
def model(checkpoint: Path) -> Model:
    return load("hf-chat", settings(checkpoint), 0)


@pytest.fixture(scope="module")
def processor(checkpoint: Path) -> Any:
    return transformers.AutoProcessor.from_pretrained(checkpoint)


def settings(checkpoint: Path, **more: Any) -> HuggingFaceChat:
    return HuggingFaceChat(adapter="hf-chat", checkpoint=str(checkpoint), **more)


def picture(seed: int) -> Image.Image:
    noise = np.random.default_rng(seed).integers(0, 256, (28, 28, 3), dtype=np.uint8)
    return Image.fromarray(noise)


def question(image: Image.Image | None, prompt: str = "How many dots are there?", options: str = "A B C D") -> Any:
    def images() -> list[Image.Image]:
        if image is None:
            raise OSError("image 12ab: truncated")
        return [image]

    return Question("q", "dots", "original", one_turn(prompt, ["12ab"]), tuple(options.split()), images)


def means(answer: Answer) -> list[float]:
    assert answer.option_scores is not None
    return [score.mean for score in answer.option_scores]


def by_hand(checkpoint: Path, image: Image.Image, prompt: str, option: str) -> float:
    """Mean log-likelihood of an option, from one forward pass over the text formatted like the template."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
    model = transformers.LlavaForConditionalGeneration.from_pretrained(checkpoint, dtype=torch.float32).eval()
    pixels = transformers.CLIPImageProcessor.from_pretrained(checkpoint)(image, return_tensors="pt")["pixel_values"]
    before = f"<s>USER: {'<image>' * 4}\n{prompt}\nASSISTANT:"
    ids = tokenizer(f"{before} {option}", add_special_tokens=False)["input_ids"]
    start = len(tokenizer(before, add_special_tokens=False)["input_ids"])
    assert ids.count(tokenizer.convert_tokens_to_ids("<image>")) == 4
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids]), pixel_values=pixels).logits[0].double()
    losses = [math.log(torch.softmax(logits[place - 1], dim=0)[ids[place]].item()) for place in range(start, len(ids))]
    return sum(losses) / len(losses)


@pytest.mark.parametrize("options", ["A B C D", "16 7 zebra picture"])
def test_scores_are_those_of_a_forward_pass_written_by_hand(checkpoint: Path, model: Model, options: str) -> None:
    asked = question(picture(0), "How many dots are there? Select the correct answer:A:16  B:17", options)
    (answer,) = model.answer([asked])
    expected = [by_hand(checkpoint, picture(0), asked.prompt, option) for option in asked.options]
    assert means(answer) == pytest.approx(expected, abs=1e-5)
    assert (answer.letter, answer.status) == (None, "ok")  # the caller decides which option wins


def test_tokens_are_counted(model: Model, processor: Any) -> None:
    (answer,) = model.answer([question(picture(0), "dots", "7 zebra")])
    text = f"<s>USER: {'<image>' * 4}\ndots\nASSISTANT:"
    assert answer.prompt_tokens == len(processor.tokenizer(text, add_special_tokens=False)["input_ids"])
    assert answer.response_tokens == 1 + 6  # ` 7` is one token, ` zebra` a space and five letters
    assert answer.option_scores is not None
    assert [score.tokens for score in answer.option_scores] == [1, 6]


def test_another_picture_changes_the_scores(model: Model) -> None:
    first, second, again = model.answer([question(picture(0)), question(picture(1)), question(picture(0))])
    assert np.abs(np.subtract(means(first), means(second))).max() > 0.05
    assert again.option_scores == first.option_scores


def test_the_same_option_twice_has_the_same_score(model: Model) -> None:
    (answer,) = model.answer([question(picture(0), options="7 7 zebra zebra")])
    assert answer.option_scores is not None
    assert answer.option_scores[0] == answer.option_scores[1]
    assert answer.option_scores[2] == answer.option_scores[3]


def test_a_broken_picture_is_one_error_and_the_run_goes_on(model: Model) -> None:
    broken, whole = model.answer([question(None), question(picture(0))])
    assert (broken.letter, broken.status, broken.option_scores) == (None, "error", None)
    assert broken.reason == "picture cannot be decoded: image 12ab: truncated"
    assert whole.status == "ok"


def test_an_empty_option_is_an_error(model: Model) -> None:
    asked = Question("q", "dots", "original", one_turn("How many?", ["p"]), ("7", " "), images=lambda: [picture(0)])
    (answer,) = model.answer([asked])
    assert (answer.letter, answer.status) == (None, "error")
    assert answer.reason is not None and "option B is empty" in answer.reason


def test_scores_that_are_not_numbers_are_an_error(checkpoint: Path, tmp_path: Path) -> None:
    model = transformers.LlavaForConditionalGeneration.from_pretrained(checkpoint)
    with torch.no_grad():
        model.lm_head.weight[0, 0] = float("nan")
    model.save_pretrained(tmp_path)
    transformers.AutoProcessor.from_pretrained(checkpoint).save_pretrained(tmp_path)
    spoilt = load("hf-chat", settings(tmp_path), 0)
    open_question = replace(question(picture(0)), options=())
    for answer in spoilt.answer([question(picture(0)), open_question, replace(open_question, question_id="second")]):
        assert (answer.letter, answer.response, answer.status, answer.option_scores) == (None, None, "error", None)
        assert answer.reason is not None and "not numbers" in answer.reason


def test_half_precision_is_near(checkpoint: Path, model: Model) -> None:
    (single,) = model.answer([question(picture(0))])
    (half,) = load("hf-chat", settings(checkpoint, dtype="bfloat16"), 0).answer([question(picture(0))])
    assert means(half) != means(single)
    assert means(half) == pytest.approx(means(single), abs=0.3)


def test_a_folder_needs_no_network(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    (answer,) = load("hf-chat", settings(checkpoint), 0).answer([question(picture(0))])
    assert answer.status == "ok"


LINE_BREAK = "{{ '\\n' }}"  # a template drops a plain one after a block


@pytest.mark.parametrize(
    ("user_end", "opening", "reply", "place"),
    [
        (LINE_BREAK, "ASSISTANT:", "ASSISTANT: {{ text }}</s>", AnswerPlace("ASSISTANT:", " ")),
        (LINE_BREAK, "BOT" + LINE_BREAK, "BOT" + LINE_BREAK + "{{ text }}</s>", AnswerPlace("BOT\n", "")),
        (LINE_BREAK, "BOT" + 2 * LINE_BREAK, "BOT" + 2 * LINE_BREAK + "{{ text }}", AnswerPlace("BOT\n\n", "")),
        (" ", "[/INST]", "[/INST] {{ text }}</s>", AnswerPlace("USER: question [/INST]", " ")),
        # The text before the answer is not white space, or another opening: nothing is inserted.
        (LINE_BREAK, "ASSISTANT:", "ASSISTANT: [thought] {{ text }}", AnswerPlace("ASSISTANT:", "")),
        (LINE_BREAK, "ASSISTANT:", "BOT: {{ text }}", AnswerPlace("ASSISTANT:", "")),
    ],
)
def test_the_template_says_where_an_answer_stands(
    processor: Any, monkeypatch: pytest.MonkeyPatch, *, user_end: str, opening: str, reply: str, place: AnswerPlace
) -> None:
    template = (
        "{% for message in messages %}{% set text = message['content'][0]['text'] %}"
        "{% if message['role'] == 'user' %}USER: {{ text }}"
        + user_end
        + "{% else %}"
        + reply
        + "{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}" + opening + "{% endif %}"
    )
    monkeypatch.setattr(processor, "chat_template", template)
    assert answer_place("tiny", processor) == place


def test_an_option_is_tokenised_as_it_stands_after_the_prompt(processor: Any) -> None:
    tokenizer = processor.tokenizer

    def words(place: AnswerPlace, option: str) -> list[str]:
        return list(tokenizer.convert_ids_to_tokens(option_tokens(tokenizer, place, option)))

    assert words(AnswerPlace("ASSISTANT:", " "), "16") == ["Ġ16"]
    assert words(AnswerPlace("BOT\n", ""), "16") == ["16"]
    # After `1` the option becomes part of the token `16`, so it is tokenised alone.
    assert tokenizer.tokenize("\n16")[-1] == "16"
    assert words(AnswerPlace("\n1", ""), "6") == ["6"]


def test_an_option_of_several_questions_is_tokenised_once(processor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    place, tokenised = AnswerPlace("ASSISTANT:", " "), []

    def counted(tokenizer: Any, place: AnswerPlace, option: str) -> list[int]:
        tokenised.append(option)
        return option_tokens(tokenizer, place, option)

    monkeypatch.setattr("whatif.models.local.answer_place.option_tokens", counted)
    tokens = remembered_option_tokens(processor.tokenizer, place)
    tokens("16").append(0)  # what a caller does with its list changes nothing
    assert tokens("16") == option_tokens(processor.tokenizer, place, "16")
    assert tokens("7") != tokens("16")
    assert tokenised == ["16", "7"]


def test_a_text_is_around_the_question_and_a_form_that_words_questions_leaves_it(checkpoint: Path) -> None:
    def read_by(setting: str | None) -> str:
        loaded: Any = load("hf-chat", settings(checkpoint, prompt=setting), 0)
        asked = question(picture(0), "How many?")
        inputs = loaded.checkpoint.encode([loaded.prompt(asked)])
        template = loaded.checkpoint.encode.args[0]
        return str(template.processor.tokenizer.decode(inputs["input_ids"][0]))

    bare = read_by(None)
    assert bare.count("How many?") == 1
    assert read_by("Question: {question} Answer:") == bare.replace("How many?", "Question: How many? Answer:")
    assert read_by("instructblip") == bare.replace("How many?", "Question: How many? Short answer:")
    assert read_by("llava-1-5") == bare
