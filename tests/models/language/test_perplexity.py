"""Perplexities of texts in packs and batches equal those of each text alone, by the library's own loss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tiny_checkpoints.language import TEXTS, tiny_bert, tiny_causal
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.language import perplexity
from whatif.models.language.perplexity import PACKED, PerplexityModel, perplexity_model

torch = pytest.importorskip("torch")

# Candidates of the same caption, texts that are the beginning of others, and a duplicate.
CANDIDATES = [text.replace(" a ", f" {word} ") for text in TEXTS for word in ("a", "the", "her", "red")]
LIST = [*CANDIDATES, *TEXTS, "A man", "A man rides", "the", "cat sit near the old wooden table."]


def loaded(folder: Path, batch_size: int = 8) -> PerplexityModel:
    return perplexity_model(LocalCheckpoint(checkpoint=str(folder), batch_size=batch_size))


def by_the_library(model: PerplexityModel, text: str) -> float:
    inputs = model.tokenizer(text, return_tensors="pt", return_token_type_ids=False, add_special_tokens=False)
    with torch.inference_mode():
        return float(model.model(**inputs, labels=inputs["input_ids"]).loss.exp())


@pytest.mark.parametrize("family", [*sorted(PACKED), "opt"])
@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_perplexities_are_those_of_single_texts(tmp_path: Path, family: str, batch_size: int) -> None:
    model = loaded(tiny_causal(tmp_path, family), batch_size)
    assert (model.model.config.model_type in PACKED) == (family != "opt")
    found = list(model.perplexities(LIST))
    assert found == pytest.approx([by_the_library(model, text) for text in LIST], rel=1e-4)
    assert len({round(float(one or 0), 3) for one in found}) == len(set(LIST))
    assert list(model.perplexities(reversed(LIST)))[::-1] == pytest.approx(found, rel=1e-4)


def test_without_a_token_that_could_be_predicted_there_is_none(tmp_path: Path) -> None:
    model = loaded(tiny_causal(tmp_path))
    one_token = "e"
    assert len(model.tokenizer(one_token)["input_ids"]) == 1
    too_long = " ".join(TEXTS * 2)
    assert len(model.tokenizer(too_long)["input_ids"]) > 64
    found = list(model.perplexities([one_token, "", TEXTS[0], too_long]))
    assert found == [None, None, pytest.approx(by_the_library(model, TEXTS[0]), rel=1e-4), None]
    assert list(model.perplexities([])) == []


def test_it_is_the_formula(tmp_path: Path) -> None:
    model = loaded(tiny_causal(tmp_path))
    ids = model.tokenizer(TEXTS[0], return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        told = model.model(input_ids=ids).logits[0].double().log_softmax(-1)
    mean = sum(float(told[place, ids[0, place + 1]]) for place in range(ids.shape[1] - 1)) / (ids.shape[1] - 1)
    assert list(model.perplexities([TEXTS[0]])) == pytest.approx([math.exp(-mean)], rel=1e-5)


def test_texts_are_taken_as_they_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perplexity, "_TEXTS_AT_ONCE", 4)
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield TEXTS[taken % len(TEXTS)]

    found = loaded(tiny_causal(tmp_path)).perplexities(endless())
    for asked in range(1, 10):
        next(found)
        assert taken <= 4 * ((asked + 3) // 4)


def test_what_is_no_causal_language_model_is_one_line(tmp_path: Path) -> None:
    # The library would load a BERT as a decoder that sees what comes after.
    with pytest.raises(WhatifError, match="'bert' is not a causal language model") as error:
        loaded(tiny_bert(tmp_path))
    assert "\n" not in str(error.value)
