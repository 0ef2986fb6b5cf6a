"""Fixed rules that choose an option by its text alone: by its length, or by another question of the pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.engine.language.options import LETTERS

Row = Mapping[str, Any]
LONGEST, SHORTEST = "longest", "shortest"


@dataclass
class Count:
    """Questions that a choice answers correctly, of those to which it applies."""

    right: int = 0
    n: int = 0

    def add(self, *, correct: bool) -> None:
        """Counts a question."""
        self.right += correct
        self.n += 1


def by_length(rows: Iterable[Row]) -> dict[str, Count]:
    """How often the longest, and the shortest, option is right, where only one option has this number of characters."""
    found = {LONGEST: Count(), SHORTEST: Count()}
    for row in rows:
        lengths = [len(choice.strip()) for choice in row["choices"]]
        right = LETTERS.index(row["answer"])
        for name, length in ((LONGEST, max(lengths)), (SHORTEST, min(lengths))):
            if lengths.count(length) == 1:
                found[name].add(correct=lengths[right] == length)
    return found


def by_answers(rows: Iterable[Row], answers: Mapping[str, str], variant: str) -> dict[str, Count]:
    """How often the option is right that also answers another question of the pair, and how often the other one.

    `answers` are the right answers to the questions of `variant`, by pair. See `by_options`.
    """
    known = {pair: [answer] for pair, answer in answers.items()}
    return _always_and_never(rows, known, f"the answer to the {variant} question")


def by_options(rows: Iterable[Row], options: Mapping[str, Sequence[str]], variant: str) -> dict[str, Count]:
    """How often the option is right that another question of the pair also has, and how often the other one.

    `options` are those of the questions of `variant`, by pair. The rule applies where exactly one option has one of
    these texts, apart from case and surrounding spaces. The other option is unique only among two.
    """
    return _always_and_never(rows, options, f"the option that the {variant} question has")


def _always_and_never(rows: Iterable[Row], known: Mapping[str, Sequence[str]], what: str) -> dict[str, Count]:
    always, never = Count(), Count()
    for row in rows:
        texts = {_plain(text) for text in known.get(row["pair_id"], ())}
        same = [_plain(choice) in texts for choice in row["choices"]]
        if same.count(True) == 1:
            correct = same[LETTERS.index(row["answer"])]
            always.add(correct=correct)
            if len(same) == 2:
                never.add(correct=not correct)
    return {f"always {what}": always, f"never {what}": never}


def _plain(text: str) -> str:
    return text.strip().casefold()
