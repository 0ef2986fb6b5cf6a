"""Extracts the option that a response names, by its letter or by its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from whatif.language.number_words import canonical, in_digits
from whatif.language.options import LETTERS
from whatif.scoring.extraction.boolean import boolean_in
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none, one_of
from whatif.scoring.extraction.number import number_in
from whatif.scoring.extraction.response_text import clauses

_AFTER_ARTICLE = re.compile(r"'| (?!(?i:is|because|since|and|or)\b)(?:[a-z]|[A-Z]{2})")


def option_in(text: str, question: str, choices: Sequence[str], *, letters_shown: bool = True) -> Extracted:
    """The option whose letter is given, unless the text beside it belongs to another; without a letter, by its text.

    If the question showed no letters, a letter has no meaning.
    """
    if not clauses(text, question):
        return none("a refusal")
    if re.search(r"\b(?:none|all|neither|any) of (?:the |these )?(?:above|options|choices|these|them)\b", text.lower()):
        return none("none of the options, or all")
    named = _letters(text, LETTERS[: len(choices)]) if letters_shown else []
    if not named:
        return _by_text(text, question, choices)
    if len({letter for letter, _ in named}) > 1:
        return ambiguous("more than one letter")
    letter, (start, end) = named[0]
    before = re.split(r"[.!?;\n]", text[:start])[-1]
    if {_by_text(beside, question, choices).answer for beside in (before, text[end:].lstrip("]). "))} - {None, letter}:
        return ambiguous("a letter and the text of another option")
    return Extracted(letter, "ok", None)


def _letters(text: str, letters: str) -> list[tuple[str, tuple[int, int]]]:
    """Letters of options, each with its position; the article `A` does not count."""
    either = letters + letters.lower()
    text = re.sub(rf"\b(?:[Nn]ot|than) (?:option )?[{letters}]\b", lambda found: " " * len(found[0]), text)
    marked = rf"\A\W*([{either}])(?=\W*\Z|[).:])|\(([{either}])\)|\b[Oo]ption\W{{1,3}}([{either}])\b"
    found = []
    for form in re.finditer(rf"{marked}|(?<![\w'.-])([{letters}])(?![\w'-])", text):
        opens = form[4] and re.search(r"(?:\A|[.!?:;\n])\W*\Z", text[max(0, form.start() - 9) : form.start()])
        if form[4] in ("A", "I") and (opens or form[4] == "I") and _AFTER_ARTICLE.match(text, form.end()):
            continue
        found.append((next(filter(None, form.groups())).upper(), form.span()))
    return found


def _by_text(text: str, question: str, choices: Sequence[str]) -> Extracted:
    """The option whose words occur in a text, the longest first; numbers are compared as numbers."""
    letters = dict(zip(map(_words, choices), LETTERS, strict=False))
    if len(letters) < len(choices):
        return ambiguous("options that read alike")
    for form, judge in ((r"yes|0", boolean_in), (r"-?[\d.]+", number_in)):
        if all(re.fullmatch(form, option) for option in letters):
            verdict = judge(text, question)
            return one_of({letters.get(_words(verdict.answer))}, "such option") if verdict.answer else verdict
    pieces = clauses(text, question)
    longest_first = "|".join(map(re.escape, sorted(letters, key=len, reverse=True))).replace("\\ ", r"\W{1,9}")
    for searched in ("; ".join(pieces), text.lower() if pieces else ""):  # an option may itself contain a supposition
        found = list(re.finditer(rf"(?P<denied>\bnot (?:be )?(?:an? |the )?)?\b(?:{longest_first})\b", searched))
        named = [option for option in found if not option["denied"]]
        if named:
            answers = {letters[_words(option[0])] for option in named}
            return one_of(answers | _more_exact(named, searched, letters), "option")
    return none("no option")


def _more_exact(named: Sequence[re.Match[str]], text: str, letters: Mapping[str, str]) -> set[str]:
    """Letters of options that are more specific than a named one, and whose words are all in the text.

    `The umbrella is blue` contains the option `umbrella` literally; `blue umbrella` cannot be excluded.
    """
    said = set(re.findall(r"\w+", text))
    return {
        letter
        for option, letter in letters.items()
        for one in named
        if set(_words(one[0]).split()) < set(option.split()) <= said
    }


def _words(text: str) -> str:
    """An option's text as it is compared: a number in digits, otherwise the words without a leading article."""
    if re.fullmatch(r"-?\d[\d, ]*(?:\.\d+)?", number := in_digits(text).strip(" .")):
        return canonical(number)
    words = re.findall(r"\w+", text.lower())
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words)
