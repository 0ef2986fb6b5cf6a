"""Counterfactual captions: replaces one noun of a caption (COCO-Counterfactuals 3.1, B.1.1)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from whatif.engine.files.well_formed import well_formed
from whatif.engine.language.latin import is_latin_word
from whatif.engine.language.tagging import NOUN, Noun, Tagger, located

Row: TypeAlias = Mapping[str, Any]

OK = "ok"
SAME_WORD, NOT_A_WORD, REPEATED, NOT_A_NOUN = "same word", "not a word", "repeated", "not a noun"


@dataclass(frozen=True)
class Replacement:
    """A masked language model's replacement of a noun; `whole` is false for a piece of a longer word."""

    word: str
    whole: bool
    probability: float


@dataclass(frozen=True)
class Filled:
    """The replacements of each noun of a caption, most probable first; `too_long` is the reason if there are none."""

    places: list[list[Replacement]]
    too_long: str | None = None


class FillsMasks(Protocol):
    """Finds the most probable replacements (`whatif.models.language.masked.MaskedLanguageModel`)."""

    def replacements(self, captions: Iterable[tuple[str, Sequence[Noun]]], top: int) -> Iterator[Filled]:
        """The replacements for captions and their nouns, in the same order."""


def caption_candidates(
    captions: Iterable[Row], model: FillsMasks, tag: Tagger, top: int = 10
) -> Iterator[tuple[list[dict[str, Any]], dict[str, str] | None]]:
    """For each row of `captions`: its rows of `caption_candidates`, not yet measured, and its rejection or None.

    A caption has `top` candidates for each noun: none if it has no nouns, and none if it is too long for the model,
    which is its rejection. `tag` is the tagger that found the nouns. Captions are read lazily.
    """
    asked, kept = itertools.tee(captions)
    filled = model.replacements(((row["caption"], nouns_of(row)) for row in asked), top)
    for row, found in zip(kept, filled, strict=True):
        if found.too_long is not None:
            rejection = {"item_id": row["caption_id"], "reason": "caption too long", "detail": found.too_long}
            yield [], rejection
        else:
            yield list(_candidates(row, found, tag)), None


def nouns_of(row: Row) -> list[Noun]:
    """The nouns in a row of `captions`."""
    return [Noun(noun["start"], noun["end"], noun["noun"]) for noun in row["nouns"]]


def swapped(caption: str, noun: Noun, word: str) -> str:
    """The caption with `word` in place of the noun. Articles are unchanged, as in the paper."""
    return f"{caption[: noun.start]}{word}{caption[noun.end :]}"


def _candidates(row: Row, filled: Filled, tag: Tagger) -> Iterator[dict[str, Any]]:
    caption = row["caption"]
    words = len(tag(caption))
    for place, (noun, replacements) in enumerate(zip(nouns_of(row), filled.places, strict=True)):
        seen: set[str] = set()
        for rank, replacement in enumerate(replacements):
            word = _capitalised_as(noun, well_formed(replacement.word))
            counterfactual = swapped(caption, noun, word)
            status = _status(noun, word, replacement.whole, seen)
            if status == OK and not _is_one_noun(tag, counterfactual, noun.start, word, words):
                status = NOT_A_NOUN
            seen.add(word.casefold())
            yield {
                "caption_id": row["caption_id"],
                "place": place,
                "rank": rank,
                "caption_0": caption,
                "caption_1": counterfactual,
                "subject_0": noun.noun,
                "subject_1": word,
                "probability": replacement.probability,
                "status": status,
                "similarity": None,
                "perplexity": None,
            }


def _status(noun: Noun, word: str, whole: bool, seen: set[str]) -> str:
    if not whole or not is_latin_word(word):
        return NOT_A_WORD
    if word.casefold() == noun.noun.casefold():
        return SAME_WORD
    return REPEATED if word.casefold() in seen else OK  # vocabularies have a word with and without a capital


def _is_one_noun(tag: Tagger, caption: str, start: int, word: str, words: int) -> bool:
    """Whether the caption has as many words as the original, and a noun in that position."""
    tagged = tag(caption)
    return len(tagged) == words and any(
        (begin, end) == (start, start + len(word)) and part.startswith(NOUN)
        for begin, end, part in located(caption, tagged)
    )


def _capitalised_as(noun: Noun, word: str) -> str:
    """The replacement with a capital if the noun starts the caption with one; some models produce only lower case."""
    begins = noun.start == 0 and noun.noun[:1].isupper()
    return f"{word[:1].upper()}{word[1:]}" if begins else word
