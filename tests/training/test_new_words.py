"""Words that a tokeniser splits become tokens, and the model reads them at once as the mean of their pieces."""

from __future__ import annotations

import pytest

from training.names import EMBEDDED
from training.new_words import add_words, unknown_words
from training.vision_language_parts import load_start

pytestmark = pytest.mark.training

TEXTS = ["What would be mirrored if the museum were sideways?", "Is the museum near a museums' mirror, or the ball?"]


def test_split_words_become_tokens_and_others_stay() -> None:
    import torch

    model, processor = load_start(EMBEDDED / "llava-original")
    tokenizer = processor.tokenizer
    before = tokenizer.encode(" the ball", add_special_tokens=False)
    words = unknown_words(tokenizer, TEXTS, 10)
    assert {" mirrored", " sideways", " mirror", " museums"} < set(words)
    assert not {" the", " ball"} & set(words)
    pieces = model.get_input_embeddings().weight[tokenizer.encode(" mirrored", add_special_tokens=False)].mean(dim=0)
    add_words(model, tokenizer, words)
    [token] = tokenizer.encode(" mirrored", add_special_tokens=False)
    assert torch.equal(model.get_input_embeddings().weight[token], pieces)
    assert model.lm_head.weight.shape[0] == model.config.text_config.vocab_size == len(tokenizer)
    assert tokenizer.encode(" the ball", add_special_tokens=False) == before
    assert tokenizer.decode(tokenizer.encode(TEXTS[0], add_special_tokens=False)) == TEXTS[0]


def test_a_word_that_begins_another_one_is_left_out_unless_both_are_new() -> None:
    _, processor = load_start(EMBEDDED / "llava-original")
    assert unknown_words(processor.tokenizer, [*TEXTS, *[" museum"] * 3], 1) == []
    assert set(unknown_words(processor.tokenizer, [" museum", " museums"], 2)) == {" museum", " museums"}
