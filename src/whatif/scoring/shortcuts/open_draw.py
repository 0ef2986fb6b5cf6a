"""Draws questions so that their words tell little about their answers: one of several ways to write each of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from whatif.scoring.shortcuts.text_model import features_of

_ROUNDS = 4  # after which next to nothing changes
# The logarithm of how much likelier than by guessing an answer may be. If it is lower, words rule out their answers.
_TOLERATED = 0.3


def least_told(options: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, int]:
    """For each id the place of the option, a text with its answer, whose words tell least about its answer.

    A naive Bayes classifier on words and pairs of neighbouring words is counted from the options that are chosen for
    the other ids. Of the options of an id, in the order of ids, the one is chosen whose answer it finds least likely;
    the first of several that it finds hardly likelier than by guessing. That is repeated, as each choice changes what
    the words tell. Every id needs an option.
    """
    known = {name: [(tuple(features_of(text)), answer) for text, answer in options[name]] for name in sorted(options)}
    answers: Counter[str] = Counter()
    words: Counter[tuple[str, str]] = Counter()
    chosen: dict[str, int] = {}

    def count(option: tuple[tuple[str, ...], str], sign: int) -> None:
        features, answer = option
        answers[answer] += sign
        for word in features:
            words[word, answer] += sign

    def told(option: tuple[tuple[str, ...], str]) -> float:
        """How much likelier the answer is than by guessing, in logarithms, beyond what is tolerated."""
        features, answer = option
        values = {
            name: math.log(number + 1) + sum(math.log((words[word, name] + 0.5) / (number + 1)) for word in features)
            for name, number in answers.items()
        }
        values.setdefault(answer, sum(math.log(0.5) for _ in features))
        most = max(values.values())
        chance = values[answer] - most - math.log(sum(math.exp(value - most) for value in values.values()))
        return max(0.0, chance + math.log(len(values)) - _TOLERATED)

    for _ in range(_ROUNDS):
        for name, ways in known.items():
            if name in chosen:
                count(ways[chosen[name]], -1)
            chosen[name] = min(range(len(ways)), key=lambda place: told(ways[place]))
            count(ways[chosen[name]], 1)
    return chosen
