"""Answer extraction by the rules of lmms-eval (EvolvingLMMs-Lab/lmms-eval).

For options they are those of its MMMU task (`parse_multi_choice_response`, from MMMU's own evaluation), for yes and no
those of its MME task (`parse_pred_ans`), for numbers its filter `flexible-extract`. MMMU chooses a random option where
the rules find none; here the status is `none`. It is never `ambiguous`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.engine.language.number_words import canonical
from whatif.engine.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, Kind, none

_NUMBER = re.compile(r"-?[$0-9.,]{2,}|-?[0-9]+")
_IS_NUMBER = re.compile(r"-?\d+(?:\.\d+)?|-?\.\d+")
_TRIMMED = ",.!?;:'"
_IN_PARENTHESES, _APART = ({letter: form.format(letter) for letter in LETTERS} for form in ("({})", " {} "))
# How an option may be named, and the form by whose last place several named ones are compared.
_WRITTEN = (
    (_IN_PARENTHESES, _IN_PARENTHESES),
    ({letter: f"{letter} " for letter in LETTERS}, _APART),
    ({letter: f"{letter}." for letter in LETTERS}, _APART),
)
_SHORT = 5  # words; a response of no more words is not searched for the texts of options
_PREFIX = 4  # signs in which yes or no must be


def lmms_eval_answer(response: str, kind: Kind, choices: Sequence[str] | None = None) -> Extracted:
    """The answer by the published rules.

    Choices: letters in parentheses; without one, letters before a space; without one, letters before a full stop;
    without one, options whose text occurs in a response of more than five words. If there are several, the last one
    counts. Letters without parentheses are compared by the last place where they have a space on both sides; if no
    letter has such a place, the first one of the alphabet counts. An `option text`, whose question showed no letters,
    is found by its text only.
    Booleans: `yes` if yes is among the first four signs, otherwise `no` if no is.
    Numbers: the last number in digits, without `$` and separators of thousands.

    Raises ValueError for a choice without options, and for words.
    """
    if kind == "number":
        return _number(response)
    if kind == "boolean":
        begins = response.lower().strip().replace(".", "")[:_PREFIX]
        found = next((word for word in ("yes", "no") if word in begins), None)
        return Extracted(found, "ok", None) if found else none("begins with neither yes nor no")
    if kind not in ("choice", "option text"):
        raise ValueError(f"{kind}: the rules of lmms-eval support numbers, booleans and choices only")
    if not choices:
        raise ValueError("a choice cannot be extracted without its options")
    return _option(response, choices, letters_shown=kind == "choice")


def _number(response: str) -> Extracted:
    figures = _NUMBER.findall(response)
    number = re.sub(r"[$,]", "", figures[-1]).removesuffix(".") if figures else ""
    return Extracted(canonical(number), "ok", None) if _IS_NUMBER.fullmatch(number) else none("no number")


def _option(response: str, choices: Sequence[str], *, letters_shown: bool) -> Extracted:
    for sign in _TRIMMED:
        response = response.strip(sign)
    text = f" {response} "
    options = dict(zip(LETTERS, choices, strict=False))
    for written, placed in _WRITTEN if letters_shown else ():
        named = [letter for letter in options if written[letter] in text]
        if named:
            return Extracted(max(named, key=lambda letter: text.rfind(placed[letter])), "ok", None)
    said = text.lower()
    named = [letter for letter, option in options.items() if len(text.split()) > _SHORT and option.lower() in said]
    if not named:
        return none("no letter, and no option in more than five words")
    return Extracted(max(named, key=lambda letter: said.rfind(options[letter].lower())), "ok", None)
