"""Fine-tuning learns a mapping, and is the same for the same seed."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.models.families import checkpoint
from tests.models.fine_tuning import toy
from whatif.engine.errors import WhatifError
from whatif.models.fine_tuning.trained_weights import check_trainable
from whatif.models.fine_tuning.training import fine_tune
from whatif.models.local.chat import Chat, load_chat

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def folder() -> Path:
    torch.set_num_threads(1)
    return checkpoint("llava")


def tuned(folder: Path, *, seed: int = 0, held_out: int = 0, **more: Any) -> tuple[Chat, list[dict[str, Any]]]:
    entry = {key: more.pop(key) for key in ("dtype",) if key in more}
    chat = load_chat(toy.settings(folder, **entry))
    checked = toy.examples(10)[8 : 8 + held_out]
    return chat, fine_tune("tiny", chat, toy.examples(8), checked, toy.recipe(**more), seed=seed)


def weights(chat: Chat) -> dict[str, Any]:
    return {name: value.clone() for name, value in chat.network.state_dict().items()}


def differ(first: dict[str, Any], second: dict[str, Any]) -> set[str]:
    return {name for name, value in first.items() if not torch.equal(value, second[name])}


def right(chat: Chat, numbers: range) -> int:
    questions = [toy.question(number, list(toy.COLOURS)[number % 2]) for number in numbers]
    scores = [answer.option_scores or () for answer in chat.model.answer(questions)]
    return sum(
        max(range(2), key=lambda place: of[place].mean) == number % 2
        for of, number in zip(scores, numbers, strict=True)
    )


@pytest.mark.parametrize("family", ["llava", "qwen2_5_vl"])
def test_the_answer_is_learnt_from_the_image_and_then_given(family: str) -> None:
    chat, rows = tuned(checkpoint(family), held_out=2)
    assert rows[1]["loss"] > 3
    assert rows[-1]["loss"] < 0.2
    assert rows[0]["held_out_loss"] > 3
    assert rows[-1]["held_out_loss"] < 0.2
    assert right(chat, range(8, 16)) == 8  # of shades that were not trained on
    asked = toy.question(9, "blue")
    said = next(chat.model.answer([replace(asked, options=())]))
    assert (said.response, said.finish) == ("blue", "stop")  # the end of the answer was learnt, too


def test_the_same_seed_gives_the_same_weights(folder: Path) -> None:
    (first, rows), (again, same) = tuned(folder, steps=6), tuned(folder, steps=6)
    assert rows == same
    assert not differ(weights(first), weights(again))
    other, _ = tuned(folder, steps=6, seed=1)
    assert differ(weights(first), weights(other))


def test_passes_are_added_up_to_a_step(folder: Path) -> None:
    whole, rows = tuned(folder, steps=3, batch_size=4)
    parts, same = tuned(folder, steps=3, batch_size=1, accumulation=4)
    assert [row["loss"] for row in rows[1:]] == pytest.approx([row["loss"] for row in same[1:]], abs=1e-4)
    for name, value in weights(whole).items():
        assert torch.allclose(value.float(), weights(parts)[name].float(), atol=2e-3), name


def test_held_out_examples_are_only_reported(folder: Path) -> None:
    without, rows = tuned(folder, steps=10)
    with_some, more = tuned(folder, steps=10, held_out=2)
    assert not differ(weights(without), weights(with_some))
    assert {row["held_out_loss"] for row in rows} == {None}
    assert [row["step"] for row in more if row["held_out_loss"] is not None] == [0, 5, 10]


def test_only_the_language_model_is_trained(folder: Path) -> None:
    chat = load_chat(toy.settings(folder))
    before = weights(chat)
    fine_tune("tiny", chat, toy.examples(8), [], toy.recipe(steps=2, trains="language"), seed=0)
    changed = differ(before, weights(chat))
    assert any("embed_tokens" in name for name in changed)
    assert any("lm_head" in name for name in changed)
    assert {name for name in changed if "vision_tower" in name or "projector" in name} == set()
    fine_tune("tiny", chat, toy.examples(8), [], toy.recipe(steps=2), seed=0)
    assert any("vision_tower" in name for name in differ(before, weights(chat)))


def test_statistics_of_batch_normalisation_stay() -> None:
    chat = load_chat(toy.settings(Path("embedded:llava-scenes")))
    before = weights(chat)
    fine_tune("tiny", chat, toy.examples(2), [], toy.recipe(steps=1, batch_size=2), seed=0)
    changed = differ(before, weights(chat))
    assert any("vision_tower" in name for name in changed)
    assert {name for name in changed if "running" in name or "num_batches" in name} == set()


def test_the_network_is_ready_to_answer_afterwards(folder: Path) -> None:
    chat, rows = tuned(folder, steps=20, dtype="bfloat16")
    assert chat.network.dtype == torch.bfloat16
    assert not any(module.training for module in chat.network.modules())
    assert not any(weight.requires_grad or weight.grad is not None for weight in chat.network.parameters())
    assert rows[-1]["loss"] < 0.5
    assert right(chat, range(8, 12)) == 4


def test_the_learning_rate_rises_and_falls(folder: Path) -> None:
    _, rows = tuned(folder, steps=9, warmup=4, learning_rate=1e-3)
    rates = [row["learning_rate"] for row in rows]
    assert rates[:5] == pytest.approx([0, 2.5e-4, 5e-4, 7.5e-4, 1e-3])
    assert rates[5:] == sorted(rates[5:], reverse=True)
    assert rates[7] == pytest.approx(1e-3 * (0.01 + 0.99 / 2))  # half of the cosine
    assert rates[-1] == pytest.approx(1e-5)


def test_an_exploding_loss_names_the_step_and_the_setting(folder: Path) -> None:
    chat = load_chat(toy.settings(folder))
    with torch.no_grad():
        chat.network.lm_head.weight[0, 0] = math.nan
    with pytest.raises(WhatifError, match=r"fine-tuning of tiny: the loss is nan at step 1; lower learning_rate \(now"):
        fine_tune("tiny", chat, toy.examples(4), [], toy.recipe(), seed=0)
    assert not chat.network.training


def test_nothing_to_train_on_is_an_error(folder: Path) -> None:
    with pytest.raises(WhatifError, match="fine-tuning of tiny: there are no examples"):
        fine_tune("tiny", load_chat(toy.settings(folder)), [], [], toy.recipe(), seed=0)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"quantization": "4bit"}, r"models.tiny.quantization: 4bit weights cannot be trained"),
        (
            {"device_map": "auto"},
            r"models.tiny.device_map: weights on several devices cannot be trained; give `device`",
        ),
        ({"lora": "anywhere"}, r"models.tiny.lora: a checkpoint with a LoRA is not trained further"),
    ],
)
def test_weights_that_cannot_be_trained_are_named_before_anything_is_loaded(more: dict[str, Any], message: str) -> None:
    with pytest.raises(WhatifError, match=message):
        check_trainable("tiny", toy.settings(Path("anywhere"), **more))
