"""The embedded language models of captions: trainings of a few steps, and what is assessed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from tests.training.untrained import untrained
from training import assess_language
from training.assess_language import assess_causal_language, assess_masked_language, held_out_captions
from training.language import (
    LONGEST,
    build_causal_language,
    build_masked_language,
    train_causal_language,
    train_masked_language,
)
from training.recipes import LanguageRecipe, Schedule
from training.saving import save_checkpoint

pytestmark = pytest.mark.training

Train = Callable[[LanguageRecipe, int, int, Path, Path], list[dict[str, float]]]
TRAININGS = {
    "masked": (train_masked_language, assess_masked_language),
    "next": (train_causal_language, assess_causal_language),
}
LOG_EVERY = 4
RECIPE = LanguageRecipe(train=Schedule(steps=12, batch=8, learning_rate=3e-3, warmup=2))


class Trained(NamedTuple):
    """One of TRAININGS, the name of its loss, what it made, and its log."""

    train: Train
    assess: Callable[[Path, int], dict[str, Any]]
    loss: str
    folder: Path
    lines: list[dict[str, float]]


@pytest.fixture(scope="module", params=TRAININGS)
def trained(request: pytest.FixtureRequest, short_logs: None, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    train, assess = TRAININGS[request.param]
    folder = tmp_path_factory.mktemp(request.param) / "first"
    return Trained(train, assess, request.param, folder, train(RECIPE, 3, 1, folder, folder / "log"))


def test_the_loss_falls(trained: Trained) -> None:
    first, _, last = trained.lines
    assert last[trained.loss] < 0.9 * first[trained.loss]
    assert (trained.folder / "model.safetensors").stat().st_size <= 1_000_000


def test_the_same_seed_gives_the_same_bytes(trained: Trained, tmp_path: Path) -> None:
    again = tmp_path / "again"
    assert trained.train(RECIPE, 3, 1, again, again / "log") == trained.lines
    for file in trained.folder.iterdir():
        assert file.read_bytes() == (again / file.name).read_bytes(), file.name


def test_another_seed_gives_other_losses(trained: Trained, tmp_path: Path) -> None:
    """From the first steps on, which have the same learning rates."""
    recipe = LanguageRecipe(train=RECIPE.train.model_copy(update={"steps": LOG_EVERY, "decay": RECIPE.train.steps}))
    (line,) = trained.train(recipe, 4, 1, tmp_path / "other", tmp_path / "log")
    first = trained.lines[0]
    assert line["learning_rate"] == first["learning_rate"] and line[trained.loss] != first[trained.loss]


def test_the_assessment_is_repeatable(trained: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assess_language, "_BASELINE_CAPTIONS", 200)
    table = trained.assess(trained.folder, 60)
    assert table == trained.assess(trained.folder, 60)
    assert json.loads(json.dumps(table)) == table
    if "nouns" in table:
        assert table["nouns"]["top_10"]["accuracy"] >= table["nouns"]["top_1"]["accuracy"]
        assert table["words"]["top_1"]["n"] == 60
    else:
        assert table["captions"] < table["shuffled"]


@pytest.mark.parametrize(
    ("build", "model_class"),
    [(build_masked_language, AutoModelForMaskedLM), (build_causal_language, AutoModelForCausalLM)],
)
def test_saving_and_loading_gives_the_same(
    build: Callable[[int], tuple[Any, Any]], model_class: Any, tmp_path: Path
) -> None:
    tokenizer, model = untrained(build)
    save_checkpoint(model, tokenizer, tmp_path)
    loaded = model_class.from_pretrained(tmp_path, dtype=torch.float32)
    texts = held_out_captions(8)
    inputs = AutoTokenizer.from_pretrained(tmp_path)(texts, padding=True, return_tensors="pt")
    assert inputs.input_ids.tolist() == tokenizer(texts, padding=True).input_ids
    assert inputs.input_ids.shape[1] <= LONGEST
    with torch.inference_mode():
        assert torch.equal(loaded(**inputs).logits, model(**inputs).logits)


def test_a_mask_takes_the_space_before_it() -> None:
    tokenizer, _ = untrained(build_masked_language)
    whole = tokenizer("A red ball on a white background.").input_ids
    masked = tokenizer("A red <mask> on a white background.").input_ids
    assert len(whole) == len(masked)
    assert [place for place, (one, other) in enumerate(zip(whole, masked, strict=True)) if one != other] == [3]
    assert whole[0] == tokenizer.bos_token_id and whole[-1] == tokenizer.eos_token_id
    assert masked[3] == tokenizer.mask_token_id


def test_the_causal_tokenizer_adds_nothing() -> None:
    tokenizer, _ = untrained(build_causal_language)
    text = "A red ball on a white background."
    assert tokenizer.decode(tokenizer(text).input_ids) == text
    assert tokenizer("<s>A").input_ids[0] == tokenizer.bos_token_id
