"""A tokenizer whose marks of reasoning are special tokens, as those of Magistral and gpt-oss are."""

from __future__ import annotations

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from whatif.engine.language.reasoning import Split, split_reasoning
from whatif.models.local.answer_place import decoded


def test_marks_that_are_special_tokens_are_kept() -> None:
    words = ["[UNK]", "</s>", "[THINK]", "[/THINK]", "four", "three"]
    inner = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token="</s>", extra_special_tokens=["[THINK]", "[/THINK]"]
    )
    assert split_reasoning(decoded(tokenizer, [2, 4, 3, 5, 1])) == Split("four", "three", cut_off=False)
    assert split_reasoning(decoded(tokenizer, [2, 4])).cut_off
    assert decoded(tokenizer, [5, 1]) == "three"
