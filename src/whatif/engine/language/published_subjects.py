"""The altered subjects of a pair of captions by the rule of the authors' release (COCO-Counterfactuals A.2, A.3.2).

The paper does not print these rules. With them, the released captions give the paper's 4,117 pairs of human subjects
and the 95 pairs of `people` and `kid` among which Table 10 counts errors.
"""

from __future__ import annotations

import re
from functools import lru_cache

from whatif.engine.language.human_words import PUBLISHED_HUMAN_WORDS

_DROPPED = re.compile("[^a-zA-Z ]")
_REMEMBERED = 65_536  # stems


def published_subjects(caption_0: str, caption_1: str) -> tuple[str, str]:
    """The altered subject of each caption, by the published rule.

    Everything except letters and spaces is removed, and the rest is split at spaces. The subject is the first word that
    the other caption does not have; case counts. If there is none, it is the other caption's word at the place of the
    last word, or empty if the other caption is shorter.
    """
    words_0, words_1 = (_DROPPED.sub("", caption).split() for caption in (caption_0, caption_1))
    return _first_of(words_0, words_1), _first_of(words_1, words_0)


def _first_of(words: list[str], other: list[str]) -> str:
    known = set(other)
    for word in words:
        if word not in known:
            return word
    return other[len(words) - 1] if 0 < len(words) <= len(other) else ""


@lru_cache(_REMEMBERED)
def stem(word: str) -> str:
    """The Porter stem of a word in NLTK's variant, which is lower case: `Kids` and `kid` have the same."""
    from nltk.stem import PorterStemmer

    return str(PorterStemmer().stem(word))


def is_published_human(subjects: tuple[str, str]) -> bool:
    """Whether the stem of either subject is that of one of the human words of the release."""
    return any(stem(subject) in _human_stems() for subject in subjects)


@lru_cache(1)
def _human_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in PUBLISHED_HUMAN_WORDS)
