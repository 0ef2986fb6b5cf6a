"""Extracts yes or no from a statement that entails what a question asks, or excludes it.

An affirmative statement confirms a question if it contains all that is asked, and perhaps more: `a black dog lies on
the sofa` entails a dog on the sofa. A negative statement denies a question if it denies no more than is asked: `there
is no dog` excludes a dog on the sofa. Other statements decide nothing, except for another colour or another number.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from whatif.scoring.extraction.asked_statement import Asked, asked_of
from whatif.scoring.extraction.comparisons import compared_polarity, compares
from whatif.scoring.extraction.entailment import bases, conjuncts, content, denies, entails, is_other_number, is_within
from whatif.scoring.extraction.statement_words import (
    ADDED,
    AUXILIARY,
    COLOURS,
    FEMALE,
    IMAGE,
    MALE,
    NOT,
    PEOPLE,
    PREPOSITIONS,
    PRONOUNS,
    VERB,
    Word,
    base_form,
    words_of,
    written_out,
)
from whatif.scoring.extraction.statements import (
    CONTRAST,
    ELLIPTICAL,
    UNCERTAIN,
    Presented,
    has_verb,
    presented_in,
    statements_in,
)

_CONCLUDES = re.compile(
    r"^\W*(?:so|therefore|thus|hence|in conclusion|overall|consequently)\b,? (?=\w+ \w)", re.IGNORECASE
)
_OF_NOW = re.compile(r"\b(?:now|currently|original(?:ly)?|at (?:the moment|present))\b")
_GONE = re.compile(r"\b(?:missing|leaving|gone|removed|departing|disappearing|absent)\b")
_STAYING = frozenset(("parked", "seated", "placed", "located", "positioned", "displayed", "situated"))


def statement_polarity(piece: str, question: str) -> str | None:
    """`yes` or `no` if the statements of a clause confirm or deny what is asked; None if they do neither, or both."""
    piece = _CONCLUDES.sub("", piece)
    statements = statements_in(written_out(piece))
    if statements and (elliptical := ELLIPTICAL.fullmatch(statements[0])) and _may_be_elliptical(statements, question):
        return "no" if elliptical["negation"] else "yes"
    asked = asked_of(question)
    if asked is None or not _is_of_the_same_world(written_out(piece), asked):
        return None
    verdicts = {_verdict(statement, asked) for statement in statements} - {None}
    return verdicts.pop() if len(verdicts) == 1 else None


def _may_be_elliptical(statements: Sequence[str], question: str) -> bool:
    """Whether the first statement stands alone, or answers with the verb of the question: `It would: ...`."""
    verb = re.match(r"\W*(\w+)", written_out(question))
    return len(statements) == 1 or (verb is not None and re.search(rf"\b{verb[1]}\b", statements[0]) is not None)


def has_content(text: str) -> bool:
    """Whether a text has content beyond pronouns and auxiliaries; `it would` does not."""
    words = content(words_of(written_out(text)))
    return any(word.written not in PRONOUNS | {","} and not re.fullmatch(AUXILIARY, word.written) for word in words)


def _is_of_the_same_world(text: str, asked: Asked) -> bool:
    """Whether a text is certain, and about the time and the world that the question asks about."""
    doubts = {base_form(found[0].split()[-1]) for found in UNCERTAIN.finditer(text)}
    if doubts - {base_form(word) for word in re.findall(r"\w+", asked.main)}:
        return False
    if asked.is_supposed and _OF_NOW.search(text):
        return False
    past = re.search(r"\b(?:was|were)\b", text) and not re.search(r"\b(?:was|were)\b", asked.main)
    future = re.search(r"\b(?:will|would)\b", text) and not asked.is_supposed and "will" not in asked.main
    return not (past or future)


def _verdict(statement: str, asked: Asked) -> str | None:
    parts = CONTRAST.split(statement, maxsplit=1)
    statement = parts[0].strip(" ,")
    if len(parts) > 1 and _is_contrary(parts[1].partition(",")[0], statement, asked):
        return "no"
    presented = presented_in(statement)
    words = presented.words if presented else words_of(statement)
    if not words or re.match(AUXILIARY, statement):
        return None
    if compares(asked.words) and compares(words):
        return compared_polarity(words, asked.words)
    if presented:
        return _of_presented(presented, asked)
    if sum(word.base == NOT for word in words) > 1:
        return None
    return _of_existence(words, asked) if asked.is_of_existence else _of_subject(words, asked, statement)


def _of_presented(presented: Presented, asked: Asked) -> str | None:
    """The answer from a statement that something exists or is seen."""
    words, target = presented.words, asked.words
    if asked.names_a_kind and presented.in_image:
        target = target[1:]  # in `the image shows a kitchen`, the kitchen is `this`
    elif not asked.is_of_existence:
        words = _as_someone(words, target)
    parts = conjuncts(words)
    if any(word.base == NOT for part in parts for word in part[1:]):
        return None
    first_denied = next((index for index, part in enumerate(parts) if part and part[0].base == NOT), len(parts))
    affirmed, denied = parts[:first_denied], parts[first_denied:]
    if target and target[0].base in PEOPLE:  # who is nobody is no person
        denied = [[target[0] if word.base == "someone" else word for word in part] for part in denied]
    if any(is_within(part, target) and (asked.is_of_existence or bases(part) == bases(target)) for part in denied):
        return "no"
    if any(word.written in ("or", "nor") for word in words) or any(_GONE.fullmatch(word.written) for word in words):
        return None
    if is_other_number(words, target):
        return "no"
    too_few = asked.is_plural and presented.is_one
    return "yes" if not too_few and any(entails(part, target) for part in affirmed) else None


def _of_existence(words: Sequence[Word], asked: Asked) -> str | None:
    """Whether the thing exists, from a statement about a subject."""
    negation = next((index for index, word in enumerate(words) if word.base == NOT), None)
    if negation == 0:  # `no cars are on the street`
        return "no" if is_within(words, asked.words) else None
    if negation is not None:
        return _of_absence(words[:negation], words[negation + 1 :], asked)
    place = next((index for index, word in enumerate(words) if word.base == VERB), len(words))
    after = words[place + 1 :]
    if not after or any(word.written == "or" for word in words) or _GONE.fullmatch(after[0].written):
        return None
    stays = after[0].written in PREPOSITIONS or after[0].written in _STAYING or after[0].written.endswith("ing")
    is_placed = any(word.written in PREPOSITIONS for word in asked.words)
    if after[0].base != IMAGE and not (stays and (is_placed or not asked.is_supposed)):
        return None  # properties in a supposed world do not imply existence
    things = [[*thing, *words[place:]] for thing in conjuncts(words[:place]) if thing]
    return "yes" if any(entails(thing, asked.words) for thing in things) else None


def _of_absence(subject: Sequence[Word], denied: Sequence[Word], asked: Asked) -> str | None:
    """Whether a thing exists, from a statement that something is not true of a subject."""
    rest = [word for word in denied if word.base != VERB]
    if rest and rest[0].base == IMAGE:
        return "no" if is_within(subject, asked.words) else None
    if rest and rest[0].written in PREPOSITIONS:  # `the dog is not on the sofa`
        whole = [*subject, *rest]
        return "no" if is_within(subject, asked.words) and is_within(whole, asked.words) else None
    place = bases(subject)  # `the street has no cars`
    is_placed = len(place) == 2 and place[1] == "have" and place[0] in bases(asked.words)
    return "no" if is_placed and is_within(rest, asked.words) else None


def _of_subject(words: Sequence[Word], asked: Asked, statement: str) -> str | None:
    """The answer about a subject's property, from a statement about a subject."""
    words = _without_modal(words, asked, statement)
    if asked.has_verb and any(_is_copula(*pair) for pair in itertools.pairwise(words)):
        return None
    compared = _compared(words, asked)
    if any(word.base == NOT for word in words):
        return "no" if any(denies(said, target) for said, target in compared) else None
    verbless = not has_verb(statement, words) and asked.auxiliary not in ("do", "does", "did")
    if verbless or any(word.written == "or" for word in words):
        return None
    if any(entails(said, target, may_add_first=said is not words) for said, target in compared):
        return "yes"
    return "no" if not asked.names_a_kind and any(_is_other_colour(*pair) for pair in compared) else None


def _compared(words: Sequence[Word], asked: Asked) -> list[tuple[Sequence[Word], Sequence[Word]]]:
    """Statement and question side by side if their subjects agree: both complete, or both without their subjects."""
    named, target = content(words), asked.words
    if not named:
        return []
    verb = next((index for index, word in enumerate(words) if word.base == VERB), 0)
    is_pronoun = named[0].written in PRONOUNS
    if target[0].written in PRONOUNS:
        fits = (is_pronoun and {named[0].written, target[0].written} != {"he", "she"}) or (
            not is_pronoun and verb > 0 and _may_be(target[0].written, words[verb - 1])
        )
        return [(words[1:] if is_pronoun else words[verb:], target[1:])] if fits and len(target) > 1 else []
    if is_pronoun:
        rest, asked_bases = words[1:], {word.base for word in target}
        opening = next((word for word in content(rest) if word.written not in ADDED or word.base in asked_bases), None)
        starts = [
            k for k in range(0 if asked.is_of_this else 1, len(target)) if k == 0 or _may_end_subject(target[k - 1])
        ]
        fitting = [(rest, target[k:]) for k in starts if opening and target[k].base == opening.base]
        return fitting or [(rest, target[-1:])]
    words, start = _as_someone(words, target), 0
    known = set(re.findall(r"\w+", asked.text))
    while start < verb and words[start].base != target[0].base and words[start].written in known:
        start += 1  # `a cloudy sky`, if the question itself says cloudy
    words = words[start:] if start else words
    return [(words, target)] if bases(words)[:1] == [target[0].base] else []


def _is_copula(word: Word, after: Word) -> bool:
    return word.written in ("is", "are", "am") and after.base not in (NOT, VERB) and not after.written.endswith("ing")


def _may_end_subject(word: Word) -> bool:
    return word.written not in PREPOSITIONS and not word.is_participle and word.base != "have"


def _may_be(pronoun: str, noun: Word) -> bool:
    """Whether a pronoun of the question can refer to a noun."""
    if pronoun in ("he", "she"):
        own, other = (MALE, FEMALE) if pronoun == "he" else (FEMALE, MALE)
        return noun.base in own or (noun.base not in other and (noun.base in PEOPLE or noun.base.endswith("er")))
    if pronoun in ("they", "these", "those"):
        return noun.written != noun.base or noun.written.endswith("s")
    return pronoun != "it" or noun.base not in PEOPLE


def _as_someone(words: Sequence[Word], target: Sequence[Word]) -> Sequence[Word]:
    """The words, with `someone` in place of the person if the question asks for anyone."""
    affirmed = not any(word.base == NOT for word in words)
    if target[0].base == "someone" and affirmed and words and words[0].base in PEOPLE:
        verb = next((index for index, word in enumerate(words) if word.base == VERB), 0)
        is_modified = verb > 1 and words[1].written in PREPOSITIONS  # `a woman in a red coat is`
        return [target[0], *words[verb if is_modified else 1 :]]
    return words


def _is_other_colour(said: Sequence[Word], target: Sequence[Word]) -> bool:
    words = content(said)
    if not words or not {words[-1].written, target[-1].written} <= COLOURS:
        return False
    return words[-1].written != target[-1].written and bases(words[:-1]) == bases(target[:-1])


def _is_contrary(contrary: str, statement: str, asked: Asked) -> bool:
    """Whether the alternative that a statement rejects (`a cat, not a dog`) is what was asked."""
    words = words_of(contrary)
    before, target = words_of(statement), asked.words
    if not content(words) or any(word.base == VERB for word in words):
        return False
    is_it = len(before) > 1 and before[0].written in PRONOUNS and before[1].base == VERB
    if asked.is_of_existence:
        names = presented_in(statement) is not None or is_it or not has_verb(statement, before)
        return names and is_within(words, target)
    start = len(target) - len(content(words))
    if not statement or start < 0 or bases(target[start:]) != bases(words):
        return False
    return bases(before)[:start] == bases(target[:start]) or (is_it and start == 1)


def _without_modal(words: Sequence[Word], asked: Asked, statement: str) -> Sequence[Word]:
    """Words without the `can` or `has` of the question; no words if the statement lacks its `can`."""
    if asked.auxiliary in ("can", "could"):
        allowed = re.search(r"\b(?:can|able to)\b", statement)
        return [word for word in words if word.base != "can"] if allowed else []
    if asked.auxiliary in ("has", "have", "had"):
        place = next((index for index, word in enumerate(words) if word.base == "have"), None)
        return [Word("has", VERB) if index == place else word for index, word in enumerate(words)]
    return words
