"""Rules that need no training: the best letter, the best rank, the longest option, the most frequent answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from whatif.engine.language.options import LETTERS
from whatif.results.auditing.guesses import Folds, Guesses, fixed
from whatif.results.auditing.items import CHOICE, Item
from whatif.scoring.shortcuts.features import by_rank

LETTER, RANK, LENGTH, MAJORITY = "letter", "rank", "length", "majority"


def fixed_rules(items: Sequence[Item], folds: Folds) -> list[Guesses]:
    """The fixed rules of a section; letter, rank and length are the best in hindsight.

    `majority` is the most frequent answer. Of a choice, it is the option whose text is right most often where it is
    shown, which is found without the item's fold; it applies where one option is known from other folds.
    """
    if items[0].kind != CHOICE:
        counts = Counter(item.answer for item in items)
        best = min(counts, key=lambda answer: (-counts[answer], answer))
        return [fixed(MAJORITY, best, np.ones(len(items), bool), [item.answer == best for item in items])]
    ranks = [by_rank(item.options) for item in items]
    rules = [
        _best(LETTER, [(LETTERS[item.right], True) for item in items]),
        _best(RANK, [(str(order.index(item.right) + 1), True) for item, order in zip(items, ranks, strict=True)]),
        _length(items),
        _familiar(items, folds),
    ]
    return [rule for rule in rules if rule is not None]


def _best(rule: str, rights: Sequence[tuple[str, bool]]) -> Guesses:
    """The value that is right most often, of the values that are right."""
    counts = Counter(value for value, _ in rights)
    best = min(counts, key=lambda value: (-counts[value], value))
    return fixed(rule, best, np.ones(len(rights), bool), [value == best for value, _ in rights])


def _length(items: Sequence[Item]) -> Guesses | None:
    """Always the longest, or the shortest, option, where only one has this number of characters.

    It is the one that is further above chance in standard deviations: few questions with one longest option, all of
    them right, do not hide a rule that is right for thousands.
    """
    rules = []
    chances = np.array([1 / len(item.options) for item in items])
    extremes: tuple[tuple[str, Callable[[Sequence[int]], int]], ...] = (("longest", max), ("shortest", min))
    for name, extreme in extremes:
        lengths = [[len(option) for option in item.options] for item in items]
        applies = [of.count(extreme(of)) == 1 for of in lengths]
        right = [of[item.right] == extreme(of) for item, of in zip(items, lengths, strict=True)]
        if any(applies):
            rules.append(fixed(LENGTH, name, applies, right))

    def above(rule: Guesses) -> float:
        by_chance = chances[rule.applies]
        return float((rule.right.sum() - by_chance.sum()) / np.sqrt((by_chance * (1 - by_chance)).sum()))

    return max(rules, key=above, default=None)


def _familiar(items: Sequence[Item], folds: Folds) -> Guesses | None:
    """The option whose text is right most often, by the items of the other folds."""
    applies, right = np.zeros(len(items), bool), np.zeros(len(items), bool)
    for train, test in folds.splits():
        shown, correct = Counter[str](), Counter[str]()
        for place in train:
            shown.update({option.casefold() for option in items[place].options})
            correct[items[place].options[items[place].right].casefold()] += 1
        for place in test:
            options = [option.casefold() for option in items[place].options]
            # One more of each, so that an option that was shown once and right once does not win.
            shares = [(correct[one] + 1) / (shown[one] + len(options)) for one in options]
            applies[place] = len(set(shares)) > 1
            right[place] = int(np.argmax(shares)) == items[place].right
    return fixed(MAJORITY, "", applies, right) if applies.any() else None
