"""Finds where the texts of options occur in a text, which of them it denies, and which it joins in a list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from whatif.language.options import LETTERS
from whatif.scoring.extraction.option_words import ARTICLES, ASIDE, option_words

_DENIED = re.compile(
    r"\b(?:not|never|neither|nor|nobody|no one)\b"
    r"(?! (?:only|just|sure|certain|clear)\b)(?:(?!\b(?:is|are)\b)[^,;:.!?\n])*\Z"
)
_JOINS = re.compile(
    r"[!?.]?[\"']?,? ?(?:\b(?:or|and|nor)\b )?[\"']?(?:(?:an?|the) )?"
)  # between options that are denied together
_IS_NOT = re.compile(r"\s(?:is|are|was|were|does|do|did|can|could|would|will|has|have) not\b(?! only\b)")
_NEAR = 60  # signs before an option in which a negation of its clause is sought
# What a text compares with, up to the end of its clause or list, or up to a preposition.
_THAN = (
    re.compile(r"\bthan\b[^,;.!?\n]*(?:,(?: and)? (?:the|an?|any) [\w'-]+(?: and (?:the|an?|any) [\w'-]+)?){0,6}"),
    re.compile(r"\bthan\b(?: (?!(?:in|on|at|under|near|next|behind|because|since|and|or|but)\b)[\w'-]+){1,6}"),
)


def without_asides(text: str, letters: Mapping[str, str]) -> str:
    """A text without what it compares with and names beside, unless an option is said like that."""
    for than in _THAN:
        rest = than.sub("", text)
        rest = rest if any(ASIDE.search(option) for option in letters) else ASIDE.sub(" ", rest)
        if named_in(rest, letters):
            return rest
    return _THAN[0].sub("", text)


def named_options(text: str, choices: Sequence[str]) -> set[str | None]:
    """The letters of all options whose text occurs in a text."""
    return named_in(text.lower(), dict(zip(map(option_words, choices), LETTERS, strict=False)))


def joined_in(text: str, choices: Sequence[str]) -> list[tuple[set[str], str]]:
    """The letters of options that a text joins in a list of several, with the text before it and its joints."""
    letters = dict(zip(map(option_words, choices), LETTERS, strict=False))
    text, start, end = text.lower(), 0, 0
    joined: list[tuple[set[str], str]] = []
    run: set[str] = set()
    for one, option in _occurrences(text, letters):
        if not (run and _JOINS.fullmatch(text[end : one.start()])):
            joined.append((run, text[max(0, start - _NEAR) : end]))
            run, start = set(), one.start()
        run, end = run | {letters[option]}, one.end()
    joined.append((run, text[max(0, start - _NEAR) : end]))
    return [(run, said) for run, said in joined if len(run) > 1]


def named_in(text: str, letters: Mapping[str, str]) -> set[str | None]:
    named = [option for option, is_denied in _found(text, letters) if not is_denied]
    said = set(re.findall(r"\w+", text))
    exact: set[str | None] = {letters[option] for option in named}
    return exact | {
        letter
        for option, letter in letters.items()
        for one in named
        if set(one.split()) < set(option.split()) <= said  # `the umbrella is blue`, with the option `blue umbrella`
    }


def denied_in(text: str, letters: Mapping[str, str]) -> set[str]:
    return {letters[option] for option, is_denied in _found(text, letters) if is_denied}


def _found(text: str, letters: Mapping[str, str]) -> list[tuple[str, bool]]:
    """The options whose words occur in a text, and whether each is denied there."""
    text = re.sub(r"(?<=[a-z])n't\b", " not", text.replace("grey", "gray"))
    found: list[tuple[str, bool]] = []
    end = 0
    for one, option in _occurrences(text, letters):
        before, after = text[max(0, one.start() - _NEAR) : one.start()], text[one.end() : one.end() + _NEAR]
        denied = _DENIED.search(before) is not None or _IS_NOT.match(after) is not None
        denied = denied or (len(found) > 0 and found[-1][1] and _JOINS.fullmatch(text[end : one.start()]) is not None)
        end = one.end()
        found.append((option, denied))
    return found


def _occurrences(text: str, letters: Mapping[str, str]) -> Iterator[tuple[re.Match[str], str]]:
    """Where options occur in a text in lower case, the longest at each place."""
    by_words = {_without_articles(option): option for option in letters}
    longest_first = "|".join(map(re.escape, sorted(by_words, key=len, reverse=True)))
    longest_first = longest_first.replace("\\ ", r"\W{1,9}(?:(?:the|an?)\W{1,9})?")
    for one in re.finditer(rf"\b(?P<option>{longest_first})\b", text) if letters else ():
        yield one, by_words[_without_articles(one["option"])]


def _without_articles(option: str) -> str:
    first, *words = re.findall(r"\w+", option) or [""]
    return " ".join([first, *(word for word in words if word not in ARTICLES)])
