"""Answer extraction by the rules of VLMEvalKit (open-compass/VLMEvalKit; arXiv 2407.11691).

The toolkit first matches by rules, and then asks a language model or chooses at random. Here are the rules alone: for
options those of `vlmeval/utils/matching_util.py`, for yes and no those of `vlmeval/dataset/utils/yorn.py`, for numbers
its exact matching of a whole response, after the normalisation of the VQA evaluation. Where the rules do not decide,
the status is `none`, never a random option; it is never `ambiguous`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.engine.language.number_words import FIGURE, canonical
from whatif.engine.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, Kind, none

_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_REFUSED = "Z"  # the letter for "no option", which a response may give
_BETWEEN_LETTERS = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_LONG = 3  # words; in a longer response, `A` may be the article
_SIGNS = ';/[]"{}()=+\\_-><@`,?!'
_DIGIT_COMMA = re.compile(r"\d,\d")
_FULL_STOP = re.compile(r"\.(?!\d)")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: str(value) for value, word in enumerate(_WORDS)} | {"none": "0"}
_ARTICLES = {"a", "an", "the"}


def vlmevalkit_answer(response: str, kind: Kind, choices: Sequence[str] | None = None) -> Extracted:
    """The answer by the published rules.

    Choices: the only letter that stands alone as a word once punctuation is replaced by spaces, unless it is the `A` of
    a response of more than three words; otherwise the only option whose text occurs in the response. For an
    `option text`, whose question showed no letters, only the second rule applies.
    Booleans: `yes` or `no` if one of the two words occurs, and the other does not.
    Numbers: the whole response, without punctuation and articles, if it is a number or a number word up to ten.

    Raises ValueError for a choice without options, and for words.
    """
    if kind == "number":
        words = [_NUMBERS.get(word, word) for word in _vqa_words(response) if word not in _ARTICLES]
        is_number = len(words) == 1 and re.fullmatch(FIGURE, words[0])
        return Extracted(canonical(words[0]), "ok", None) if is_number else none("not only a number")
    if kind == "boolean":
        found = {"yes", "no"}.intersection(_vqa_words(response))
        return Extracted(found.pop(), "ok", None) if len(found) == 1 else none("not one of yes and no")
    if kind not in ("choice", "option text"):
        raise ValueError(f"{kind}: the rules of VLMEvalKit support numbers, booleans and choices only")
    if not choices:
        raise ValueError("a choice cannot be extracted without its options")
    if any(refusal in response for refusal in _REFUSALS):
        return none("a refusal")
    words = response.translate(_BETWEEN_LETTERS).split()
    letters = set(LETTERS[: len(choices)]).intersection(words) if kind == "choice" else set()
    if len(letters) == 1 and not ("A" in letters and len(words) > _LONG):
        return Extracted(letters.pop(), "ok", None)
    if kind == "choice" and not letters and _REFUSED in words:
        return none("a refusal")
    said = response.lower()
    named = [letter for letter, option in zip(LETTERS, choices, strict=False) if option.lower() in said]
    return Extracted(named[0], "ok", None) if len(named) == 1 else none("not one letter, and not one option")


def _vqa_words(response: str) -> list[str]:
    """The words in lower case after the VQA evaluation's punctuation rules, which keep `:`, `*` and quotes."""
    text = response.lower()
    joins = _DIGIT_COMMA.search(text) is not None
    for sign in _SIGNS:
        at_an_end = joins or f"{sign} " in text or f" {sign}" in text
        text = text.replace(sign, "" if at_an_end else " ")
    return _FULL_STOP.sub("", text).split()
