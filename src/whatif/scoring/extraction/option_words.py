"""Compares the words of a response with those of the options, where no option occurs literally."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from whatif.language.number_words import canonical, in_digits

ARTICLES = ("a", "an", "the")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STOP = _set(
    "a an the is are was were be been being it its he she they him her his them their this that these those "
    "there would will could should might may can of in on at to with by for from and or as have has had do "
    "does did i you we my your so then just more very who which what because one how many much if when what's "
    "than"
)
# What a text names beside what it says: `everything else, including the roof`.
ASIDE = re.compile(
    r"\b(?:without|instead of|rather than|unlike|than|except(?: for)?|apart from|despite|including|besides|"
    r"in (?:addition|contrast) to|compared (?:to|with)|as opposed to|followed by|ahead of)"
    r"(?:(?! (?:we|you|i|it|they|he|she|there|would|will|can|could|is|are)\b) [\w'-]+){1,5}|"
    r"\bbetween (?:(?:the|an?) )?[\w'-]+ and (?:(?:the|an?) )?[\w'-]+"
)
_SHORT = 8  # words
_LONG = 4  # words of an option that a response may name by a part


def option_words(text: str) -> str:
    """An option's text as it is compared: a number in digits, otherwise the words without a leading article."""
    if re.fullmatch(r"-?\d[\d, ]*(?:\.\d+)?", number := in_digits(text).strip(" .")):
        return canonical(number)
    text = re.sub(r"(?<=[a-z])n['’]t\b", " not", text.lower())
    words = re.findall(r"(?<!\w)-\d+|\w+", text.replace("grey", "gray").replace("−", "-"))
    return " ".join(words[1:] if len(words) > 1 and words[0] in ARTICLES else words)


def stems_of(text: str) -> set[str]:
    """The stems of the content words of a text."""
    return {_stem(word) for word in re.findall(r"\w+", text.lower()) if word not in _STOP}


def by_words_of_one(pieces: Iterable[str], letters: Mapping[str, str]) -> set[str | None]:
    """Letters of options whose distinctive words are all in one clause; the most specific of nested ones."""
    of_options = _distinctive(letters)
    found: set[str] = set()
    for piece in pieces:
        said = stems_of(piece)
        for option, words in of_options.items():
            is_whole = any(map(str.isalpha, words)) and words <= said and (len(words) > 1 or len(option.split()) > 1)
            if is_whole and (not _denies(piece) or _denies(option)):
                found.add(option)
    widest = max(found, key=lambda option: len(of_options[option]), default=None)
    if widest and all(of_options[option] <= of_options[widest] for option in found):
        return {letters[widest]}
    return {letters[option] for option in found}


def part_of_one(text: str, letters: Mapping[str, str]) -> set[str | None]:
    """The letter of the only option in which a short response occurs.

    Only function words may be missing, or the rest of a long option: `a leash` is not `a dog leash`.
    """
    words = re.findall(r"\w+", text.lower())
    said = [_stem(word) for word in words if word not in _STOP]
    if not said or len(words) > _SHORT or _denies(text.lower()):
        return set()
    within: set[str | None] = set()
    alone: set[str | None] = set()
    for option, letter in letters.items():
        whole = [_stem(word) for word in option.split() if word not in _STOP]
        is_plural = words[-1] == f"{option.split()[-1]}s"
        if set(said) <= set(whole) and not is_plural and (len(said) == len(whole) or len(whole) >= _LONG):
            within.add(letter)
        if words[-1] == "one" and set(said) <= set(whole):  # `the local one`
            alone.add(letter)
    within = within or alone
    return within if len(within) == 1 else set()


def _denies(text: str) -> bool:
    return re.search(r"\b(?:not|no|never|nothing|nobody|without|neither)\b|n't\b", text) is not None


def _distinctive(letters: Mapping[str, str]) -> dict[str, set[str]]:
    """The stems of the words of each option, without function words and words that all options share."""
    stems = {option: {_stem(word) for word in option.split() if word not in _STOP} for option in letters}
    shared = set.intersection(*stems.values()) if len(stems) > 1 else set()
    return {option: words - shared for option, words in stems.items()}


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    return word.removesuffix("e")
