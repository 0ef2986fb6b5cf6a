"""Parts of speech: words with their Penn Treebank tags, by whichever tagger is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, cast

from whatif.errors import WhatifError

Tagged: TypeAlias = list[tuple[str, str]]  # (word, Penn Treebank tag), punctuation included
Tagger: TypeAlias = Callable[[str], Tagged]
TaggerName: TypeAlias = Literal["nltk", "pattern"]

TAGGERS: tuple[TaggerName, ...] = ("nltk", "pattern")
_NLTK_DATA = "taggers/averaged_perceptron_tagger_eng"


def tagger(name: str) -> Tagger:
    """A tagger by name: `nltk`, the averaged perceptron, or `pattern`, TextBlob's lexicon and rules, always offline.

    Raises WhatifError when the name is unknown, or the data of NLTK's tagger are not installed.
    """
    if name == "nltk":
        return _nltk()
    if name == "pattern":
        return _pattern()
    raise WhatifError(f"tagger {name}: is not known; there are {', '.join(TAGGERS)}")


def installed_tagger() -> TaggerName:
    """`nltk` where its data are installed, else `pattern`."""
    import nltk

    try:
        nltk.data.find(_NLTK_DATA)
    except LookupError:
        return "pattern"
    return "nltk"


def _nltk() -> Tagger:
    import nltk
    from nltk.tokenize import TreebankWordTokenizer

    if installed_tagger() != "nltk":
        raise WhatifError(
            "tagger nltk: its data are not installed; run "
            "python -m nltk.downloader averaged_perceptron_tagger_eng, or use the tagger `pattern`"
        )
    tokenizer = TreebankWordTokenizer()
    return lambda text: cast("Tagged", nltk.pos_tag(tokenizer.tokenize(text)))


def _pattern() -> Tagger:
    from textblob.en.taggers import PatternTagger

    found = PatternTagger()
    return lambda text: cast("Tagged", found.tag(text, tokenize=True))
