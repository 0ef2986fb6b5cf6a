"""Yes or no to a question whether a thing is at a place, from a statement that names both.

`A mirror hangs above the dresser in the hallway` and `the hallway has a mirror` say that there is a mirror there.
"""

from __future__ import annotations

from collections.abc import Sequence

from whatif.scoring.extraction.entailment import bases, conjuncts, content, entails
from whatif.scoring.extraction.statement_words import NOT, PREPOSITIONS, VERB, Word

_ANYTHING = frozenset(("anything", "something", "someone"))
_NO_PLACE = frozenset(("front", "outside", "out", "back", "left", "right", "side", "picture", "painting", "photo"))
_HAS = frozenset(("have", "contain", "include", "feature"))
_WITH = frozenset(("with", "containing", "featuring", "including"))


def placed_polarity(said: Sequence[Word], asked: Sequence[Word]) -> str | None:
    """`yes` or `no` if a statement says of the thing that is asked for that it is at the place; None if it does not."""
    start = next((index for index, word in enumerate(asked) if word.written in PREPOSITIONS), 0)
    thing, place = asked[:start], asked[start:]
    if not thing or len(place) < 2 or any(word.written in ("or", "nor") for word in said):
        return None
    words = [word for word in said if word.base != VERB]
    have = next((index for index, word in enumerate(words) if word.base in _HAS or word.written in _WITH), 0)
    subject = [word for word in words[:have] if word.base != NOT and not word.is_participle]  # `is topped with`
    if have and [word.base for word in subject] == bases(place[1:]):  # `the hallway has a mirror`
        denied = any(word.base == NOT for word in words[: have + 2])
        if any(_is(part, thing) for part in conjuncts([word for word in words[have + 1 :] if word.base != NOT])):
            return "no" if denied else "yes"
        return None
    if any(word.base == NOT for word in words):
        return None
    end = next(
        (index for index, word in enumerate(said) if index and (word.ends_noun or _is(said[:index], thing))), len(said)
    )
    rest = said[end:]
    is_list = len(thing) == 1 and thing[0].base in _ANYTHING  # each thing of a list is there
    limit = next((index for index, word in enumerate(rest) if word.written in ("and", ",") and not is_list), len(rest))
    return "yes" if _is(said[:end], thing) and _is_at(rest[:limit], place) else None


def _is(said: Sequence[Word], thing: Sequence[Word]) -> bool:
    if len(thing) == 1 and thing[0].base in _ANYTHING - {"someone"}:
        return bool(content(said)) and said[0].written not in PREPOSITIONS
    return bool(said) and entails(said, thing)


def _is_at(said: Sequence[Word], place: Sequence[Word]) -> bool:
    """Whether words have the place's preposition, or `of`, before its words."""
    wanted = [word.base for word in place[1:]]
    for index, word in enumerate(said):
        is_of = word.written == "of" and index > 0 and said[index - 1].written not in _NO_PLACE
        after = said[index + 1 :]
        if (is_of or word.written == place[0].written) and [one.base for one in after[: len(wanted)]] == wanted:
            rest = after[len(wanted) :]
            return not rest or (rest[0].ends_noun and rest[0].written != "of")
    return False
