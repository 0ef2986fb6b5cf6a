"""Masks of many captions filled together equal the library's own pipeline one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tiny_checkpoints.language import TEXTS, tiny_bert, tiny_causal, tiny_roberta
from whatif.engine.errors import WhatifError
from whatif.engine.language.noun_swap import Filled
from whatif.engine.language.tagging import Noun
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.language import masked as masked_language
from whatif.models.language.masked import MaskedLanguageModel, masked_language_model, most_probable

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = ("man", "horse", "beach", "dogs", "cat", "table", "woman", "umbrella", "boy", "plate", "food", "fruit", "water")


def nouns(caption: str) -> list[Noun]:
    return [Noun(*word.span(), word[0]) for word in re.finditer(rf"\b({'|'.join(WORDS)})\b", caption)]


CAPTIONS = [(text, nouns(text)) for text in (*TEXTS, "umbrella", 'the "boy"', "horse food", "nothing here")]
FAMILIES = pytest.mark.parametrize("tiny", [tiny_bert, tiny_roberta])


def loaded(folder: Path, batch_size: int = 8) -> MaskedLanguageModel:
    return masked_language_model(LocalCheckpoint(checkpoint=str(folder), batch_size=batch_size))


@FAMILIES
def test_replacements_are_those_of_the_librarys_pipeline(tmp_path: Path, tiny: Callable[[Path], Path]) -> None:
    model = loaded(tiny(tmp_path))
    fill = transformers.pipeline("fill-mask", model=model.model, tokenizer=model.tokenizer, top_k=10)
    filled = list(model.replacements(CAPTIONS))
    assert [len(one.places) for one in filled] == [len(found) for _, found in CAPTIONS]
    for (caption, found), one in zip(CAPTIONS, filled, strict=True):
        for noun, replacements in zip(found, one.places, strict=True):
            expected = fill(f"{caption[: noun.start]}{model.tokenizer.mask_token}{caption[noun.end :]}")
            assert [r.probability for r in replacements] == pytest.approx([e["score"] for e in expected], rel=1e-4)
            said = [model.tokenizer.decode([e["token"]]).strip() for e in expected]
            assert [r.word for r in replacements] == said


@FAMILIES
def test_the_company_in_a_batch_changes_nothing(tmp_path: Path, tiny: Callable[[Path], Path]) -> None:
    folder = tiny(tmp_path)
    alone = [filled for one in CAPTIONS for filled in loaded(folder, 1).replacements([one], 5)]
    for batch_size in (1, 2, 64):
        together = list(loaded(folder, batch_size).replacements(reversed(CAPTIONS), 5))[::-1]
        for one, other in zip(alone, together, strict=True):
            for first, second in zip(one.places, other.places, strict=True):
                assert [r.word for r in first] == [r.word for r in second]
                assert [r.probability for r in first] == pytest.approx([r.probability for r in second], rel=1e-4)
    assert (
        len({filled.places[0][0].probability for filled in alone if filled.places}) > 5
    )  # the result depends on the captions


def test_a_piece_of_a_word_is_told_from_a_whole_one(tmp_path: Path) -> None:
    roberta = loaded(tiny_roberta(tmp_path / "roberta"))
    every = len(roberta.tokenizer)

    def whole(caption: str, word: str) -> dict[str, bool]:
        noun = Noun(caption.index(word), caption.index(word) + len(word), word)
        (filled,) = roberta.replacements([(caption, [noun])], every)
        tokens = dict(zip(most(roberta, caption, noun, every), filled.places[0], strict=True))
        return {token: one.whole for token, one in tokens.items()}

    after_space = whole("a man on", "man")
    assert after_space["Ġthe"] and not after_space["e"] and not after_space["<mask>"] and not after_space["</s>"]
    after_quote = whole('a "man" on', "man")
    assert after_quote["e"] and not after_quote["Ġthe"]
    at_start = whole("man on", "man")
    assert at_start["A"] and at_start["Ġthe"]
    bert = loaded(tiny_bert(tmp_path / "bert"))
    (filled,) = bert.replacements([("a man on", [Noun(2, 5, "man")])], len(bert.tokenizer))
    pieces = {one.word: one.whole for one in filled.places[0]}
    assert pieces["the"] and not pieces["[MASK]"]
    assert {one.whole for one in filled.places[0] if one.word.startswith("##")} == {False}


def most(model: MaskedLanguageModel, caption: str, noun: Noun, top: int) -> list[str]:
    """The tokens in order of their probability, by the library alone."""
    text = f"{caption[: noun.start]}{model.tokenizer.mask_token}{caption[noun.end :]}"
    inputs = model.tokenizer(text, return_tensors="pt", return_token_type_ids=False)
    with torch.inference_mode():
        logits = model.model(**inputs).logits[inputs["input_ids"] == model.tokenizer.mask_token_id]
    return [str(model.tokenizer.convert_ids_to_tokens(token)) for token, _ in most_probable(logits, top)[0]]


def test_ties_go_to_the_lower_token() -> None:
    logits = torch.tensor([[0.0, 2.0, 1.0, 1.0, 1.0], [3.0, 3.0, 3.0, 3.0, 3.0]])
    assert most_probable(logits, 3) == [[(1, 2.0), (2, 1.0), (3, 1.0)], [(0, 3.0), (1, 3.0), (2, 3.0)]]
    assert len(most_probable(logits, 99)[0]) == 5


def test_a_caption_beyond_the_models_positions_is_told_and_the_longest_one_is_not(tmp_path: Path) -> None:
    model = loaded(tiny_roberta(tmp_path, positions=22))
    fits, over = (f"man{' e' * length}" for length in range(100)), "man" + " e" * 100
    counted = {len(model.tokenizer(text)["input_ids"]): text for text in fits}
    longest = [text for tokens, text in counted.items() if tokens <= 20 + model_tokens(model) - 1][-1]
    first, second, third = model.replacements(
        [(longest, [Noun(0, 3, "man")]), (over, [Noun(0, 3, "man")]), ("a man", [Noun(2, 5, "man")])]
    )
    assert first.too_long is None and len(first.places[0]) == 10
    assert second == Filled([], second.too_long) and "the masked language model takes 20" in str(second.too_long)
    assert len(third.places) == 1


def model_tokens(model: MaskedLanguageModel) -> int:
    """The number of tokens of `man`: all of them become one mask."""
    return len(model.tokenizer("man", add_special_tokens=False)["input_ids"])


def test_captions_are_taken_as_they_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masked_language, "_CAPTIONS_AT_ONCE", 4)
    taken = 0

    def endless() -> Iterator[tuple[str, list[Noun]]]:
        nonlocal taken
        while True:
            taken += 1
            yield CAPTIONS[taken % len(CAPTIONS)]

    filled = loaded(tiny_bert(tmp_path)).replacements(endless())
    for asked in range(1, 10):
        next(filled)
        assert taken <= 4 * ((asked + 3) // 4)


def test_what_cannot_fill_masks_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="has no mask token") as error:
        loaded(tiny_roberta(tmp_path / "unmasked", mask=False))
    assert "\n" not in str(error.value)
    with pytest.raises(WhatifError, match="a 'gpt2' is not a masked language model"):
        loaded(tiny_causal(tmp_path / "causal"))
    with pytest.raises(WhatifError, match="no such folder"):
        loaded(tmp_path / "nowhere")


def test_a_model_that_gives_no_numbers_is_said(tmp_path: Path) -> None:
    model = loaded(tiny_bert(tmp_path))
    with torch.no_grad():
        model.model.get_output_embeddings().bias.fill_(float("nan"))
    with pytest.raises(WhatifError, match="not a number"):
        list(model.replacements(CAPTIONS))
