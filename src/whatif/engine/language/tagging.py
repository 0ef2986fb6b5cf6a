"""Part-of-speech tagging with Penn Treebank tags by any installed tagger, and the positions of nouns."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from whatif.engine.errors import WhatifError
from whatif.engine.language.latin import is_latin_word

Tagged: TypeAlias = list[tuple[str, str]]  # (word, Penn Treebank tag), punctuation included
Tagger: TypeAlias = Callable[[str], Tagged]
TaggerName: TypeAlias = Literal["nltk", "pattern"]

TAGGERS: tuple[TaggerName, ...] = ("nltk", "pattern")
SPACY = "spacy:"  # before the name of a spaCy model, or its folder
KNOWN = f"{', '.join(TAGGERS)}, and {SPACY}MODEL for a spaCy model"
NOUN = "NN"  # common prefix of the Penn tags of nouns: NN, NNS, NNP, NNPS
_NLTK_DATA = "taggers/averaged_perceptron_tagger_eng"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_QUOTES = {"``": '"', "''": '"'}  # NLTK's tokeniser's form of a quotation mark
_JOINERS = re.compile(r"[-'’]")  # inside one word: `t-shirt`


@dataclass(frozen=True)
class Noun:
    """A noun of a caption and the range of its characters, from `start` to `end`."""

    start: int
    end: int
    noun: str


def is_tagger(name: str) -> bool:
    """Whether `tagger` knows the name, installed or not."""
    return name in TAGGERS or (name.startswith(SPACY) and name != SPACY)


def tagger(name: str) -> Tagger:
    """A tagger by name.

    `nltk` is the averaged perceptron (used by COCO-Counterfactuals B.1.1); `pattern` is TextBlob's lexicon and rules,
    which need no download; `spacy:MODEL` is an installed spaCy model.

    Raises WhatifError when the name is unknown or a required package or model is not installed.
    """
    if not is_tagger(name):
        raise WhatifError(f"tagger {name}: is unknown; choose one of {KNOWN}")
    if name.startswith(SPACY):
        return _spacy(name.removeprefix(SPACY))
    return _nltk() if name == "nltk" else _pattern()


def installed_tagger() -> TaggerName:
    """`nltk` if its data are installed, otherwise `pattern`."""
    import nltk

    try:
        nltk.data.find(_NLTK_DATA)
    except LookupError:
        return "pattern"
    return "nltk"


def nouns(text: str, tag: Tagger) -> list[Noun]:
    """The nouns of a text, in order. Words that the tagger calls nouns but that have other characters are left out."""
    return [
        Noun(start, end, text[start:end])
        for start, end, part in located(text, tag(text))
        if part.startswith(NOUN) and _is_word(text[start:end])
    ]


def located(text: str, tagged: Iterable[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
    """The positions of tagged words in their text: start, end and tag.

    Taggers rewrite some marks (above all quotation marks). A word that is not found is skipped and does not affect the
    words after it.
    """
    cursor = 0
    for word, part in tagged:
        place = _place(text, word, cursor)
        if place is not None:
            cursor = place[1]
            yield *place, part


def sentences(text: str) -> list[str]:
    """The sentences of a text: each ends at `.`, `!` or `?` before white space, also after an abbreviation (`St.`)."""
    return _SENTENCE_END.split(text)


def _place(text: str, word: str, cursor: int) -> tuple[int, int] | None:
    following = cursor + len(text[cursor:]) - len(text[cursor:].lstrip())
    for form in (word, _QUOTES.get(word, word)):
        if form and text.startswith(form, following):
            return following, following + len(form)
    # An earlier word was skipped. From here on a word must match as a whole, or `a` would be found in any word.
    found = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search(text, cursor) if word else None
    return found.span() if found else None


def _is_word(text: str) -> bool:
    return all(is_latin_word(part) for part in _JOINERS.split(text))


def _nltk() -> Tagger:
    import nltk
    from nltk.tokenize import TreebankWordTokenizer

    if installed_tagger() != "nltk":
        raise WhatifError(
            "tagger nltk: its data are not installed; run "
            "python -m nltk.downloader averaged_perceptron_tagger_eng, or use the tagger `pattern`"
        )
    tokenizer = TreebankWordTokenizer()

    def tag(text: str) -> Tagged:
        # The tokeniser expects one sentence: in longer text it leaves full stops attached to words.
        words = [word for sentence in sentences(text) for word in tokenizer.tokenize(sentence)]
        return cast("Tagged", nltk.pos_tag(words))

    return tag


def _pattern() -> Tagger:
    from textblob.en.taggers import PatternTagger

    found = PatternTagger()
    return lambda text: cast("Tagged", found.tag(text, tokenize=True))


def _spacy(model: str) -> Tagger:
    name = f"tagger {SPACY}{model}"
    try:
        spacy: Any = importlib.import_module("spacy")
    except ImportError as error:
        raise WhatifError(
            f"{name}: spaCy is not installed; run pip install spacy, or use the tagger `pattern`"
        ) from error
    try:
        read = spacy.load(model, exclude=["parser", "ner", "lemmatizer"])
    except (OSError, ValueError) as error:
        raise WhatifError(
            f"{name}: cannot be loaded; run python -m spacy download {model}, or choose another tagger"
        ) from error
    return lambda text: [(word.text, word.tag_) for word in read(text) if not word.is_space]
