"""Images are encoded once for all ranked questions about them, and the scores have the same bits in every family."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from tests.models.families import CHAT, OPTIONS, picture, prompt, question
from whatif.models import Answer, Question, load
from whatif.models.local import image_features
from whatif.models.local.answerer import LocalModel
from whatif.models.local.image_features import FAMILIES, ImageFeatures
from whatif.models.local.option_scores import on_device, option_scores
from whatif.params.checkpoints import HuggingFaceChat

torch = pytest.importorskip("torch")


def loaded(folder: Path) -> LocalModel:
    return cast("LocalModel", load("hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder)), 0))


@pytest.fixture(scope="module", params=CHAT)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalModel]:
    yield loaded(CHAT[request.param](tmp_path_factory.mktemp(request.param)))
    gc.collect()


@pytest.fixture(scope="module")
def llava(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    return loaded(CHAT["llava"](tmp_path_factory.mktemp("alone")))


def library_model(model: LocalModel) -> Any:
    return model.checkpoint.score.args[0]  # type: ignore[attr-defined]


def features_of(model: LocalModel) -> ImageFeatures:
    return cast("ImageFeatures", model.checkpoint.forget.__self__)  # type: ignore[attr-defined]


def without_features(model: LocalModel) -> LocalModel:
    checkpoint = replace(model.checkpoint, score=partial(option_scores, library_model(model)))
    return LocalModel(checkpoint, lambda: {})


@pytest.fixture
def encoded(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return counted(model, monkeypatch)


def counted(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Gets an entry each time the model encodes images."""
    made: list[int] = []
    inner = library_model(model).model
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


def test_scores_have_the_same_bits_and_images_are_encoded_once(model: LocalModel, encoded: list[int]) -> None:
    questions = ranked_questions()
    remembered = list(model.answer(questions))
    again = len(encoded)
    plain = list(without_features(model).answer(questions))
    assert all(answer.status == "ok" for answer in plain)
    assert remembered == plain
    assert len(encoded) - again == 9
    family = library_model(model).config.model_type
    assert again == (5 if family in FAMILIES else 9)  # three images alone, and two orders of a pair


def test_the_order_of_questions_changes_no_bit(model: LocalModel) -> None:
    questions = ranked_questions()
    forwards, backwards = list(model.answer(questions)), list(model.answer(questions[::-1]))
    assert backwards[::-1] == forwards
    assert [next(model.answer([one])) for one in questions] == forwards


def test_every_family_that_ranks_after_a_shared_prefix_is_covered() -> None:
    assert set(CHAT) - FAMILIES == {"mllama"}


def test_features_that_do_not_fit_are_forgotten_oldest_first(
    llava: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, c = ([llava.checkpoint.encode([prompt([picture(seed)])])][0] for seed in range(3))
    asked = library_model(llava)
    one = asked.model.get_image_features(a["pixel_values"]).pooler_output[0]
    size = one.numel() * one.element_size()
    made = counted(llava, monkeypatch)
    features = ImageFeatures(asked, most_bytes=2 * size)
    for inputs, encodings in ((a, 1), (b, 2), (a, 2), (c, 3), (a, 3), (b, 4), (c, 5)):
        features.inputs(inputs)
        assert len(made) == encodings
    nothing = ImageFeatures(asked, most_bytes=size - 1)
    for number in (6, 7):
        shown = nothing.inputs(a)["mm_encoder_outputs"]["image"].pooler_output[0]
        assert torch.equal(shown, one)
        assert len(made) == number


def test_only_what_the_language_model_reads_is_kept(llava: LocalModel) -> None:
    inputs = llava.checkpoint.encode([prompt([picture(0)])])
    image = ImageFeatures(library_model(llava)).inputs(inputs)["mm_encoder_outputs"]["image"]
    assert image.hidden_states is None
    assert image.last_hidden_state is None


def test_one_other_pixel_is_another_image(llava: LocalModel) -> None:
    changed = picture(0)
    changed.putpixel((30, 30), (255, 0, 0))
    questions = [question([image], options=OPTIONS) for image in (picture(0), changed)]
    first, second = llava.answer(questions)
    assert first.option_scores != second.option_scores
    assert [first, second] == list(without_features(llava).answer(questions))


def test_features_are_forgotten_after_the_last_question(llava: LocalModel) -> None:
    questions = [question([picture(seed)], options=OPTIONS) for seed in (0, 0, 1)]
    kept = features_of(llava)._kept
    arriving = llava.answers_as_they_come(questions)
    next(arriving)
    assert len(kept) == 1
    list(arriving)
    assert not kept
    stopped = llava.answers_as_they_come(questions)
    next(stopped)
    cast("Generator[Any]", stopped).close()
    assert not kept


def test_weights_that_change_between_two_runs_are_used(llava: LocalModel) -> None:
    asked = [question([picture(0)], options=OPTIONS)]
    before: list[Answer] = list(llava.answer(asked))
    weight = library_model(llava).model.multi_modal_projector.linear_1.weight.data
    kept = weight.clone()
    weight.zero_()
    try:
        assert list(llava.answer(asked)) != before
    finally:
        weight.copy_(kept)


def test_other_families_get_pixels(llava: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = llava.checkpoint.encode([prompt([picture(0)])])
    asked = library_model(llava)
    plain = on_device(asked, inputs)
    assert set(ImageFeatures(asked).inputs(inputs)) == {*plain, "mm_encoder_outputs"} - {"pixel_values"}
    monkeypatch.setattr(image_features, "FAMILIES", frozenset())
    assert set(ImageFeatures(asked).inputs(inputs)) == set(plain)


def test_a_library_that_takes_no_features_gets_pixels(llava: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = llava.checkpoint.encode([prompt([picture(0)])])
    asked = library_model(llava)
    monkeypatch.setattr(asked, "forward", lambda input_ids=None, pixel_values=None, **more: None)
    assert "pixel_values" in ImageFeatures(asked).inputs(inputs)
