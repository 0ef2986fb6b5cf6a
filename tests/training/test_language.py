"""The embedded language models of captions: trainings of a few steps, and what is assessed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from whatif.training.assess_language import assess_causal_language, assess_masked_language, held_out_captions
from whatif.training.language import (
    LONGEST,
    build_causal_language,
    build_masked_language,
    train_causal_language,
    train_masked_language,
)
from whatif.training.recipes import LanguageRecipe, Schedule
from whatif.training.saving import save_checkpoint

pytestmark = pytest.mark.slow

Train = Callable[[LanguageRecipe, int, int, Path, Path], list[dict[str, float]]]
TRAININGS = [(train_masked_language, assess_masked_language), (train_causal_language, assess_causal_language)]


@pytest.mark.usefixtures("short_logs")
@pytest.mark.parametrize(("train", "assess"), TRAININGS)
def test_a_training(train: Train, assess: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    """The loss falls; the same seed gives the same bytes and another one does not; the assessment is repeatable."""
    recipe = LanguageRecipe(train=Schedule(steps=12, batch=16, learning_rate=3e-3, warmup=2))
    folders = [tmp_path / name for name in ("first", "second", "other")]
    lines = [train(recipe, seed, 1, folder, folder / "log") for seed, folder in zip((3, 3, 4), folders, strict=True)]
    (name,) = lines[0][0].keys() - {"step", "learning_rate"}
    assert lines[0][2][name] < 0.9 * lines[0][0][name]
    assert lines[0] == lines[1] != lines[2]
    for file in folders[0].iterdir():
        assert file.read_bytes() == (folders[1] / file.name).read_bytes(), file.name
    weights = [hashlib.sha256((folder / "model.safetensors").read_bytes()).digest() for folder in folders]
    assert weights[0] != weights[2]
    assert (folders[0] / "model.safetensors").stat().st_size <= 1_000_000
    table = assess(folders[0], 60)
    assert table == assess(folders[0], 60)
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
    torch.manual_seed(3)
    tokenizer, model = build(3)
    save_checkpoint(model, tokenizer, tmp_path)
    loaded = model_class.from_pretrained(tmp_path, dtype=torch.float32)
    texts = held_out_captions(8)
    inputs = AutoTokenizer.from_pretrained(tmp_path)(texts, padding=True, return_tensors="pt")
    assert inputs.input_ids.tolist() == tokenizer(texts, padding=True).input_ids
    assert inputs.input_ids.shape[1] <= LONGEST
    with torch.inference_mode():
        assert torch.equal(loaded(**inputs).logits, model(**inputs).logits)


def test_a_mask_takes_the_space_before_it() -> None:
    tokenizer, _ = build_masked_language(3)
    whole = tokenizer("A red ball on a white background.").input_ids
    masked = tokenizer("A red <mask> on a white background.").input_ids
    assert len(whole) == len(masked)
    assert [place for place, (one, other) in enumerate(zip(whole, masked, strict=True)) if one != other] == [3]
    assert whole[0] == tokenizer.bos_token_id and whole[-1] == tokenizer.eos_token_id
    assert masked[3] == tokenizer.mask_token_id


def test_the_causal_tokenizer_adds_nothing() -> None:
    tokenizer, _ = build_causal_language(3)
    text = "A red ball on a white background."
    assert tokenizer.decode(tokenizer(text).input_ids) == text
    assert tokenizer("<s>A").input_ids[0] == tokenizer.bos_token_id
