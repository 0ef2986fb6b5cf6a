"""Noun phrases: how many things, of which kind, with which attributes; and which phrases follow from which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whatif.scoring.extraction.entailment import is_added as may_be_added
from whatif.scoring.extraction.propositions.everyday_words import ADJECTIVES
from whatif.scoring.extraction.propositions.lexicon import (
    AFTER_NOUNS,
    ANIMALS,
    ATTRIBUTES,
    CHANGING,
    COLOURS,
    MEASURES,
    NUMBERED,
    NUMBERS,
    OWNERS,
    PERSONS,
    PERSONS_UNNAMED,
    PLURAL,
    QUANTITIES,
    SHADES,
    THINGS_UNNAMED,
)
from whatif.scoring.extraction.propositions.words import Token, is_same
from whatif.scoring.extraction.statement_words import Word

_DEMONSTRATIVES = frozenset(("this", "that", "these", "those"))


@dataclass(frozen=True)
class Noun:
    """A noun phrase. `words` are its attributes and, last, its noun; none in `both of them` or `some are`."""

    quantity: str  # of QUANTITIES, or `a`, `the`, or `` without an article
    words: tuple[Token, ...]
    number: int | None = None
    is_only: bool = False
    owner: tuple[Token, ...] = ()

    @property
    def head(self) -> Token | None:
        return self.words[-1] if self.words else None

    @property
    def is_pronoun(self) -> bool:
        return not self.words or self.words[-1].kind == "pronoun"

    @property
    def is_indefinite(self) -> bool:
        return self.quantity in ("a", "any", "some", "", "enough") or (self.number is not None and not self.quantity)

    @property
    def is_plural(self) -> bool:
        head = self.head
        if head is None:
            return True
        return (
            head.written in PLURAL
            or (head.written != head.base and head.written.endswith("s"))
            or (head.written in ("people", "men", "women", "children", "sheep"))
        )

    @property
    def unnamed(self) -> str | None:
        """`person` or `thing` for `anybody` and `anything`, which name no kind."""
        head = self.head
        if head is not None and head.written in PERSONS_UNNAMED:
            return "person"
        return "thing" if head is not None and head.written in THINGS_UNNAMED else None


def noun_at(words: Sequence[Token], start: int) -> tuple[Noun | None, int]:  # noqa: PLR0912
    """The noun phrase that begins at a place, and where it ends; None if there is none."""
    owner: tuple[Token, ...] = ()
    number: int | None = None
    place, quantity, is_only = start, "", False
    named: list[Token] = []
    while place < len(words):
        word = words[place]
        following = words[place + 1] if place + 1 < len(words) else None
        if word.written in ("only", "just", "exactly"):
            is_only = word.written != "exactly"
        elif word.written == "not" and following is not None and QUANTITIES.get(following.written) == "all":
            quantity, place = "not all", place + 1
        elif word.kind == "quantity":
            if word.written in NUMBERS:
                number = NUMBERS[word.written]
            elif word.written in PERSONS_UNNAMED | THINGS_UNNAMED:
                return Noun(quantity or QUANTITIES[word.written], (word,)), place + 1
            quantity = quantity or QUANTITIES.get(word.written, "")
            if following is not None and following.written == "of":
                quantity, place = quantity or "some", place + 1
        elif word.kind == "article" or (
            word.written in _DEMONSTRATIVES
            and following is not None
            and following.kind in ("word", "quantity")
            and not (start and following.form == "s")
        ):
            quantity = quantity or ("a" if word.written in ("a", "an", "another") else "the")
            owner = (word,) if word.written in OWNERS else owner
        elif word.kind == "adverb" or (word.kind == "doubt" and word.written == "mostly"):
            pass
        else:
            break
        place += 1
    if place < len(words) and words[place].kind == "pronoun" and words[place].written != "there":
        word = words[place]
        quantity = quantity or "the"
        is_last = word.written in ("one", "ones")
        return Noun("a" if is_last else quantity, (word,), number, is_only), place + 1
    while place < len(words) and _continues(words, place, named):
        if words[place].kind == "owner":
            owner, named = tuple(named), []
        elif words[place].kind in ("word", "quantity"):
            named.append(words[place])
        place += 1
    if (
        place < len(words)
        and words[place].written == "of"
        and named
        and named[-1].base in MEASURES
        and quantity not in ("all", "the")
    ):
        inner, end = noun_at(words, place + 1)
        if inner is not None and not inner.is_pronoun:
            return replace(inner, quantity=quantity or inner.quantity, number=number, is_only=is_only), end
    if not named and not quantity and number is None:
        return None, start
    return Noun(quantity, tuple(named), number, is_only, owner), place


def _continues(words: Sequence[Token], place: int, named: Sequence[Token]) -> bool:  # noqa: PLR0911
    """Whether a noun phrase goes on with the word at a place."""
    word = words[place]
    following = words[place + 1] if place + 1 < len(words) else None
    if word.kind == "owner":
        return bool(named)
    if word.written == "and" and named and following is not None:  # `black and white`
        return named[-1].written in COLOURS and following.written in COLOURS
    if named and (word.written == "half" or (word.written in NUMBERS and named[-1].base in NUMBERED)):
        return True  # `the second half`, `lane 4`
    if word.kind == "adverb":
        return following is not None and following.kind == "word" and not (named and is_noun(named[-1]))
    if word.kind != "word" or (word.written in AFTER_NOUNS and (named or words[place - 1].kind == "quantity")):
        return False
    if word.is_participle:
        if not named:
            return following is None or following.kind in ("word", "owner") or word.form == "ed"
        return not is_noun(named[-1]) and following is not None and following.kind == "word"
    return True


def is_noun(word: Token) -> bool:
    """Whether a word before a participle is the noun that it belongs to: all but known attributes."""
    return not is_attribute(word)


def is_attribute(word: Token) -> bool:
    if word.written in CHANGING:
        return False
    if word.written in COLOURS or word.written in ATTRIBUTES or word.written in ADJECTIVES:
        return True
    return may_be_added(Word(word.written, word.base))


def is_kind_of(one: Token, other: Token) -> bool:
    """Whether a noun names the same as another, or a person if the other is `person`."""
    if is_same(one, other):
        return True
    return other.base in ("person", "someone", "individual") and one.base in PERSONS


def follows(asked: Noun, said: Noun, known: frozenset[str] = frozenset()) -> bool:  # noqa: PLR0911
    """Whether there being the thing that is said implies that there is the thing asked about: a red hat is a hat.

    `known` are the words of the question: an attribute that it gives may be repeated.
    """
    if asked.unnamed == "thing":
        return True
    if asked.head is not None and said.head is not None and asked.head.written == said.head.written == "here":
        return True
    if said.is_pronoun and said.head is not None and not asked.is_pronoun:
        return said.head.written in ("it", "them", "one", "ones", "him", "her")
    if said.head is None or asked.head is None:
        is_alike = asked.quantity == said.quantity or {asked.quantity, said.quantity} <= {"", "a", "any"}
        return is_alike and asked.number == said.number
    if asked.unnamed == "person":
        return said.head.base in PERSONS or said.unnamed == "person"
    if asked.is_pronoun and asked.head.written in ("it", "them", "there"):
        return True
    if asked.is_pronoun or not is_kind_of(said.head, asked.head):
        return False
    if asked.number is not None and said.number != asked.number:
        return False
    if asked.quantity in ("enough", "most") and said.quantity != asked.quantity:
        return False
    wanted = list(asked.words[:-1])
    given = list(said.words[:-1])
    if any(not any(is_same(one, other) for other in given) for one in wanted):
        return False
    extra = [word for word in given if not any(is_same(word, other) for other in wanted)]
    if said.head.base not in PERSONS | ANIMALS:  # a baseball hat is a hat, but a hot dog is no dog
        return not any(word.written in CHANGING for word in extra)
    return all(is_attribute(word) or word.base in known or word.is_participle for word in extra)


def excludes(said: Noun, asked: Noun) -> bool:
    """Whether the same thing is said to have another colour."""
    if said.head is None or asked.head is None:
        return False
    colours = [{word.written for word in noun.words if word.written in COLOURS} for noun in (said, asked)]
    rest = [[word for word in noun.words if word.written not in COLOURS | SHADES] for noun in (said, asked)]
    if rest[0] and rest[1] and not is_same(rest[0][-1], rest[1][-1]):
        return False
    if bool(rest[0]) != bool(rest[1]) or (not rest[0] and asked.quantity):
        return False
    return all(len(found) == 1 for found in colours) and colours[0] != colours[1]
