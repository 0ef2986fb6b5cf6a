"""What answers of several models say about the items: their discrimination, and a subset that keeps the ranking.

Why no two-parameter model is fitted: with as few models as a run has, it finds items no better (docs/statistics.md).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whatif.engine.random_streams import stream

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
DRAWS = 200  # random subsets, to compare with


@dataclass(frozen=True, eq=False)
class Kept:
    """How well a subset of items keeps the ranking of models.

    accuracy, place: of each model by the items that were chosen without its answers (in fractions; 1 is the best, a
    mean where models are tied). agreement: Kendall's tau and Spearman's rho of these places with those by all items;
    random (draws x 2): the same by random items.
    """

    accuracy: Floats
    place: Floats
    agreement: Floats
    random: Floats


def discrimination(right: npt.NDArray[np.bool_]) -> Floats:
    """The correlation of each question with the accuracy on all other questions (corrected item-rest correlation).

    `right` (models x questions) says who answers which question correctly. NaN where all models do, or none does.
    """
    scores = right.astype(np.float64)
    rest = scores.sum(axis=1, keepdims=True) - scores
    scores, rest = scores - scores.mean(axis=0), rest - rest.mean(axis=0)
    spread = np.sqrt((scores**2).sum(axis=0) * (rest**2).sum(axis=0))
    found: Floats = np.full(len(spread), np.nan)
    np.divide((scores * rest).sum(axis=0), spread, out=found, where=spread > 0)
    return found


def chosen(right: Integers, questions: Integers, number: int) -> Integers:
    """The places of `number` items whose answers give every model the accuracy that it has on all items.

    `right` (models x items) counts right answers, `questions` (items) those that were asked. Items are taken one by
    one: always that after which the accuracies are closest to those on all items, by the sum of squares (the herding of
    Welling 2009). Of items that are equally good, one is taken by chance.
    """
    mixed = stream(0, "items").permutation(len(questions))
    right, questions = right[:, mixed], questions[mixed]
    goal = right.sum(axis=1, keepdims=True) / questions.sum()
    found, asked, taken = np.zeros((len(right), 1), np.int64), 0, np.zeros(number, np.int64)
    free = np.ones(len(questions), bool)
    for step in range(number):
        distance = (((found + right) / (asked + questions) - goal) ** 2).sum(axis=0)
        best = int(np.where(free, distance, np.inf).argmin())
        free[best], taken[step] = False, best
        found, asked = found + right[:, [best]], asked + questions[best]
    return np.sort(mixed[taken])


def kept(right: Integers, questions: Integers, models: Sequence[Hashable], number: int) -> Kept:
    """How well a choice of `number` items keeps the ranking, cross-validated over models.

    `right` and `questions` are as for `chosen`; rows with the same entry of `models` are of one model (with different
    strategies), and left out together. Each model is placed among all by items that were chosen from the answers of the
    others, as a new model would be.
    """
    accuracy, place = np.empty(len(right)), np.empty(len(right))
    for model in dict.fromkeys(models):
        out = np.array([one == model for one in models])
        by_subset = accuracies(right, questions, chosen(right[~out], questions, number))
        accuracy[out], place[out] = by_subset[out], places(by_subset)[out]
    whole = places(accuracies(right, questions))
    generator = stream(0, "random items")
    random = [generator.choice(len(questions), number, replace=False) for _ in range(DRAWS)]
    return Kept(
        accuracy,
        place,
        _agreement(whole, place),
        np.array([_agreement(whole, places(accuracies(right, questions, drawn))) for drawn in random]),
    )


def accuracies(right: Integers, questions: Integers, items: Integers | slice = slice(None)) -> Floats:
    """The share of right answers of each model (models) on some items."""
    return np.asarray(right[:, items].sum(axis=1) / questions[items].sum(), dtype=np.float64)


def places(accuracy: Floats) -> Floats:
    """The place of each model, 1 for the highest accuracy; models with the same accuracy share the mean of theirs."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-accuracy), dtype=np.float64)


def _agreement(first: Floats, second: Floats) -> Floats:
    """Kendall's tau-b and Spearman's rho of two rankings; 0 if one of them has all models on the same place."""
    from scipy.stats import kendalltau

    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return np.zeros(2)
    return np.array([kendalltau(first, second).statistic, np.corrcoef(first, second)[0, 1]])
