"""Counterfactual captions in the manner of the released COCO-Counterfactuals, which the paper does not print.

The caption is split into the tagger's words, which are joined by spaces. Nouns (NN and NNS) are masked in this text, a
replacement must be NN, NNS or NNP, and the counterfactual is the text as the masked language model decodes it. So it
may differ from the original in more than a word: 2,638 of the 17,410 released ones do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from whatif.engine.files.well_formed import well_formed
from whatif.engine.language.latin import is_latin_word
from whatif.engine.language.noun_swap import (
    NOT_A_NOUN,
    NOT_A_WORD,
    OK,
    REPEATED,
    SAME_WORD,
    Filled,
    FillsMasks,
    Row,
)
from whatif.engine.language.tagging import Noun, Tagged, Tagger

MASKED = frozenset({"NN", "NNS"})
ACCEPTED = frozenset({"NN", "NNS", "NNP"})
# What decoding replaces, in this order (`clean_up_tokenization_spaces` of the library).
_CLEANED = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'")),
    *((" n't", "n't"), (" 'm", "'m"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)


def released_candidates(
    captions: Iterable[Row], model: FillsMasks, tag: Tagger, top: int = 10
) -> Iterator[tuple[list[dict[str, Any]], dict[str, str] | None]]:
    """As `whatif.engine.language.noun_swap.caption_candidates`, in the manner of the release.

    The nouns of the rows are not used: those to be masked are found by `tag`. A group of captions is in memory.
    """
    rows = list(captions)
    tagged = [tag(row["caption"]) for row in rows]
    asked = [(" ".join(word for word, _ in words), _nouns(words)) for words in tagged]
    for row, words, (_, nouns), found in zip(rows, tagged, asked, model.replacements(asked, top), strict=True):
        if found.too_long is not None:
            yield [], {"item_id": row["caption_id"], "reason": "caption too long", "detail": found.too_long}
        else:
            yield list(_candidates(row, words, nouns, found, tag)), None


def decoded(words: Sequence[str]) -> str:
    """Words as a masked language model decodes them: joined, without spaces before `.`, `?`, `!`, `,` and `'s`."""
    text = " ".join(words)
    for before, after in _CLEANED:
        text = text.replace(before, after)
    return text


def _nouns(tagged: Tagged) -> list[Noun]:
    """The nouns to be masked, in the text of the joined words."""
    nouns, start = [], 0
    for word, part in tagged:
        if part in MASKED:
            nouns.append(Noun(start, start + len(word), word))
        start += len(word) + 1
    return nouns


def _candidates(
    row: Row, tagged: Tagged, nouns: Sequence[Noun], filled: Filled, tag: Tagger
) -> Iterator[dict[str, Any]]:
    words = [word for word, _ in tagged]
    indices = [index for index, (_, part) in enumerate(tagged) if part in MASKED]
    for place, (index, noun, replacements) in enumerate(zip(indices, nouns, filled.places, strict=True)):
        seen: set[str] = set()
        for rank, replacement in enumerate(replacements):
            word = well_formed(replacement.word)
            changed = [*words[:index], word, *words[index + 1 :]]
            status = OK
            if not replacement.whole or not is_latin_word(word):
                status = NOT_A_WORD
            elif word.casefold() == noun.noun.casefold():
                status = SAME_WORD
            elif word in seen:
                status = REPEATED
            elif not _is_accepted(tag, changed, index):
                status = NOT_A_NOUN
            seen.add(word)
            yield {
                "caption_id": row["caption_id"],
                "place": place,
                "rank": rank,
                "caption_0": row["caption"],
                "caption_1": decoded(changed),
                "subject_0": noun.noun,
                "subject_1": word,
                "probability": replacement.probability,
                "status": status,
                "similarity": None,
                "perplexity": None,
            }


def _is_accepted(tag: Tagger, words: Sequence[str], index: int) -> bool:
    """Whether the word with this index is a noun of an accepted kind in the text of the words."""
    tagged = tag(decoded(words))
    return len(tagged) == len(words) and tagged[index][0] == words[index] and tagged[index][1] in ACCEPTED
