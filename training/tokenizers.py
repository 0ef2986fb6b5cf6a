"""Trains the byte-level BPE tokenizers of the embedded checkpoints on the models' training texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whatif.engine.errors import WhatifError

NUMBERS = range(100)  # each can be a single token
_COMMON = 10_000  # repetitions of each number in the texts, so that its merges come before those of words
_CLIP_START, _CLIP_END = "<|startoftext|>", "<|endoftext|>"
_CLIP_WORD_END = "</w>"


def train_tokenizer(
    texts: Iterable[str],
    vocabulary_size: int,
    special_tokens: Mapping[str, str],
    further_tokens: Sequence[str] = (),
    *,
    whole_numbers: bool = False,
    framed: bool = False,
    longest: int | None = None,
) -> Any:
    """A `transformers.PreTrainedTokenizerFast` of at most `vocabulary_size` tokens; decoding restores any text.

    `special_tokens` are named by their role (`{"pad_token": "<pad>", "bos_token": "<s>", ...}`) and have the first
    ids in this order; `further_tokens` (`<image>`) have the next. With `whole_numbers` each number from 0 to 99 with
    a space before it is one token. `framed` adds the tokens `bos_token` and `eos_token` around every text, as BERT's
    tokenizer does. `longest` is the number of tokens at which `truncation=True` cuts.

    Raises WhatifError when the vocabulary has no room for the bytes, the special tokens and the numbers.
    """
    import tokenizers
    import transformers

    specials = [*special_tokens.values(), *further_tokens]
    least = len(specials) + 256 + (len(NUMBERS) if whole_numbers else 0)
    if vocabulary_size < least:
        raise WhatifError(f"tokenizer: vocabulary_size is {vocabulary_size}; special tokens and bytes need {least}")
    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary_size,
        special_tokens=[_mask(token) if token == special_tokens.get("mask_token") else token for token in specials],
        initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    numbers = [f" {number}" for number in NUMBERS] if whole_numbers else []
    core.train_from_iterator([*texts, *("".join(numbers) for _ in range(_COMMON if numbers else 0))], trainer)
    for number in numbers:
        if len(core.encode(number).ids) != 1:
            raise WhatifError(
                f"tokenizer: {number!r} is not a single token; increase vocabulary_size ({vocabulary_size})"
            )
    if framed:
        start, end = special_tokens["bos_token"], special_tokens["eos_token"]
        core.post_processor = tokenizers.processors.TemplateProcessing(
            single=f"{start} $A {end}",
            pair=f"{start} $A {end} $B {end}",
            special_tokens=[(token, core.token_to_id(token)) for token in (start, end)],
        )
    tokenizer_class: Any = transformers.PreTrainedTokenizerFast
    return tokenizer_class(
        tokenizer_object=core,
        additional_special_tokens=list(further_tokens),
        clean_up_tokenization_spaces=False,
        **{name: _mask(token) if name == "mask_token" else token for name, token in special_tokens.items()},
        **({} if longest is None else {"model_max_length": longest}),
    )


def train_clip_tokenizer(texts: Iterable[str], vocabulary_size: int, longest: int) -> Any:
    """A `transformers.CLIPTokenizer` of at most `vocabulary_size` tokens, lower-case, cut at `longest` tokens.

    As in CLIP's own tokenizer, every byte has a token within a word and at its end, and the end of the text has the
    largest id: so no text has an unknown token (which would be taken for the end), and both methods by which
    `CLIPModel` finds the end agree. Raises WhatifError when the vocabulary has no room for the bytes.
    """
    import tokenizers
    import transformers

    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    fixed = [*alphabet, *(letter + _CLIP_WORD_END for letter in alphabet)]
    room = vocabulary_size - len(fixed) - 2
    if room < 0:
        raise WhatifError(f"CLIP tokenizer: vocabulary_size is {vocabulary_size}; the bytes need {len(fixed) + 2}")
    # Normalisation and pre-tokenisation are those of the class itself.
    template = transformers.CLIPTokenizer().backend_tokenizer
    core = tokenizers.Tokenizer(tokenizers.models.BPE(end_of_word_suffix=_CLIP_WORD_END))
    core.normalizer, core.pre_tokenizer = template.normalizer, template.pre_tokenizer
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary_size,
        initial_alphabet=alphabet,
        end_of_word_suffix=_CLIP_WORD_END,
        show_progress=False,
    )
    core.train_from_iterator(texts, trainer)
    merges: Any = [(left, right) for left, right in json.loads(core.to_str())["model"]["merges"]][:room]
    pieces = dict.fromkeys([*fixed, *(left + right for left, right in merges), _CLIP_START, _CLIP_END])
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    return transformers.CLIPTokenizer(vocab=vocabulary, merges=merges, model_max_length=longest)


def _mask(token: str) -> Any:
    """`a <mask>` masks the word with the space before it, because words are learned with their space."""
    import tokenizers

    return tokenizers.AddedToken(token, lstrip=True, special=True)
