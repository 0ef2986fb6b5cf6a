"""Conversations with a system message, a worked example with images, and images between the texts of a message."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.families import CHAT, OPTIONS, picture
from whatif.models.local.answer_place import answer_place, option_tokens
from whatif.models.local.checkpoints import load_chat_model
from whatif.models.local.generation import generate, make_greedy
from whatif.models.local.option_scores import on_device, shared_prefix_scores, whole_pass_scores
from whatif.models.local.processors import load_processor
from whatif.models.local.sent_images import image_token, image_tokens, sent_images
from whatif.params.models import HuggingFaceChat

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

EXAMPLE, FIRST, SECOND, OTHER = (
    picture(seed, *size) for seed, size in enumerate([(56, 56), (28, 56), (28, 56), (56, 28)])
)
# Their templates write the images of a message before its text.
IMAGES_FIRST = ("llava", "llava_next", "llava_onevision")


@pytest.fixture(scope="module", params=CHAT)
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any, Any]]:
    folder = CHAT[request.param](tmp_path_factory.mktemp(request.param))
    model, processor = load_chat_model(HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder)))
    processor.tokenizer.padding_side = "left"
    yield request.param, model, processor
    gc.collect()


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def image(shown: Any) -> dict[str, Any]:
    return {"type": "image", "image": shown}


def turn(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(parts)}


SYSTEM = turn("system", text("select the correct answer"))
ANSWER = turn("assistant", text("16"))


def example(*shown: Any) -> dict[str, Any]:
    return turn("user", text("how many dots"), *map(image, shown), text("are there?"))


def asked(first: Any, second: Any) -> dict[str, Any]:
    parts = text("flowers"), image(first), text("or circles"), image(second), text("how many together?")
    return turn("user", *parts)


WHOLE = [SYSTEM, example(EXAMPLE), ANSWER, asked(FIRST, SECOND)]


def encode(processor: Any, *conversations: list[dict[str, Any]]) -> Mapping[str, Any]:
    encoded: Mapping[str, Any] = processor.apply_chat_template(
        list(conversations),
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
        processor_kwargs={"padding": True},
    )
    return encoded


def scores(model: Any, processor: Any, conversation: list[dict[str, Any]], shared: bool = True) -> list[float]:
    place = answer_place("tiny", processor)
    options = [option_tokens(processor.tokenizer, place, option) for option in OPTIONS]
    score = shared_prefix_scores if shared else whole_pass_scores
    return [one.log_likelihood for one in score(model, encode(processor, conversation), options)]


def difference(first: list[float], second: list[float]) -> float:
    return float(np.abs(np.subtract(first, second)).max())


def test_a_shared_prefix_equals_whole_passes(loaded: tuple[str, Any, Any]) -> None:
    _, model, processor = loaded
    for conversation in (WHOLE, WHOLE[1:], [example(), ANSWER, asked(OTHER, EXAMPLE)]):
        shared, whole = (scores(model, processor, conversation, each) for each in (True, False))
        assert shared == pytest.approx(whole, abs=1e-5)


def test_every_part_of_the_conversation_changes_the_scores(loaded: tuple[str, Any, Any]) -> None:
    _, model, processor = loaded
    reference = scores(model, processor, WHOLE)
    changed = {
        "no system message": WHOLE[1:],
        "no example": [SYSTEM, asked(FIRST, SECOND)],
        "an example without its image": [SYSTEM, example(), *WHOLE[2:]],
        "another image in the example": [SYSTEM, example(OTHER), *WHOLE[2:]],
        "another answer in the example": [*WHOLE[:2], turn("assistant", text("7")), WHOLE[3]],
        "images swapped": [*WHOLE[:3], asked(SECOND, FIRST)],
        "another first image": [*WHOLE[:3], asked(OTHER, SECOND)],
        "another second image": [*WHOLE[:3], asked(FIRST, OTHER)],
    }
    found = {what: difference(scores(model, processor, each), reference) for what, each in changed.items()}
    assert min(found.values()) > 0.005, found


def test_images_stand_where_the_conversation_has_them(loaded: tuple[str, Any, Any]) -> None:
    """Except in the LLaVA family, whose templates write the images of a message first."""
    name, model, processor = loaded
    said = processor.tokenizer.decode(encode(processor, WHOLE)["input_ids"][0])
    shown = processor.tokenizer.convert_ids_to_tokens(image_token(model.config))
    pieces = said[said.index("flowers") : said.index("or circles")], said[said.index("or circles") :]
    assert [shown in piece for piece in pieces] == [name not in IMAGES_FIRST] * 2


def test_conversations_in_a_batch_are_answered_as_each_alone(loaded: tuple[str, Any, Any]) -> None:
    _, model, processor = loaded
    ends = make_greedy(model, processor.tokenizer, 6)
    conversations = [
        WHOLE,
        [SYSTEM, example(OTHER), ANSWER, asked(SECOND, EXAMPLE)],
        [example(SECOND), ANSWER, asked(EXAMPLE, OTHER)],
    ]
    batches = [[each] for each in conversations], [conversations]
    alone, together = (
        [
            row
            for batch in each
            for inputs in [encode(processor, *batch)]
            for row in generate(model, on_device(model, inputs), inputs["input_ids"].shape[1], ends)
        ]
        for each in batches
    )
    assert together == alone
    assert len(set(map(tuple, alone))) == len(alone)


def test_images_of_all_turns_are_counted_in_order(loaded: tuple[str, Any, Any]) -> None:
    _, model, processor = loaded
    other = [example(OTHER), ANSWER, asked(EXAMPLE, FIRST)]
    decoded = [[each.size for each in row] for row in ((EXAMPLE, FIRST, SECOND), (OTHER, EXAMPLE, FIRST))]
    both = encode(processor, WHOLE, other)
    sizes = sent_images(model.config, processor, both, decoded)
    alone = [
        sent_images(model.config, processor, encode(processor, each), [row])[0]
        for each, row in zip((WHOLE, other), decoded, strict=True)
    ]
    assert sizes == alone
    assert [row and len(row) for row in sizes] == [3, 3]
    counted = [image_tokens(model.config, encode(processor, each)) for each in (WHOLE, other)]
    assert image_tokens(model.config, both) == [count for row in counted for count in row or []]


def test_the_text_of_a_system_message_has_a_place(loaded: tuple[str, Any, Any]) -> None:
    _, _, processor = loaded
    said = processor.apply_chat_template(WHOLE, add_generation_prompt=True, tokenize=False)
    assert "select the correct answer" in said
    assert said.index("select the correct answer") < said.index("how many dots") < said.index("flowers")


def test_folders_hold_no_video_processor(loaded: tuple[str, Any, Any], tmp_path: Path) -> None:
    """A processor without its video part is saved and loaded as the family's own."""
    name, model, processor = loaded
    processor.save_pretrained(tmp_path)
    again = load_processor(str(tmp_path), model.config.model_type, {"local_files_only": True})
    first, second = (encode(each, WHOLE) for each in (processor, again))
    assert first.keys() == second.keys(), name
    for key, value in first.items():
        assert torch.equal(value, second[key])
