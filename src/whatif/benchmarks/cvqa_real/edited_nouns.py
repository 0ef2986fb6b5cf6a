"""Whether an edit changes one thing to several: only a number that disagrees with its determiner may be corrected."""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib import resources

from whatif.benchmarks.cvqa_real.question_parts import forms, is_irregular_plural, words_of
from whatif.engine.language.number_words import in_digits
from whatif.engine.language.wording import without_pronoun_one

_SINGULAR, _PLURAL = "singular", "plural"
_FOR_ONE = frozenset({"a", "an", "1", "another", "each", "every", "this", "that"})
_FOR_SEVERAL = frozenset({"these", "those", "many", "several", "few", "fewer", "both", "all"})
_FOR_ANY = frozenset(
    {"the", "his", "her", "its", "their", "our", "my", "your", "no", "0", "other", "any", "some", "of"}
)
_NOUN_WITHIN = 3  # words from a determiner to its noun

Noun = tuple[str, str]  # what it is compared by, and its number


def changed_numbers(before: str, after: str) -> list[str]:
    """The nouns whose number was right before an edit, and is another one after it; sorted."""
    (agreed, old), (_, now) = _nouns(before), _nouns(after)
    lost = {
        noun
        for (noun, number), count in agreed.items()
        if now[noun, number] < count and now[noun, _other(number)] > old[noun, _other(number)]
    }
    return sorted({word for word in words_of(before.lower()) if _compared_by(word) in lost})


def _nouns(text: str) -> tuple[Counter[Noun], Counter[Noun]]:
    """How often each noun is there, in agreement with its determiner, and in all."""
    words = words_of(in_digits(without_pronoun_one(text.lower())))
    agreed: Counter[Noun] = Counter()
    every: Counter[Noun] = Counter()
    for place, word in enumerate(words):
        if _is_noun(word):
            number = _PLURAL if _is_plural(word) else _SINGULAR
            noun = _compared_by(word), number
            every[noun] += 1
            if number in _demanded(words[max(place - _NOUN_WITHIN, 0) : place]):
                agreed[noun] += 1
    return agreed, every


def _compared_by(noun: str) -> str:
    return min(forms(noun), key=lambda form: (len(form), form))


def _demanded(before: list[str]) -> tuple[str, ...]:
    """The numbers that a noun after these words may have."""
    for word in reversed(before):
        if word in _FOR_ONE:
            return (_SINGULAR,)
        if word in _FOR_SEVERAL or (word.isdigit() and word != "0"):
            return (_PLURAL,)
        if word in _FOR_ANY:
            return (_SINGULAR, _PLURAL)
    return (_PLURAL,)  # without a determiner


def _other(number: str) -> str:
    return _SINGULAR if number == _PLURAL else _PLURAL


def _is_plural(word: str) -> bool:
    return is_irregular_plural(word) or (word.endswith("s") and not word.endswith(("ss", "us", "is")))


def _is_noun(word: str) -> bool:
    """Whether a word, or the word of which it is the plural, is a noun in TextBlob's lexicon."""
    if "'" in word or word.isdigit():
        return False
    tag = _tags().get(word) or (_tags().get(word.removesuffix("s")) if _is_plural(word) else None)
    return is_irregular_plural(word) or (tag or "").startswith("NN")


@cache
def _tags() -> dict[str, str]:
    text = (resources.files("textblob.en") / "en-lexicon.txt").read_text(encoding="utf-8")
    rows = (line.split() for line in text.splitlines() if line and not line.startswith(";;;"))
    return {row[0]: row[1] for row in rows if len(row) == 2}
