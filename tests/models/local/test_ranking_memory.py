"""What ranked questions share is computed once, and their scores have the same bits, in every family."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import Any, cast

import pytest

from tests.models.families import CHAT, OPTIONS, loaded, network, picture, prompt, question, quick
from whatif.models import Answer, Question
from whatif.models.local import ranking_memory
from whatif.models.local.answerer import LocalModel
from whatif.models.local.option_scores import on_device, option_scores
from whatif.models.local.ranking_memory import TAKE_FEATURES, RankingMemory

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module", params=quick("llava", "qwen2_5_vl", "mllama"))
def model(request: pytest.FixtureRequest) -> LocalModel:
    return loaded(request.param)


@pytest.fixture(scope="module")
def llava() -> LocalModel:
    return loaded("llava")


def memory_of(model: LocalModel) -> RankingMemory:
    return cast("RankingMemory", model.checkpoint.forget.__self__)  # type: ignore[attr-defined]


def without_memory(model: LocalModel) -> LocalModel:
    checkpoint = replace(model.checkpoint, score=partial(option_scores, network(model)))
    return LocalModel(checkpoint, lambda: {})


def counted(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Gets an entry each time the model encodes images."""
    made: list[int] = []
    inner = network(model).model
    tower = inner.vision_model if hasattr(inner, "vision_model") else None
    if tower is None:
        tower = inner.visual if hasattr(inner, "visual") else inner.vision_tower
    forward = tower.forward

    def counts(*arguments: Any, **named: Any) -> Any:
        made.append(1)
        return forward(*arguments, **named)

    monkeypatch.setattr(tower, "forward", counts)
    return made


def ranked_questions() -> list[Question]:
    """Nine questions about three images, alone and in pairs, and one without images."""
    first, second, wide = picture(0), picture(1), picture(2, 56, 28)
    shown = [[first], [second], [first], [first, wide], [wide, first], [first, wide], [wide], [wide], [second], []]
    words = ["How many dots?", "How many dots are there in all?", "Which circle?"]
    return [question(images, words[place % 3], OPTIONS[place % 2 :]) for place, images in enumerate(shown)]


@pytest.mark.parametrize("family", CHAT)
def test_scores_have_the_same_bits_and_images_are_encoded_once(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded(family)
    encoded = counted(model, monkeypatch)
    questions = ranked_questions()
    remembered = list(model.answer(questions))
    again = len(encoded)
    plain = list(without_memory(model).answer(questions))
    assert all(answer.status == "ok" for answer in plain)
    assert remembered == plain
    assert len(encoded) - again == 9
    assert again == (5 if family in TAKE_FEATURES else 9)  # three images alone, and two orders of a pair


def test_the_order_of_questions_changes_no_bit(model: LocalModel) -> None:
    questions = ranked_questions()
    forwards, backwards = list(model.answer(questions)), list(model.answer(questions[::-1]))
    assert backwards[::-1] == forwards
    assert [next(model.answer([one])) for one in questions] == forwards


def test_every_family_that_ranks_after_a_shared_prefix_is_covered() -> None:
    assert set(CHAT) - TAKE_FEATURES == {"mllama"}


def test_features_that_do_not_fit_are_forgotten_oldest_first(
    llava: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, c = ([llava.checkpoint.encode([prompt([picture(seed)])])][0] for seed in range(3))
    asked = network(llava)
    one = asked.model.get_image_features(a["pixel_values"]).pooler_output[0]
    size = one.numel() * one.element_size()
    made = counted(llava, monkeypatch)
    memory = RankingMemory(asked, most_bytes=2 * size)
    for inputs, encodings in ((a, 1), (b, 2), (a, 2), (c, 3), (a, 3), (b, 4), (c, 5)):
        memory.inputs(inputs)
        assert len(made) == encodings
    nothing = RankingMemory(asked, most_bytes=size - 1)
    for number in (6, 7):
        shown = nothing.inputs(a)["mm_encoder_outputs"]["image"].pooler_output[0]
        assert torch.equal(shown, one)
        assert len(made) == number


def test_only_what_the_language_model_reads_is_kept(llava: LocalModel) -> None:
    inputs = llava.checkpoint.encode([prompt([picture(0)])])
    image = RankingMemory(network(llava)).inputs(inputs)["mm_encoder_outputs"]["image"]
    assert image.hidden_states is None
    assert image.last_hidden_state is None


def test_one_other_pixel_is_another_image(llava: LocalModel) -> None:
    changed = picture(0)
    changed.putpixel((30, 30), (255, 0, 0))
    questions = [question([image], options=OPTIONS) for image in (picture(0), changed)]
    first, second = llava.answer(questions)
    assert first.option_scores != second.option_scores
    assert [first, second] == list(without_memory(llava).answer(questions))


def test_everything_is_forgotten_after_the_last_question(llava: LocalModel) -> None:
    questions = [question([picture(seed)], options=OPTIONS) for seed in (0, 0, 1)]
    kept = memory_of(llava).features
    arriving = llava.answers_as_they_come(questions)
    next(arriving)
    assert len(kept) == 1
    list(arriving)
    assert not kept
    stopped = llava.answers_as_they_come(questions)
    next(stopped)
    cast("Generator[Any]", stopped).close()
    assert not kept


def test_the_same_images_are_prepared_once_with_the_same_settings(llava: LocalModel) -> None:
    template = cast("partial[Any]", llava.checkpoint.encode).args[0]
    kind = type(template.processor.image_processor)
    processor, plain, memory = kind(), kind(), RankingMemory(network(llava))
    memory.remember_pictures(processor)
    first, second, gone = picture(0), picture(1), "pixel_values"
    settings = {"return_tensors": "pt"}
    for number, images in enumerate(([first, second], [second, first], [first], first), 1):
        for _ in range(2):
            made = processor(images, **settings)
            assert torch.equal(made.pop(gone), plain(images, **settings)[gone])
            assert len(memory.pictures) == number
    assert not torch.equal(processor(first, do_rescale=False, **settings)[gone], processor(first, **settings)[gone])
    memory.forget()
    assert not memory.pictures


def test_a_prompt_without_images_is_encoded_once(llava: LocalModel) -> None:
    encoded: list[int] = []

    def counts(prompts: Any) -> Any:
        encoded.append(len(prompts[0].images))
        return llava.checkpoint.encode(prompts)

    model = LocalModel(replace(llava.checkpoint, encode=counts), lambda: {})
    asked = [([], "How many?"), ([], "How many?"), ([], "Which?"), ([picture(0)], "Which?"), ([picture(0)], "Which?")]
    questions = [question(images, text, OPTIONS) for images, text in asked]
    assert list(model.answer(questions)) == list(without_memory(llava).answer(questions))
    assert encoded == [0, 0, 1, 1]


def passes(model: LocalModel, questions: list[Question]) -> tuple[int, list[Answer]]:
    """How often the whole model is called for questions, and its answers."""
    made: list[int] = []
    hook = network(model).register_forward_pre_hook(lambda *_: made.append(1))
    try:
        answers = list(model.answer(questions))
    finally:
        hook.remove()
    return len(made), answers


def test_a_prompt_without_images_is_read_once_for_options_of_one_token(model: LocalModel) -> None:
    texts = ["How many dots?", "How many circles?"]
    letters, longer = [("A", "B"), ("C", "B"), ("A",)], ("A", "16 dots")
    assert {len(model.checkpoint.option_tokens(letter)) for letter in "ABC"} == {1}
    assert len(model.checkpoint.option_tokens(longer[1])) > 1
    questions = [question([], text, options) for options in letters for text in texts]
    calls, answers = passes(model, questions)
    assert calls == len(texts)
    mixed = [questions[0], question([], texts[0], longer), questions[2], question([], texts[0], longer)]
    calls, mixed_answers = passes(model, mixed)
    assert calls == 1 + 2 * 2  # both passes for each of the longer options
    assert [*answers, *mixed_answers] == list(without_memory(model).answer([*questions, *mixed]))


def test_prompts_with_images_are_read_each_time(model: LocalModel) -> None:
    calls, _ = passes(model, [question([picture(0)], options=("A", "B"))] * 3)
    assert calls == 3


def test_weights_that_change_between_two_runs_are_used(llava: LocalModel) -> None:
    asked = [question([picture(0)], options=OPTIONS)]
    before: list[Answer] = list(llava.answer(asked))
    weight = network(llava).model.multi_modal_projector.linear_1.weight.data
    kept = weight.clone()
    weight.zero_()
    try:
        assert list(llava.answer(asked)) != before
    finally:
        weight.copy_(kept)


def test_other_families_get_pixels(llava: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = llava.checkpoint.encode([prompt([picture(0)])])
    asked = network(llava)
    plain = on_device(asked, inputs)
    assert set(RankingMemory(asked).inputs(inputs)) == {*plain, "mm_encoder_outputs"} - {"pixel_values"}
    monkeypatch.setattr(ranking_memory, "TAKE_FEATURES", frozenset())
    assert set(RankingMemory(asked).inputs(inputs)) == set(plain)


def test_a_library_that_takes_no_features_gets_pixels(llava: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = llava.checkpoint.encode([prompt([picture(0)])])
    asked = network(llava)
    monkeypatch.setattr(asked, "forward", lambda input_ids=None, pixel_values=None, **more: None)
    assert "pixel_values" in RankingMemory(asked).inputs(inputs)
