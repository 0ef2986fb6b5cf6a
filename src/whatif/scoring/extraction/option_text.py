"""Extracts the option whose text occurs in a response, whole or in its distinctive words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from whatif.language.number_words import in_digits
from whatif.language.options import LETTERS
from whatif.scoring.extraction.boolean import boolean_in
from whatif.scoring.extraction.extracted import Extracted, ambiguous, one_of
from whatif.scoring.extraction.option_figures import by_number
from whatif.scoring.extraction.option_mentions import denied_in, joined_in, named_in, without_asides
from whatif.scoring.extraction.option_numbers import numbered
from whatif.scoring.extraction.option_words import (
    ARTICLES,
    by_words_of_one,
    option_words,
    part_of_one,
    stems_of,
)
from whatif.scoring.extraction.response_text import SUPPOSED, clauses

_SHORT = 8  # words
_NEAR_LEAST = 4  # letters of a text that is compared without its spaces
_ALIKE = 0.85
_CONCLUDES = re.compile(
    r"^\W*(?:so(?! (?:would|do|does|is|are|will|did|can|could|has|have)\b)|therefore|thus|hence|then|in conclusion|"
    r"overall|finally)\b"
)
_TOO = re.compile(r"\b(?:also|too|as well|both|so (?:would|do|does|is|are|will|did|can))\b")
_POSSIBLY = re.compile(r"\b(?:could|might|may)(?: \w+)? be\b")
_SUPPOSES = re.compile(r"\bif\b|\bwould\b|\bwere to\b", re.IGNORECASE)
_OF_THEN = re.compile(rf"{SUPPOSED}|\b(?:would|will|then)\b|'d\b|'ll\b")
_OF_NOW = re.compile(r"\b(?:now|currently|originally|initially|at (?:the moment|present)|so far)\b")
_SUBORDINATE = re.compile(r"\W*(?:as|because|since|while|although|though|whereas|unlike|even if)\b")
_UNKNOWN = re.compile(
    r"\b(?:depends?|(?:can ?not|can't|not) be (?:determined|known|told|said)|not enough|unknown|unclear|can ?not "
    r"tell)\b"
)

_UNKNOWN_ALONE = re.compile(
    r"\W*(?:it|that|this)? ?(?:would |will )?(?:depends?|(?:can ?not|can't|could not|not) be (?:determined|known|told|"
    r"said)|is (?:unknown|unclear))\b[^.;!?\n]*[.!]?\W*\Z"
)


def begins_with(text: str, choices: Sequence[str]) -> int | None:
    """The place of the option whose text, and no more, begins a text after signs, the longest one; None without one.

    A number may be followed by what it counts: `9 flowers`.
    """
    said = re.match(r"(?:(?!-?\d)[^\w\n<>]){0,9}(?P<said>.{0,400})", text, re.DOTALL)
    words = _tokens(said["said"] if said else "")
    words = words[1:] if words[:1] and words[0] in ARTICLES else words
    fits = {}
    for place, choice in enumerate(choices):
        option = _tokens(choice)
        option = option[1:] if len(option) > 1 and option[0] in ARTICLES else option
        option = [token for token in option if token != "|"]
        if option and words[: len(option)] == option:
            rest = words[len(option) :]
            rest = rest[1:] if rest[:1] == ["|"] and re.search(r"[.!?]\W*\Z", choice) else rest
            is_number = re.fullmatch(r"-?\d[\d.,]*", option[-1])
            if is_number or not rest or rest[0] == "|":
                fits[place] = len(option)
    return max(fits, key=lambda place: fits[place]) if fits else None


def _tokens(text: str) -> list[str]:
    """The words and numbers of a text, and a bar for a sign that ends a clause."""
    text = re.sub(r"\bno\b", "nno", text.lower())  # which would be zero
    found = re.findall(r"-?\d+(?:\.\d+)?|[^\W\d_]+|[.,;:!?()|→=~✓✗\n]", in_digits(text))
    return ["|" if not re.search(r"\w", token) else token for token in found]


def first_words(choices: Sequence[str]) -> list[str]:
    """The first word of each option in lower case."""
    return [(re.findall(r"\w+", choice.lower()) or [""])[0] for choice in choices]


def are_yes_or_no(choices: Sequence[str]) -> bool:
    """Whether options are yes and no, perhaps with more words (`Yes, it would spill`) or others beside them."""
    return {"no", "yes"} <= set(first_words(choices))


def by_text(text: str, question: str, choices: Sequence[str]) -> Extracted:
    """The option whose words occur in a text, the longest first; numbers are compared as numbers.

    Without one, the option all of whose distinctive words occur in a clause, or in which a short response occurs.
    """
    letters = dict(zip(map(option_words, choices), LETTERS, strict=False))
    if len(letters) == len(choices) and (letter := letters.get(option_words(text))):
        return Extracted(letter, "ok", None)
    if numbers := numbered(choices):
        if numbers.is_named:
            if places := numbers.named_in(text):
                named_letters: set[str | None] = {LETTERS[place] for place in places}
                return _of_several(named_letters, clauses(text, question), question, letters, text)
        else:
            return by_number(text, question, numbers)
    if len(letters) < len(choices):
        return ambiguous("options that read alike")
    if are_yes_or_no(choices):
        return _yes_or_no(text, question, choices, letters)
    return _by_words(text, question, letters)


def _by_words(text: str, question: str, letters: Mapping[str, str]) -> Extracted:
    if spelled := _spelled(text, letters):
        return Extracted(spelled, "ok", None)
    pieces = [without_asides(piece, letters) for piece in clauses(text, question)]
    if _SUPPOSES.search(question) and (rest := [piece for piece in pieces if not _OF_NOW.search(piece)]) != pieces:
        pieces, text = rest, "; ".join(rest)
    for searched in (
        "; ".join(pieces),
        without_asides(text.lower(), letters) if pieces else "",
    ):  # an option may be a supposition
        answers = named_in(searched, letters)
        if answers:
            return _of_several(answers, pieces, question, letters, searched)
        denied = denied_in(searched, letters)
        if len(letters) == 2 and len(denied) == 1:
            return one_of(set(letters.values()) - denied, "option")
    found = by_words_of_one(pieces, letters) or part_of_one(text, letters)
    lines = [line for line in text.split("\n") if re.search(r"\w", line)]
    if not found and len(lines) > 1:  # a short answer under or over a description
        found = {_spelled(line, letters) for line in (lines[0], lines[-1])} - {None}
        found = found or part_of_one(lines[-1], letters) or part_of_one(lines[0], letters)
    return one_of(found, "option")


def _of_several(
    answers: set[str | None], pieces: Sequence[str], question: str, letters: Mapping[str, str], searched: str
) -> Extracted:
    """The only option, or the one in the last conclusion, or in the clause that says most of what is asked."""
    if len(answers) == 1:
        (letter,) = answers
        option = next(option for option in letters if letters[option] == letter)
        beside = rf"\bor (?:an? |the )?{re.escape(option)}\b|\b{re.escape(option)} or\b(?! (?:so|rather)\b)"
        return ambiguous("an option or another one") if re.search(beside, searched) else one_of(answers, "option")
    certain = [piece for piece in pieces if not _POSSIBLY.search(piece)]
    if (
        certain
        and certain != list(pieces)
        and len(named := set().union(*(named_in(piece, letters) for piece in certain))) == 1
    ):
        return one_of(named, "option")
    if concluded := [piece for piece in certain if _CONCLUDES.match(piece)]:
        return one_of(named_in(concluded[-1], letters) or answers, "option")
    if _SUPPOSES.search(question) and (of_then := [piece for piece in pieces if _OF_THEN.search(piece)]):
        named = set().union(*(named_in(piece, letters) for piece in of_then))
        if len(named) == 1:
            return one_of(named, "option")
    asked = stems_of(question)
    apart = [piece for piece in pieces if not joined_in(piece, list(letters))]
    parts = [part for piece in apart for part in re.split(r", (?:and )?", piece) if not _SUBORDINATE.match(part)]
    of_options = stems_of(" ".join(letters))
    said = [(len((asked - of_options) & stems_of(part)), named) for part in parts if (named := named_in(part, letters))]
    most = max((shared for shared, _ in said), default=0)
    top = [named for shared, named in said if shared == most]
    is_single = len(top) == 1 and len(top[0]) == 1 and most > 0 and not _TOO.search(searched)
    if is_single and (len(said) > 1 or len(letters) > 2):
        return one_of(top[0], "option")
    return ambiguous("more than one option")


def _yes_or_no(text: str, question: str, choices: Sequence[str], letters: Mapping[str, str]) -> Extracted:
    """The option that begins with the answer yes or no, of several the one whose words are said; or another one."""
    others = {option: letter for option, letter in letters.items() if not re.match(r"(?:yes|no|0)\b", option)}
    if others and (named := named_in(text.lower(), others)):
        return one_of(named, "option")
    verdict = boolean_in(text, question)
    if verdict.answer is None:
        return verdict
    firsts = first_words(choices)
    fitting = [place for place, word in enumerate(firsts) if word == verdict.answer]
    if len(fitting) == 1:
        return Extracted(LETTERS[fitting[0]], "ok", None)
    rest = {re.sub(r"^\W*(?:yes|no)\W+", "", choices[place].lower()): LETTERS[place] for place in fitting}
    found = _by_words(
        re.sub(r"^\W*(?:yes|no)\b\W*", "", text, flags=re.IGNORECASE),
        question,
        {option_words(option): letter for option, letter in rest.items()},
    )
    return ambiguous("several options with this answer") if found.status == "none" and len(fitting) > 1 else found


def unknown_option(text: str, choices: Sequence[str]) -> Extracted | None:
    """The option `it depends` or `cannot be determined` if a text contains its words, and those of no other option."""
    letters = dict(zip(map(option_words, choices), LETTERS, strict=False))
    if not any(_UNKNOWN.search(option) for option in letters):
        return None
    named = named_in(
        text.lower().replace("can't", "can not").replace("cannot", "can not"),
        {option.replace("cannot", "can not"): letter for option, letter in letters.items()},
    )
    fitting = {letter for option, letter in letters.items() if _UNKNOWN.search(option)}
    if not named and len(fitting) == 1:  # `That depends.` for `It depends on the wind`
        (option,) = (option for option in letters if letters[option] in fitting)
        kinds = {"depend" in found[0] for found in (_UNKNOWN.search(option), _UNKNOWN.search(text.lower())) if found}
        named = set(fitting) if len(kinds) == 1 and _UNKNOWN_ALONE.match(text.lower()) else named
    return one_of(named, "option") if named and named <= fitting else None


def _spelled(text: str, letters: Mapping[str, str]) -> str | None:
    """The option that a response of a few words misspells, although another one may occur in it literally."""
    words = [word for word in re.findall(r"\w+", text.lower()) if word not in ARTICLES]
    said = " ".join(words)
    joined = [option for option in letters if option.replace(" ", "") == "".join(words)]
    if len(joined) == 1 and len("".join(words)) > _NEAR_LEAST:
        return letters[joined[0]]
    if not words or len(words) > _SHORT or said in letters or len(letters) < 2:
        return None
    alike = {option: SequenceMatcher(None, said, option).ratio() for option in letters}
    *_, second, best = sorted(alike, key=lambda option: alike[option])
    is_plural = said in (f"{best}s", f"{best}es")
    is_close = alike[best] >= _ALIKE and alike[best] - alike[second] > 1 - _ALIKE and not is_plural
    return letters[best] if is_close and len(said.split()) == len(best.split()) else None
