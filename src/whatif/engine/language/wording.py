"""The form in which questions and answers are compared: without case, punctuation, articles, and numbers as words."""

from __future__ import annotations

import re

from whatif.engine.language.number_words import in_digits

# British spellings and short forms, as the words that they are compared with.
_SPELLINGS = {
    "colour": "color",
    "colours": "colors",
    "coloured": "colored",
    "grey": "gray",
    "centre": "center",
    "isn't": "is not",
    "wouldn't": "would not",
    "what's": "what is",
}
_SPELLING = re.compile(rf"\b(?:{'|'.join(sorted(_SPELLINGS, key=len, reverse=True))})\b")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PRONOUN = re.compile(  # `the left one` is no number
    r"\b(?:the(?: \w+){0,2}|this|that|each|every|any|another|which|other|last|left|right|\w+er|\w+est) one\b"
)
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})


def one_line(text: str) -> str:
    """A text with straight quotation marks and single spaces."""
    return " ".join(text.translate(_QUOTES).split())


def without_pronoun_one(text: str) -> str:
    """A lower-case text in which the pronoun `one` is no number: `the left one` is `the left ones`."""
    return _PRONOUN.sub(r"\g<0>s", text)


def plain(text: str, *, articles: bool = False) -> str:
    """A text in the form in which it is compared: `The Three dogs!` is `3 dogs`, or `the 3 dogs` with `articles`.

    It has no case, punctuation or articles, numbers are digits, and spelling is American. A decimal point, a minus
    sign before a number become words.
    """
    spelled = _SPELLING.sub(lambda found: _SPELLINGS[found[0]], one_line(text).lower())
    if spelled.strip(" .!") == "no":
        return "no"  # not the number that `in_digits` makes of it
    words = re.sub(r"(?<=\d),(?=\d{3}\b)", "", in_digits(without_pronoun_one(spelled)))
    words = re.sub(r"(?<![\w.])-(?=\d)", "minus ", words)
    words = re.sub(r"(?<=\d)\.(?=\d)", " point ", words)
    words = re.sub(r"'s\b|'", "", words)
    words = re.sub(r"[\W_]+", " ", words)
    return " ".join((words if articles else _ARTICLES.sub(" ", words)).split())


def same(first: str, second: str) -> bool:
    """Whether two texts say the same in the form in which they are compared; `3` and `three` do.

    Texts without a letter or digit are the same if their signs are.
    """
    one, other = plain(first), plain(second)
    return one == other if one or other else one_line(first) == one_line(second)
