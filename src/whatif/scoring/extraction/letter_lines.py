"""Reads texts that discuss or list the letters of options in their order, line by line or in a row."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none
from whatif.scoring.extraction.letters import LINE, ONE, OTHER_SIGN, Letters, read

# Each letter of an option becomes one sign, so that patterns need not know how it was written.
_FEW = 3  # words in a list of the options that belong to none
_BEGUN = re.compile(rf"(?:^|(?<=[.;!?] )){OTHER_SIGN}{{0,3}}({ONE})(?= ?[:(=-])", re.MULTILINE)
_POSITIVE = re.compile(
    r"✓|\b(?:yes|correct|right|true|fits|matches|plausible|best|most likely|makes sense|selected|chosen)\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"✗|\b(?:no|not|wrong|incorrect|false|never|unlikely|impossible|nothing|irrelevant|unrelated)\b", re.IGNORECASE
)


def enumerates(found: Letters) -> bool:
    """Whether sentences of a text begin with the letters in their order, so that the first one is no answer."""
    begun = "".join(read("".join(one[1] for one in _BEGUN.finditer(found.text))))
    return len(begun) > 1 and LETTERS.startswith(begun)


def is_list(found: Letters, letters: str, choices: Sequence[str]) -> bool:
    """Whether a text begins with all letters in their order, in one line, and hardly any words but their texts."""
    line = found.text.strip().partition("\n")[0]
    if len(letters) < 2 or not "".join(read(line)).startswith(letters) or found.denied or found.affirmed:
        return False
    of_options = set(re.findall(r"[^\W_]+", " ".join(choices).lower()))
    return len([word for word in re.findall(r"[^\W_]+", line.lower()) if word not in of_options]) <= _FEW


def by_lines(found: Letters, letters: str) -> Extracted | None:
    """The option that its line or row marks as right, or the only one not marked as wrong; None without such lines."""
    lines = [(read(line["one"])[0], line["sign"] + line["said"]) for line in LINE.finditer(found.text)]
    if len({letter for letter, _ in lines}) < 2:
        return None
    right = {letter for letter, said in lines if _POSITIVE.search(said) and not _NEGATIVE.search(said)}
    wrong = {letter for letter, said in lines if _NEGATIVE.search(said) and not _POSITIVE.search(said)}
    left = set(letters) - wrong
    if len(wrong) == 1 < len(right) == len(letters) - 1:  # the odd one out
        return Extracted(wrong.pop(), "ok", None)
    if len(right) == 1 or (len(left) == 1 and not right):
        return Extracted((right or left).pop(), "ok", None)
    if right:
        return ambiguous("more than one option marked as right")
    said_more = any(len(said.split()) > 2 for _, said in lines)
    return none("a discussion of the options") if said_more else ambiguous("more than one letter")


def without_lines(found: Letters) -> str | None:
    """The text without the lines that each discuss one option; None if there are no such lines."""
    lines = list(LINE.finditer(found.text))
    if len({line["one"] for line in lines}) < 2:
        return None
    rest = LINE.sub(lambda line: "" if re.search(r"[^\W_]|[✓✗]", line["sign"] + line["said"]) else line[0], found.text)
    if rest == found.text:
        return None
    return re.sub(ONE, lambda sign: f"({read(sign[0])[0]})", rest)
