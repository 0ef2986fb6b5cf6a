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
from whatif.models.fine_tuning import trained_weights
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
        check_trainable("tiny", toy.settings(Path("anywhere"), **more), toy.recipe())


def lora_weights(chat: Chat) -> dict[str, Any]:
    return {name: value for name, value in weights(chat).items() if "lora_" in name}


def without_lora(chat: Chat) -> dict[str, Any]:
    """The other weights, under the names that they had before."""
    return {name.replace(".base_layer", ""): value for name, value in weights(chat).items() if "lora_" not in name}


LORA = {"rank": 8, "alpha": 32}


def test_a_lora_learns_the_answer_and_leaves_all_other_weights(folder: Path) -> None:
    pytest.importorskip("peft")
    before = weights(load_chat(toy.settings(folder)))
    chat, rows = tuned(folder, lora=LORA, learning_rate=1e-2)
    assert rows[1]["loss"] > 3
    assert rows[-1]["loss"] < 0.2
    assert right(chat, range(8, 16)) == 8
    assert not differ(before, without_lora(chat))
    assert any(value.any() for name, value in lora_weights(chat).items() if "lora_B" in name)
    assert not any(module.training for module in chat.network.modules())
    assert not any(weight.requires_grad or weight.grad is not None for weight in chat.network.parameters())


def test_a_lora_begins_as_the_seed_says_and_changes_nothing_at_first(folder: Path) -> None:
    pytest.importorskip("peft")
    held_out = {"held_out": 2, "steps": 2, "lora": LORA}
    (first, rows), (again, same) = tuned(folder, **held_out), tuned(folder, **held_out)
    assert rows == same and not differ(weights(first), weights(again))
    other, others = tuned(folder, seed=1, **held_out)
    assert differ(lora_weights(first), lora_weights(other))
    _, of_all = tuned(folder, held_out=2, steps=2)
    assert rows[0] == others[0] == of_all[0]


@pytest.mark.parametrize(
    ("more", "layers"),
    [
        ({}, {"vision", "projector", "language"}),
        ({"trains": "language"}, {"language"}),
        ({"lora": {"target_modules": ["q_proj"]}}, {"vision", "language"}),
    ],
)
def test_a_lora_is_where_the_settings_say(folder: Path, more: dict[str, Any], layers: set[str]) -> None:
    pytest.importorskip("peft")
    chat, _ = tuned(folder, **{"lora": {"rank": 3}, "steps": 1, **more})
    names = lora_weights(chat)
    assert {place for place in ("vision", "projector", "language") if any(place in name for name in names)} == layers
    assert not any("lm_head" in name for name in names)
    assert ("target_modules" in more.get("lora", {})) == all("q_proj" in name for name in names)


@pytest.mark.parametrize("dtype", ["bfloat16", pytest.param("float16", marks=pytest.mark.soak)])
def test_in_half_precision_only_a_lora_is_float32(folder: Path, dtype: str) -> None:
    pytest.importorskip("peft")
    chat, rows = tuned(folder, lora=LORA, learning_rate=1e-2, steps=10, dtype=dtype)
    assert chat.network.dtype == getattr(torch, dtype)
    assert {value.dtype for value in lora_weights(chat).values()} == {torch.float32}
    assert not differ(weights(load_chat(toy.settings(folder, dtype=dtype))), without_lora(chat))
    assert rows[-1]["loss"] < rows[1]["loss"] / 2


def test_layers_that_a_checkpoint_lacks_are_named_with_those_that_it_has(folder: Path) -> None:
    message = (
        r"fine-tuning of tiny: lora.target_modules: there is no linear layer 'c_attn' to train; there are down_proj, "
    )
    with pytest.raises(WhatifError, match=message):
        tuned(folder, lora={"target_modules": ["q_proj", "c_attn"]}, trains="language")


def test_without_peft_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained_weights, "find_spec", lambda name: None)
    with pytest.raises(WhatifError, match=r"fine-tuning of tiny: peft is not installed; .* extra `lora`"):
        check_trainable("tiny", toy.settings(Path("anywhere")), toy.recipe(lora={}))
