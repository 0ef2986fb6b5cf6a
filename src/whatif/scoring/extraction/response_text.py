"""Prepares the text of a response for extraction: removes markup and echoes, and splits it into clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from whatif.language.if_clauses import if_clause
from whatif.language.number_words import forms
from whatif.language.options import LETTERS, printed_question
from whatif.scoring.extraction.markup import plain_text

# Replaces a supposition that was removed from a sentence: the rest is about the counterfactual world.
SUPPOSED = "…"

# `leaves` introduces a conclusion if a number is left; `a giraffe eats leaves` does not.
LEAVES = (
    r"leaves(?= (?:(?:us|you|me|him|her|it|them|the \w+|with|only|just|exactly|about|behind|a total of) ){0,4}"
    r"(?:\d|no |none|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    r"sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|a dozen))"
)
_CLAUSES = re.compile(
    r",? (?=(?:but|however|therefore|thus|hence|for a total|resulting in|"
    r"(?:that|which) (?:makes|gives|leaves|brings|raises)|which means|meaning|"
    r"that is(?= (?:\d|zero|one|two|three|four|five|"
    r"six|seven|eight|nine|ten)\b)|"
    rf"{LEAVES}|so(?!\W*$|[.!?]| (?:many|much|that|far|on|called|as)\b))\b)"
    r"|(?<! is)(?<! are)(?<! was)(?<! were)(?<! be),? "
    r"(?=(?:leaving|making|giving|bringing|raising)\b)"  # nobody `is making` a total
)
SUPPOSITION = re.compile(
    r"(?:(?P<with>(?:^|(?<=, )|(?<=; )|(?<=and )|(?<=but ))with(?:out)?\b(?! a total))|"
    r"\b(?:if|when|once|after(?! ?[:=|])|before(?= (?:the|he|she|they|it|we|you|an?|one|\w+ing)\b)|assuming|given|"
    r"suppos(?:e|"
    r"ing)|provided|because|since|due to|upon|by \w+ing)\b)"
    r"(?:(?!,(?!\d)|:(?!\d)|[;()?!|→]|\bthen\b|\bthere(?: would\b| will\b|'d\b)|"
    r"(?<!of )\b(?:the|we|you|i|it|they|he|she|this|that)\b(?:'d\b|'ll\b|(?: \w+)? (?:would|will)\b)|"
    r"(?<!of )\bthe \w+ \w+ (?:would|will)\b"
    r"|(?(with) (?:there|it|we|you|they)(?:'s|'re| is| are| makes?| have| get| could| can| would)\b|(?!))).)*"
)
_OPPOSITE = re.compile(r"\b(?:if|when|unless)\b(?: (?!would)[\w']+){0,5}?(?: not\b|n't)|\bunless\b")
_REFUSAL = re.compile(
    r"\b(?:can(?: ?not|'t)|(?:could|do|does|is|am)(?: not|n't)|unable to|(?:im|not )possible to|hard to|difficult to|"
    r"without seeing|i'm not|it's not|not)(?: \w+){0,2}? (?:tell|say|determined?|know|answer|choose|sure|clear|"
    r"certain|possible|enough (?:information|info|details?|context|data|"
    r"evidence)|see (?:the|an|any) (?:image|picture|photo)|have the ability)\b|"
    r"\bnot (?:sure|clear|certain)\b|"
    r"\b(?:tell|say|determine|know) (?:whether|how many)\b|\bdepends\b|\bnecessarily\b|\bun(?:known|clear|certain)\b|"
    r"\b(?:can(?: ?not|'t)|unable to|(?:im|not )possible to)"
    r"(?: (?:be|reliably|accurately|exactly|really|precisely)){0,2} "
    r"(?:given|derived?|stated?|provided?|inferr?(?:ed)?|counted|count|answered|specif(?:y|ied)|establish(?:ed)?|"
    r"estimated?|give|offer|name|make out|confirm|predict(?:ed)?|foreseen?|forecast|guess|calculated?|computed?|"
    r"deduced?|judged?|assess(?:ed)?|verif(?:y|ied))\b|"
    r"\b(?:is|are)(?: not|n't) (?:known|given|specified|stated|mentioned|provided|predictable)\b|"
    r"\b(?:nobody|no one) (?:knows|can (?:tell|say|know|predict|count))\b|"
    r"\bno (?:idea|information|way (?:to|of)|telling|means)\b|"
    r"\bsorry\b"
)


def plain(response: str) -> str:
    """A response without markup and the numbers of a list."""
    return _without_list_numbers(plain_text(response))


def _without_list_numbers(text: str) -> str:
    """Removes the numbers of lines numbered 1, 2, ...; a single number may be an answer and is kept."""
    form = re.compile(r"^\(?(\d{1,3})[.)] +(?=\S)", re.MULTILINE)
    numbers = [int(number) for number in form.findall(text)]
    is_list = len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1))
    return form.sub("", text) if is_list else text


def without_echo(text: str, question: str, choices: Sequence[str] | None) -> str:
    """A text without a repetition of the question, with or without its options, or of all lettered options."""
    for said in (printed_question(question, choices), question):
        text = _without(text, said)
    if choices:
        options = " ".join(f"{letter} {choice}" for letter, choice in zip(LETTERS, choices, strict=False))
        if re.search(r"\w", rest := _without(text, options)):
            text = rest
    return text.strip()


def _without(text: str, said: str) -> str:
    words = re.findall(r"\w+", plain(said))
    if len(words) < 2:
        return text
    return re.sub(r"\b" + r"[^\w✓✗]{1,9}".join(map(re.escape, words)) + r"\b\W?", "\n", text, flags=re.IGNORECASE)


def refuses(text: str) -> bool:
    """Whether a text says that its author cannot or will not answer."""
    return _REFUSAL.search(text.lower()) is not None


# `The number of dogs if one more came would be 3.`
_SUBJECT_FIRST = re.compile(
    r"(?P<subject>\b(?:number|count|total|amount|result|sum)\b(?:(?!\b(?:would|will|is|are|if|when|"
    r"after)\b)[^,.;:?!\n])"
    r"{0,80}?) (?:if|when|after) [^,.;:?!\n]{1,100}? (?=(?:would|will|is|are)\b)"
)


# `Probably, unless it is locked.`
_UNLESS = re.compile(
    r"(?:^|(?<=[.!?] ))(?P<answer>\W*(?:yes|no|probably|likely|most likely|presumably|certainly)\b),? "
    r"unless\b[^.;!?\n]*",
    re.IGNORECASE | re.MULTILINE,
)
# `It would therefore not fall` is one clause.
_ADVERBS = re.compile(
    r"(?P<verb>\b(?:would|will|could|can|should|must|is|are|was|were|does|do|did|has|have)|(?<=\w)'(?:s|d|re|ll))"
    r"(?:,? (?:therefore|thus|hence|"
    r"however|consequently|accordingly|then|likewise)\b,?)+",
    re.IGNORECASE,
)


def without_if_clause(text: str, question: str) -> str:
    """A text in which the question's own if clause, repeated word by word, is the marker of a supposition.

    Such a clause may have commas, at which any other supposition ends: `if Tom ate two, and Ann ate one`. Numbers may
    be figures or words.
    """
    repeated = _repeated_if_clause(question)
    return repeated.sub(SUPPOSED, text) if repeated else text


@lru_cache(maxsize=4096)
def _repeated_if_clause(question: str) -> re.Pattern[str] | None:
    words = re.findall(r"\w+", if_clause(question) or "")
    if len(words) < 3:
        return None
    written = ("|".join(map(re.escape, sorted(forms(word)))) for word in words)
    return re.compile(r"\b" + r"\W{1,9}".join(f"(?:{word})" for word in written) + r"\b", re.IGNORECASE)


def clauses(text: str, question: str) -> list[str]:
    """Sentences and clauses in lower case. A supposition becomes a marker; its opposite and refusals are removed."""
    text = without_if_clause(text, question)
    question = question.lower()
    text = _UNLESS.sub(r"\g<answer>", _ADVERBS.sub(r"\g<verb>", text))
    pieces = []
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", _SUBJECT_FIRST.sub(rf"\g<subject> {SUPPOSED} ", text.lower())):
        opposite = _OPPOSITE.search(sentence) and not _OPPOSITE.search(question)
        for piece in [] if opposite else _CLAUSES.split(SUPPOSITION.sub(SUPPOSED, sentence)):
            refusal = _REFUSAL.search(piece)
            if piece and not (refusal and refusal[0].split()[-1] not in question):
                pieces.append(piece)
    return pieces
