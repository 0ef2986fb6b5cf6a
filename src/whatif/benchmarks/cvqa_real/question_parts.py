"""The parts of a counterfactual question: its presupposition, what it asks for, and their words (C-VQA 3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from whatif.engine.language.if_clauses import if_clause
from whatif.engine.language.wording import one_line

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+")
_HOW_MANY = re.compile(r"\bhow\s+many\b")
# Words that name neither a thing nor what is said of it.
_FUNCTION_WORD_LIST = (
    "a an the this that these those some any each every all both either neither its his her their our my your no not "
    "he she it they him them we you i us me himself herself itself themselves who whom whose which what there here "
    "one ones and or but nor so yet as if then than too also of to in on at by for from with into onto out off over "
    "under up down is are was were be been being am has have had having do does did done will would can could may "
    "might must shall should s t still ever now just instead only even actually really very isn't aren't wasn't "
    "weren't don't doesn't didn't hasn't haven't hadn't wouldn't couldn't can't won't"
)
# Where the phrase of what is counted ends.
_PHRASE_END_LIST = (
    "is are was were be been being has have had do does did can could will would may might must should am "
    "there here you we i they he she it in on at with from by for to into onto inside outside under behind near "
    "around above below between that which who whose if when this these those the visible shown seen present pictured "
    "featured depicted left remaining total still make made makes sit stand fly look wear ride walk play face hold "
    "held hang hung appear show lie run eat work ski surf surround cover fill line"
)
_BEFORE_NOUN = {"this", "these", "those", "the", "visible", "remaining", "total", "left"}  # where no noun has come yet
_NOT_COUNTED_LIST = "of different kind type sort total more other separate distinct various"
_FUNCTION_WORDS, _ENDS_PHRASE, _NOT_COUNTED = (
    frozenset(words.split()) for words in (_FUNCTION_WORD_LIST, _PHRASE_END_LIST, _NOT_COUNTED_LIST)
)
_PLURALS = {
    "people": "person",
    "persons": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "busses": "bus",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "leaves": "leaf",
    "knives": "knife",
    "shelves": "shelf",
    "loaves": "loaf",
    "wolves": "wolf",
    "calves": "calf",
    "scarves": "scarf",
    "halves": "half",
    "dice": "die",
}
# Words that are compared as others: irregular plurals, and names of the same thing.
_IRREGULAR = _PLURALS | {
    "bicycle": "bike",
    "bicycles": "bike",
    "airplane": "plane",
    "airplanes": "plane",
    "aeroplane": "plane",
    "aeroplanes": "plane",
    "photo": "picture",
    "photos": "picture",
    "photograph": "picture",
    "image": "picture",
    "images": "picture",
    "pic": "picture",
    "outdoors": "outdoor",
    "outside": "outdoor",
    "inside": "indoor",
    "indoors": "indoor",
    "colour": "color",
    "grey": "gray",
}


def words_of(text: str) -> list[str]:
    """The words and figures of a text in lower case, in order."""
    return _WORD.findall(one_line(text).lower())


def is_function_word(word: str) -> bool:
    """Whether a word in lower case names neither a thing nor what is said of it."""
    return word in _FUNCTION_WORDS


def is_irregular_plural(word: str) -> bool:
    """Whether a word in lower case is a plural that does not follow the rules."""
    return word in _PLURALS


def content_words(text: str) -> list[str]:
    """The words of a text that are no function words, each once, in order; a possessive as its noun."""
    return list(
        dict.fromkeys(
            word
            for given in words_of(text)
            if given not in _FUNCTION_WORDS
            for word in given.removesuffix("'s").split("-")
            if word and word not in _FUNCTION_WORDS
        )
    )


@cache
def forms(word: str) -> frozenset[str]:
    """What a word is compared by: singular and plural, and words of the same stem, have a form in common."""
    word = _IRREGULAR.get(word, word)
    found = {_stem(word)}
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        found.add(_stem(word[:-1]))
        if word.endswith("es"):
            found.add(_stem(word[:-2]))
    return frozenset(found)


def missing(words: Iterable[str], among: Iterable[str]) -> list[str]:
    """The words of which no form is one of the others."""
    known = frozenset(form for other in among for form in forms(other))
    return [word for word in words if not forms(word) & known]


def main_clause(question: str) -> str:
    """A question in lower case without its presupposition; the whole question if it has none."""
    text = one_line(question).lower()
    clause = if_clause(question)
    place = -1 if clause is None else text.find(clause)
    return text if place < 0 else f"{text[:place]} {text[place + len(clause or '') :]}".strip(" ,")


def has_two_presuppositions(question: str) -> bool:
    """Whether a question that has a presupposition has another one in the rest of it."""
    rest = main_clause(question)
    return rest != one_line(question).lower() and if_clause(rest) is not None


def counted_words(question: str) -> list[str] | None:
    """The words for what a question counts, without function words; None if it does not ask `how many`.

    There are none where the noun is left out: `How many are wearing hats?`.

    They are those after `how many`, up to the first verb, preposition or pronoun: `black cows` in `How many black cows
    can you see?`. Of `pieces of pizza` both nouns are among them.
    """
    asked = _HOW_MANY.search(text := main_clause(question))
    if asked is None:
        return None
    found: list[str] = []
    for word in words_of(text[asked.end() :]):
        verb = bool(found) and (word.endswith("ing") or (word.endswith("ed") and len(word) > 3))
        if verb or (word in _ENDS_PHRASE and (found or word not in _BEFORE_NOUN)):
            break
        if word not in _BEFORE_NOUN and word not in _FUNCTION_WORDS and not forms(word) & _uncounted():
            found.extend(part for part in word.removesuffix("'s").split("-") if part)
    return [] if len(found) == 1 and found[0].endswith("ing") else found  # `How many sitting on the bench?`


@cache
def _uncounted() -> frozenset[str]:
    return frozenset(form for word in _NOT_COUNTED for form in forms(word))


@cache
def _stem(word: str) -> str:
    from nltk.stem import PorterStemmer

    return str(PorterStemmer().stem(word))
