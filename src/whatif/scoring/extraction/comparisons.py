"""Yes or no to a question that compares two things, from a statement that compares them in either order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whatif.scoring.extraction.statement_words import IMAGE, NOT, PREPOSITIONS, PRONOUNS, VERB, Word


@dataclass(frozen=True)
class Comparison:
    """`The woman is taller than the man`: what is compared, with what, and in which respect."""

    one: Sequence[str]
    respect: Sequence[str]
    other: Sequence[str]
    is_denied: bool


def compared_polarity(said: Sequence[Word], asked: Sequence[Word]) -> str | None:
    """`yes` or `no` if a statement compares what a question compares; None if it does not."""
    question, statement = _comparison(asked), _comparison(said)
    if question is None or statement is None or question.respect != statement.respect:
        return None
    if _names(statement.one, question.one) and _names(statement.other, question.other):
        return "no" if statement.is_denied else "yes"
    is_swapped = _names(statement.one, question.other) and _names(statement.other, question.one)
    return "no" if is_swapped and not statement.is_denied and statement.one[0] not in PRONOUNS else None


def _comparison(words: Sequence[Word]) -> Comparison | None:
    is_denied = any(word.base == NOT for word in words)
    kept = [word for word in words if word.base not in (VERB, NOT, IMAGE) and word.written != "there"]
    place = next((place for place, word in enumerate(kept) if word.written == "than"), 0)
    if not place:
        return None
    before, other = kept[:place], _phrase(kept[place + 1 :]) or ["it"]  # `than her`, whose pronoun is dropped
    more = next((number for number, word in enumerate(before) if word.written in ("more", "fewer", "less")), None)
    if more == 0 and len(before) > 1:  # `more forks than spoons`
        return Comparison([word.base for word in before[1:]], [before[0].base], other, is_denied)
    start = place - 1 if more is None else more
    one = [word for word in before[:start] if not word.written.endswith("ly") and word.written not in ("much", "far")]
    if not one or not before[start:]:
        return None
    return Comparison([word.base for word in one], [word.base for word in before[start:]], other, is_denied)


def _phrase(words: Sequence[Word]) -> list[str]:
    """The words of a noun phrase, up to a preposition."""
    end = next((place for place, word in enumerate(words) if word.written in PREPOSITIONS or word.written == ","), None)
    return [word.base for word in words[:end]]


def _names(said: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether a phrase, perhaps with fewer words, or a pronoun names what a question names."""
    if not said or not asked:
        return False
    return (len(said) == 1 and said[0] in PRONOUNS) or (set(said) <= set(asked) and said[-1] in asked)


def compares(words: Sequence[Word]) -> bool:
    """Whether words compare two things; `more than two dogs` does not."""
    return _comparison(words) is not None
