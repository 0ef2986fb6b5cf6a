"""What a question about a number asks for: its things, their description, and the numbers of its supposition."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from whatif.language.number_words import FIGURE, canonical, in_digits
from whatif.scoring.extraction.number_evidence import Restriction, restriction_of
from whatif.scoring.extraction.statement_words import COLOURS, base_form

_GONE = (
    r" (?:[a-z]+ ){0,3}(?:would|will) (?:be )?(?:gone|leave|disappear|missing|removed|fly|go|vanish|depart|drop|fall)\b"
)
_WITH_NOUN = re.compile(rf"({FIGURE}) (?!more\b|of\b|were\b|was\b|are\b|is\b|left\b|would\b)[a-z]{{2,}}")
_COUNTED = re.compile(
    r"how +many +([a-z' -]+?)(?= (?:of|in|on|at|with|from|is|are|was|were|would|will|can|could|do|does|did|has|have|"
    r"had|if)\b|[?,.]|$)"
)
_PLURAL = re.compile(r"(?!\w*(?:ss|us|is|'s)$)[a-z-]{2,}s|people|children|\w*men|mice|geese|teeth|feet|sheep|fish|deer")
# `open` in `how many windows would be open`, but no place and nothing that only says that they are there.
_PREDICATE = re.compile(
    r"how +many +[a-z0-9' -]+? (?:(?:would|will|could|can)(?: still| then| now)? be|are|is|were|was)(?: still)? "
    r"(?!(?:there|left|visible|shown|seen|present|in|on|at|of|the|an?|not|you|we|they|it|to|from|with|under|behind|"
    r"near|next|being|remaining|above|below)\b)(?P<predicate>[a-z]+)"
)
# `be open` or `appear`, what the question asks of its things, before its if clause.
_MAIN_VERB = re.compile(
    r"how +many +(?:(?!if )[a-z0-9' -])+? (?:would|will)(?: still)? "
    r"(?P<verb>be (?!there\b|left\b)[a-z]+|(?!(?:be|have|there|still|not|you|we|i)\b)[a-z]+)"
)
# `cats` in `if 2 more cats were added`, and in `if 2 cats ran`
_SUPPOSED = re.compile(
    rf"(?P<number>{FIGURE})(?: (?P<before_verb>(?:[a-z'-]+ ){{1,4}}?)(?=(?:was|were|is|are|had|has|have|would|did)\b)|"
    rf" (?P<plural>(?:[a-z-]+ )?(?:{_PLURAL.pattern}))\b)?"
)
_NO_NAME = frozenset(
    "more other others additional extra further new another of them these those the ones one was is".split()  # noqa: SIM905
)
_VERBS = re.compile(r"\b[a-z]{3,}(?=ed\b)|\b(?<!there )(?:(?<=were )|(?<=was )|(?<=been ))[a-z]{3,}|\bcame\b")


@dataclass(frozen=True)
class Asked:
    """What a question provides: its words, its things, and the numbers and verbs of its supposition."""

    text: str
    things: re.Pattern[str]
    label: re.Pattern[str]  # `cats: `
    number_of: re.Pattern[str]  # `the number of cats is `
    supposed: frozenset[str]
    of_others: frozenset[str]  # those of `supposed` that count other things: 2, in `if 2 cats were added`
    verbs: re.Pattern[str]
    predicate: re.Pattern[str]  # ` windows would be open`
    main_verb: re.Pattern[str]  # ` people would appear`, ` windows would be open`
    has_predicate: bool
    figures: frozenset[str]  # all numbers of the question
    echoes: frozenset[str]  # `1 leg`, in `standing on one leg`
    colour: str  # `red`, in `red cars`
    kind: str  # `milk`, in `bottles of milk`
    restriction: Restriction
    counterfactual: bool

    def restates(self, after: str) -> bool:
        """Whether what follows a number of the supposition is the supposition over again, and not what is asked for.

        `two doors were opened`, but not `two doors would be open`, if asked how many doors would be open.
        """
        return self.verbs.match(after) is not None and self.main_verb.match(after) is None


@lru_cache(maxsize=4096)
def asked_by(question: str) -> Asked:
    """What a question about a number asks for."""
    text = in_digits(question)
    supposition = text.partition("if ")[2]
    things = label = re.compile("(?!)")
    counted = _COUNTED.search(text)
    if counted and (words := counted[1].split()):
        plural = next((place for place, word in enumerate(words) if _PLURAL.fullmatch(word)), len(words) - 1)
        words = words[: plural + 1]  # without a verb: `bridges cross the river`
        noun = words.pop()
        nouns = ("people", "persons?") if noun == "people" else (noun, noun.removesuffix("s"), noun.removesuffix("es"))
        adjectives = "".join(f"(?:{word} )?" for word in ("total", *words))
        things = re.compile(rf" {adjectives}(?:{'|'.join(nouns)})\b")
        label = re.compile(rf"\W*(?:number of )?{adjectives}(?:{'|'.join(nouns)}) ?[:|] ?")
    colour = next((one for one in COLOURS if f"(?:{one} )?" in things.pattern), "")
    return Asked(
        text=text,
        things=things,
        label=label,
        number_of=re.compile(rf"\bnumber of{things.pattern}[^.;:,]{{0,60}} (?:is|are|was|were|would be|will be) $"),
        supposed=frozenset(canonical(figure) for figure in re.findall(FIGURE, supposition)),
        of_others=_of_others(supposition, things, colour),
        verbs=re.compile(rf" (?:[a-z]+ ){{0,4}}(?:{'|'.join(_VERBS.findall(supposition)) or '(?!)'})|{_GONE}"),
        predicate=_with_predicate(text, things),
        main_verb=_with_main_verb(text, things),
        has_predicate=_PREDICATE.search(text) is not None,
        figures=frozenset(canonical(figure) for figure in re.findall(FIGURE, text)),
        echoes=frozenset(found[0] for found in _WITH_NOUN.finditer(text) if not things.match(text, found.end(1))),
        colour=colour,
        kind=kind[1] if (kind := re.search(rf"{things.pattern} of ([a-z]+)", text)) and kind[1] != "the" else "",
        restriction=restriction_of(question, things.pattern),
        counterfactual=bool(supposition) or " would " in text,
    )


def _of_others(supposition: str, things: re.Pattern[str], colour: str) -> frozenset[str]:
    """The numbers of a supposition that count only things with another name or colour than those asked for."""
    others: dict[str, bool] = {}
    for found in _SUPPOSED.finditer(supposition):
        named = [word for word in (found["before_verb"] or found["plural"] or "").split() if word not in _NO_NAME]
        phrase = f" {' '.join(named)}"
        is_same = not named or (things.search(phrase) is not None and not has_other_colour(phrase, colour))
        value = canonical(found["number"])
        others[value] = others.get(value, True) and not is_same
    return frozenset(value for value, is_other in others.items() if is_other)


def _with_predicate(question: str, things: re.Pattern[str]) -> re.Pattern[str]:
    found = _PREDICATE.search(question)
    return re.compile(
        rf"(?:{things.pattern})?(?: (?:of|which|that|who|whom|them|shown|seen|visible|actually|currently|only|"
        rf"people|persons?|also|would|will|could|can|be|are|is|were|"
        rf"was|still|then|now)){{0,5}} "
        rf"(?:{found['predicate']}|{base_form(found['predicate'])}s?)\b"
        if found
        else r"(?!)"
    )


def _with_main_verb(question: str, things: re.Pattern[str]) -> re.Pattern[str]:
    found = _MAIN_VERB.search(question)
    return re.compile(rf"(?:{things.pattern})? (?:would|will)(?: still)? {found['verb']}\b" if found else r"(?!)")


def has_other_colour(after: str, colour: str) -> bool:
    """Whether things are of another colour than asked for: `3 blue cars`, if asked for red cars."""
    found = re.match(r" ([a-z]+)\b", after)
    return found is not None and bool(colour) and found[1] in COLOURS and found[1] != colour
