"""Recognises a total among the numbers of a response, with its parts before or after it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.language.number_words import NUMBER
from whatif.scoring.extraction.number_arithmetic import changed_count, sum_at_end
from whatif.scoring.extraction.number_asked import Asked
from whatif.scoring.extraction.number_mentions import Mention, counts_only, mentions_in

PARTS_FOLLOW = re.compile(r":|,? namely\b|,? consisting of\b|, of which\b|,? that is,")
_PARTS = 3  # numbers of a total and at least two parts


def total_first(pieces: Sequence[str], asked: Asked) -> str | None:
    """The first number of several if it is the sum of the others: `10 wheels: 4 of the car, 2 and 4 of bicycles`."""
    values = [mention.value for mention in mentioned(pieces, asked)]
    if asked.counterfactual:  # the number before is the sum of what left and what remains
        return None
    if len(values) < _PARTS or not all(value is not None and value.isdecimal() for value in values):
        return None
    whole, *parts = [int(value) for value in values if value is not None and len(value) < 7]
    return values[0] if len(parts) == len(values) - 1 and whole == sum(parts) > 0 else None


def computed(pieces: Sequence[str], asked: Asked) -> str | None:
    texts = [counts_only(piece, asked) for piece in pieces]
    mentions = [mention for text in texts for mention in mentions_in(text, asked)]
    if any((mention.is_rival and not mention.restates) or mention.value is None for mention in mentions):
        return None
    return changed_count(texts, asked) if asked.counterfactual else sum_at_end(texts)


def broken_down(pieces: Sequence[str], asked: Asked) -> str | None:
    """The only number before a colon or `namely`, if it counts the things that are asked for, and its parts follow."""
    for piece in pieces:
        whole, *parts = PARTS_FOLLOW.split(counts_only(piece, asked), maxsplit=1)
        counts = mentions_in(whole, asked)
        is_count = len(counts) == 1 and (counts[0].is_of_things or re.fullmatch(rf"\W*{NUMBER}\W*", whole))
        if parts and is_count and len(mentions_in(parts[0], asked)) > 1:
            return counts[0].value
    return None


def mentioned(pieces: Sequence[str], asked: Asked) -> list[Mention]:
    return [mention for piece in pieces for mention in mentions_in(counts_only(piece, asked), asked)]
