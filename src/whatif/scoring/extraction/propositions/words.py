"""The words of an English sentence with their classes, contractions written out and fixed phrases joined."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from whatif.scoring.extraction.propositions.lexicon import (
    ADVERBS,
    ARTICLES,
    BE,
    CONJUNCTIONS,
    DO,
    DOUBTFUL,
    HAVE,
    MODALS,
    NOUNS_IN_ING,
    NOUNS_IN_LY,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    QUANTITIES,
    RELATIVES,
    verb_of,
)
from whatif.scoring.extraction.statement_words import base_form
from whatif.scoring.extraction.word_forms import stem

_CONTRACTIONS = (
    (r"won't\b", "will not"),
    (r"can't\b|cannot\b", "can not"),
    (r"shan't\b", "shall not"),
    (r"n't\b", " not"),
    (r"'re\b", " are"),
    (r"'ve\b", " have"),
    (r"'ll\b", " will"),
    (r"i'm\b", "i am"),
    (r"'d (?=better\b)", " had "),
    (r"'d\b", " would"),
    # `the man's wearing a hat`, but `the man's hat`
    (
        r"\b(it|he|she|that|there|this|here|who|which|everything|everyone|nobody|no one|nothing|neither|none|one)'s\b",
        r"\1 is",
    ),
    (r"'s (?=(?:not|an?|the|still|also|clearly|already|currently|in|on|at|\w+ing)\b)", " is "),
    (r"(?<=s)' ", " 's "),
    (r"'s\b", " 's"),
    (r"\bgrey\b", "gray"),
)
# `The door is too narrow for the cart to pass`: what cannot happen, and what can.
_FOR_WHOM = re.compile(
    r"^\W*(?:so |but )?[^.,;:]{1,60}? (?P<verb>would|will|is|are)(?P<not> not)?(?: still)?(?: be)? "
    r"(?:far |much |just )?(?:(?P<too>too) \w+|\w+ enough) for "
    r"(?P<who>(?:(?:the|an?|his|her|its|their) )?\w+(?: \w+)?) to (?=\w)"
)
# Fixed phrases as one word, or as the word with the same function.
_PHRASES = (
    (
        r"\bhalf[- ](?=(?:full|empty|open|closed|shut|asleep|awake|done|hidden|covered|eaten|built|filled|visible)\b)",
        "partly ",
    ),
    (r"\b(?:on|at|to) the (?:far |very )?(left|right)(?:[- ]hand)?(?: side)? of\b", r"\1_of"),
    (r"\b(left|right) of\b", r"\1_of"),
    (r"\bon top\b(?! of)", "on it"),
    (r"\bin front of\b", "in_front_of"),
    (r"\bon(?: the)? top of\b|\bon the (?:back|side|front|surface) of\b", "on"),
    (r"\b(?:next|close|adjacent|nearest) to\b", "next_to"),
    (r"\b(because of|due to|thanks to|instead of|except for)\b", lambda found: found[0].replace(" ", "_")),
    (r", which (?=(?:is|are|was|were|would|does|do|has|have)\b)", ", it "),
    (r"\b(any\w+|every\w+|all|nobody|nothing|none)(?: of them)? but (?=(?:the|an?|one|two)\b)", r"\1 except "),
    (
        r"\b(?:rather than|in place of)\b|, (?:but )?not\b(?= (?:an?|the|on|in|at|to|by|from|of|with|\w+\W*$))|"
        r"\bbut not\b",
        " instead_of",
    ),
    (r"\ba single\b", "a"),
    (r"\bother than\b|\bapart from\b|\bwith the exception of\b|\baside from\b", "except"),
    (r"\b(inside|outside|off|atop) of\b", r"\1"),
    (r"\bno one\b", "nobody"),
    (r"\bnot (?:a single|one)\b", "no"),
    (r"\ba (?:few|couple(?: of)?|number of|lot of|variety of)\b|\b(?:lots|plenty) of\b", "several"),
    (r"\b(?:the )?(?:majority|bulk) of\b", "most"),
    (r"\ball but (?:\w+|a few)(?: of)?\b|\balmost all(?: of)?\b|\bnearly all(?: of)?\b", "not all"),
    (r"\b(?:at all|whatsoever|to be seen|anywhere|in total|as well|of course|no doubt|in fact)\b", ""),
    (r"\b(?:most|very|quite|rather|almost) (?=(?:likely|probably|certainly|definitely|surely)\b)|\bafter all\b", ""),
    (r"\bnot (?:possibly|ever)\b", "not"),
    (r"\b(?:each other|one another) ?'s\b", "their"),
    (r"\b(?:each other|one another)\b", ""),
    (r"\bnot (?:nearly |quite |just )?(?:as|so) (\w+) as\b", r"not \1 than"),
    (r"\bno longer\b|\bnot any ?more\b", "not"),
    (r"\bany ?more\b|\bany longer\b", ""),
    (r"\bof the same\b", "the same"),
    (r"\bmade (?:up )?(?:entirely )?(?:out of|from)\b", "made of"),
    (r"\bside by side\b|\bone by one\b|\bupside down\b", lambda found: found[0].replace(" ", "-")),
    (r"\b(would|will|could|can|might|may)((?: (?:not|still|easily|also|then|likely|probably))*) be able to\b", r"\1\2"),
    (r"\b(?:is|are|was|were)( not)? able to\b", r"can\1"),
    (r"\bbe able to\b", ""),
    (r"\b(?:is|are|was|were) unable to\b", "can not"),
    (r"\bbe unable to\b", "not"),
    (r"\b(?:fail|refuse)s? to (?=\w)", "do not "),
    (r"\bmanages? to (?=\w)", "do "),
    # `would be too wide to fit`, `would not be long enough to reach`
    (
        r"\b(?:is|are|be) (?:(?:still|far|much|way|simply|just|a bit|\w+ly) )?too \w+ (?:for (?:\w+ ){1,3})?to (?=\w)",
        "do not ",
    ),
    (
        r"\b(?:is|are|be)((?: not)?) (?:(?:still|just|\w+ly) )?(?!enough)\w+ enough (?:for (?:\w+ ){1,3})?to (?=\w)",
        r"do\1 ",
    ),
    (r"\b(?:turned|switched|powered) (?=on\b|off\b)", ""),
    (r"\bmore than\b(?= \w+ \w)", "over"),
    (r"\bout of\b", "from"),
    (r"\bhas got\b|\bhave got\b", "have"),
    (r"\b(?:do|does) not (?:look|appear|seem)(?: to(?: be)?| like(?= an? ))?\b", "is not"),
    (r"\b(?:looks?|appears?|seems?)(?: to be| to| like(?= an? )|(?= \w+(?: and \w+)?(?:[.,;]|$)))(?! at\b)", "is"),
)
_TOKEN = re.compile(r"[a-z0-9][a-z0-9_'-]*|'s\b|[,;:()%]")
IRREGULAR_NOUNS = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "kids": "kid",
    "feet": "foot",
}


@dataclass(frozen=True)
class Token:
    """A word, its class, and the base form by which it is compared."""

    written: str
    kind: str
    base: str

    @property
    def form(self) -> str | None:
        """Which form of a verb the word can be; None for other words."""
        found = verb_of(self.written)
        if found:
            return found[1]
        if self.kind == "word" and len(self.written) > 5 and self.written not in NOUNS_IN_ING:
            return "ing" if self.written.endswith("ing") else "ed" if self.written.endswith("ed") else None
        if self.kind == "word" and re.fullmatch(r"[a-z]{2,}(?<!e)ed", self.written) and len(self.written) == 5:
            return "ed"
        return None

    @property
    def verb(self) -> str:
        found = verb_of(self.written)
        return found[0] if found else self.base

    @property
    def is_participle(self) -> bool:
        return self.kind == "word" and self.form in ("ing", "ed") and self.written not in NOUNS_IN_ING


@lru_cache(maxsize=4096)
def spelled_out(text: str) -> str:
    """A text in lower case without contractions, with fixed phrases joined."""
    text = re.sub(r"\b([1-9]|1[0-2])\b(?![.,:]\d|%)", lambda found: _number(found[0]), text.lower().replace("’", "'"))
    for pattern, short in _CONTRACTIONS:
        text = re.sub(pattern, short, text)
    text = _FOR_WHOM.sub(_for_whom, text)
    for pattern, replacement in _PHRASES:
        text = re.sub(pattern, replacement, text)
    return text


def _for_whom(found: re.Match[str]) -> str:
    if found["too"] and found["not"]:
        return found[0]
    verb = found["verb"] if found["verb"] in ("would", "will") else "can"
    return f"{found['who']} {verb} {'not ' if found['too'] or found['not'] else ''}"


def _number(figure: str) -> str:
    return next((word for word, number in NUMBERS.items() if str(number) == figure), figure)


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    return tuple(_token(written) for written in _TOKEN.findall(spelled_out(text)))


def _token(written: str) -> Token:
    kind = _kind(written)
    if kind == "prep":
        return Token(written, kind, PREPOSITIONS[written])
    if kind == "word":
        return Token(written, kind, IRREGULAR_NOUNS.get(written) or base_form(written))
    return Token(written, kind, written)


def _kind(written: str) -> str:
    for kind, words in _KINDS:
        if written in words:
            return kind
    if not written[0].isalnum():
        return "owner" if written == "'s" else "mark"
    if written.endswith("ly") and len(written) > 4 and written not in NOUNS_IN_LY:
        return "adverb"
    return "word"


_KINDS = (
    ("be", BE),
    ("do", DO),
    ("have", HAVE),
    ("modal", MODALS),
    ("not", frozenset(("not", "never"))),
    ("doubt", DOUBTFUL),
    ("relative", RELATIVES - {"that"}),
    ("quantity", frozenset(QUANTITIES) | frozenset(NUMBERS)),
    ("article", ARTICLES - {"that", "this", "these", "those"}),
    ("pronoun", PRONOUNS),
    ("and", CONJUNCTIONS),
    ("prep", frozenset(PREPOSITIONS)),
    ("adverb", ADVERBS),
)


def is_same(one: Token, other: Token) -> bool:
    """Whether two words mean the same; a participle of a state (`closed`) is not that of an action (`closing`)."""
    if one.written == other.written or one.base == other.base:
        return True
    if {one.form, other.form} == {"ing", "ed"}:
        return False
    return stem(one.written) == stem(other.written)
