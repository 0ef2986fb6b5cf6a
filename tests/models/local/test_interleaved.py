"""Conversations with a system message, a worked example with its own image, and images between the texts of a message.

Every family takes them, and everything in them has an effect.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models import families
from tests.models.families import CHAT, OPTIONS, network, picture, processor_of, quick, sums
from whatif.engine.language.messages import ImagePart, Message, Messages, images_in
from whatif.models import Answer, Question
from whatif.models.local.answerer import LocalModel, Prompt
from whatif.models.local.option_scores import shared_prefix_scores, whole_pass_scores
from whatif.models.local.sent_images import image_token, image_tokens, sent_images

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

IMAGES = {
    name: picture(seed, *size)
    for seed, (name, size) in enumerate(
        {"example": (56, 56), "first": (28, 56), "second": (28, 56), "other": (56, 28)}.items()
    )
}
# Their templates write the images of a message before its text.
IMAGES_FIRST = ("llava", "llava_next", "llava_onevision")


def user(*parts: str | ImagePart) -> Message:
    return Message("user", parts)


def example(*shown: str) -> Message:
    return user("how many dots", *map(ImagePart, shown), "are there?")


def asked(first: str, second: str) -> Message:
    return user("flowers", ImagePart(first), "or circles", ImagePart(second), "how many together?")


SYSTEM = Message("system", ("select the correct answer",))
ANSWER = Message("assistant", ("16",))
WHOLE: Messages = (SYSTEM, example("example"), ANSWER, asked("first", "second"))
OTHERS: tuple[Messages, ...] = (
    (SYSTEM, example("other"), ANSWER, asked("second", "example")),
    (SYSTEM, example("example"), ANSWER, asked("second", "other")),
)


SOME = quick("llava", "qwen2_5_vl", "mllama", "internvl")
loaded = partial(families.loaded, max_new_tokens=6, batch_size=4)


def prompts(*conversations: Messages) -> list[Prompt]:
    return [Prompt(each, [IMAGES[image.image_id] for image in images_in(each)]) for each in conversations]


def question(conversation: Messages, options: tuple[str, ...] = OPTIONS) -> Question:
    (shown,) = prompts(conversation)
    return Question("q", "dots", "original", conversation, options, lambda: shown.images)


def scores(model: LocalModel, conversation: Messages) -> list[float]:
    (answer,) = model.answer([question(conversation)])
    assert answer.option_scores is not None, answer.reason
    return sums(answer.option_scores)


@pytest.mark.parametrize("family", SOME)
def test_a_shared_prefix_equals_whole_passes(family: str) -> None:
    model = loaded(family)
    options = [model.checkpoint.option_tokens(option) for option in OPTIONS]
    for conversation in (WHOLE, WHOLE[1:], (example(), ANSWER, asked("other", "example"))):
        inputs = model.checkpoint.encode(prompts(conversation))
        shared, whole = (
            sums(score_all(network(model), inputs, options)) for score_all in (shared_prefix_scores, whole_pass_scores)
        )
        assert shared == pytest.approx(whole, abs=1e-5)
        assert scores(model, conversation) == shared


@pytest.mark.parametrize("family", CHAT)
def test_every_part_of_the_conversation_changes_the_scores(family: str) -> None:
    model = loaded(family)
    reference = scores(model, WHOLE)
    changed: dict[str, Messages] = {
        "no system message": WHOLE[1:],
        "no example": (SYSTEM, asked("first", "second")),
        "an example without its image": (SYSTEM, example(), *WHOLE[2:]),
        "another image in the example": (SYSTEM, example("other"), *WHOLE[2:]),
        "another answer in the example": (*WHOLE[:2], Message("assistant", ("7",)), WHOLE[3]),
        "images swapped": (*WHOLE[:3], asked("second", "first")),
        "another first image": (*WHOLE[:3], asked("other", "second")),
        "another second image": (*WHOLE[:3], asked("first", "other")),
    }
    found = {
        what: float(np.abs(np.subtract(scores(model, conversation), reference)).max())
        for what, conversation in changed.items()
    }
    assert min(found.values()) > 0.005, found


@pytest.mark.parametrize("family", CHAT)
def test_images_and_the_system_message_stand_where_the_conversation_has_them(family: str) -> None:
    """Except in the LLaVA family, whose templates write the images of a message first; answers name the form."""
    model = loaded(family)
    tokenizer = processor_of(model).tokenizer
    said = tokenizer.decode(model.checkpoint.encode(prompts(WHOLE))["input_ids"][0])
    shown = tokenizer.convert_ids_to_tokens(image_token(network(model).config))
    pieces = said[said.index("flowers") : said.index("or circles")], said[said.index("or circles") :]
    assert [shown in piece for piece in pieces] == [family not in IMAGES_FIRST] * 2
    (answer,) = model.answer([question(WHOLE)])
    assert answer.image_form == ("first" if family in IMAGES_FIRST else "in place")

    assert said.index("select the correct answer") < said.index("how many dots") < said.index("flowers")


def test_a_template_may_reject_a_system_message_beside_images(tmp_path: Path) -> None:
    """As the template of Llama 3.2 Vision does: questions with both are errors, and the others are answered."""
    folder = CHAT["mllama"](tmp_path)
    template = folder / "chat_template.jinja"
    rejects = (
        "{% for message in messages %}{% for part in message['content'] %}{% if part['type'] == 'image' and "
        "messages[0]['role'] == 'system' %}{{ raise_exception('Prompting with images is incompatible with system "
        "messages.') }}{% endif %}{% endfor %}{% endfor %}"
    )
    template.write_text(rejects + template.read_text())
    model = loaded("mllama", folder)
    without_images = (SYSTEM, user("how many dots are there?"))
    answers = list(model.answer([question(each, ()) for each in (WHOLE, WHOLE[1:], without_images)]))
    assert [answer.status for answer in answers] == ["error", "ok", "ok"]
    assert answers[0].reason == (
        "the chat template of this checkpoint rejects a system message (Prompting with images is incompatible with "
        "system messages.)"
    )


@pytest.mark.parametrize("family", SOME)
def test_conversations_in_a_batch_are_answered_as_each_alone(family: str) -> None:
    model = loaded(family)
    # Twice the same images, so that they are encoded once where the family allows it.
    again = (*WHOLE[:3], Message("user", (*WHOLE[3].parts[:-1], "how many circles?")))
    questions = [question(each, ()) for each in (WHOLE, again, *OTHERS, WHOLE[1:])]
    alone: list[Answer] = [next(model.answer([each])) for each in questions]
    assert {answer.status for answer in alone} == {"ok"}
    assert len({answer.response for answer in alone}) > 2
    assert list(model.answer(questions)) == alone


@pytest.mark.parametrize("family", SOME)
def test_images_of_all_turns_are_counted_in_order(family: str) -> None:
    model = loaded(family)
    conversations = (WHOLE, *OTHERS)
    configuration, processor = network(model).config, processor_of(model)

    def facts(*some: Messages) -> tuple[list[Any], list[int]]:
        inputs = model.checkpoint.encode(prompts(*some))
        decoded = [[image.size for image in each.images] for each in prompts(*some)]
        return sent_images(configuration, processor, inputs, decoded), image_tokens(configuration, inputs) or []

    sizes, tokens = facts(*conversations)
    assert [len(row) for row in sizes] == [3, 3, 3]
    for row, conversation in enumerate(conversations):
        assert facts(conversation) == ([sizes[row]], [tokens[row]])


@pytest.mark.parametrize("family", CHAT)
def test_an_option_continues_the_prompt_as_the_template_writes_an_answer(family: str) -> None:
    model = loaded(family)
    (prompt,) = prompts(WHOLE)
    before = model.checkpoint.encode([prompt])["input_ids"][0].tolist()
    for option in OPTIONS:
        answered = Prompt((*WHOLE, Message("assistant", (option,))), prompt.images)
        whole = model.checkpoint.encode([answered])["input_ids"][0].tolist()
        together = [*before, *model.checkpoint.option_tokens(option)]
        if family == "llava_onevision":  # its template opens an answer in another way than it writes one
            assert whole[: len(before)] != before
            return
        assert whole[: len(together)] == together
