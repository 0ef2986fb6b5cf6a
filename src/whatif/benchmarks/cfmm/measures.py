"""The measures of CFMM: accuracies on basic and counterfactual questions and on both, their fall and association.

    acc_b     share of the basic questions that are answered correctly
    acc_c     share of the counterfactual questions that are answered correctly
    acc_plus  share of the pairs of a basic question and one of its counterfactual questions with both correct

(CFMM 3.4.) Basic questions are counted once an item, counterfactual ones and pairs as often as the item has some. All
intervals and tests are by image.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from whatif.benchmarks.cfmm.item_answers import ItemAnswers
from whatif.engine.random_streams import stream
from whatif.results.reporting.answers import Flags, Places
from whatif.results.reporting.precision import Resampling, resampling
from whatif.scoring.statistics import (
    Association,
    Difference,
    Interval,
    added,
    association,
    clustered_share,
    paired_drop,
)
from whatif.scoring.statistics.clusters import cluster_totals
from whatif.scoring.statistics.sign_flips import summed_sign_flip_p

ALL = "all"
ACCURACIES = ("acc_b", "acc_c", "acc_plus")


@dataclass(frozen=True)
class Scores:
    """The measures of a system on some questions, in fractions.

    items, pairs: numbers of basic questions, and of pairs with a counterfactual one, behind the accuracies.
    accuracies: by name.
    drop: accuracy on basic questions minus that on their counterfactual questions, over pairs.
    association: of being correct on both questions of a pair; None where it is not defined.
    unanswered: number of questions without an answer.
    """

    items: int
    pairs: int
    accuracies: Mapping[str, Interval]
    drop: Difference
    association: Association | None
    unanswered: int

    def n(self, accuracy: str) -> int:
        """The number of questions or pairs behind an accuracy."""
        return self.items if accuracy == "acc_b" else self.pairs


@dataclass(frozen=True)
class Totals:
    """Sums over the categories, each of which counts the same, in fractions: at most the number of categories."""

    accuracies: Mapping[str, Interval]
    drop: Difference


@dataclass(frozen=True)
class Measures:
    """The measures of a system by category (in the order of the questions' categories) and over `ALL` questions.

    `totals` are None if the system was not asked questions of each category.
    """

    scores: Mapping[str, Scores]
    totals: Totals | None


def measures(answers: ItemAnswers, settings: Resampling, seed: int) -> list[Measures]:
    """The measures of each system of `answers`, in their order.

    Intervals of accuracies are those of `clustered_share`, and those of drops and their tests of `paired_drop`.
    Totals are sums of the categories' estimates (`added`, `summed_sign_flip_p`), which are taken as independent: an
    image should have items of one category only (`Asked.shared_images`).
    """
    return [_measures(answers, place, settings, seed) for place in range(len(answers.systems))]


def _measures(answers: ItemAnswers, system: int, settings: Resampling, seed: int) -> Measures:
    asked, questions = answers.asked[system], answers.questions
    scores: dict[str, Scores] = {}
    for place, category in enumerate(questions.categories):
        chosen = np.flatnonzero(asked & (questions.category == place))
        if chosen.size:
            scores[category] = _scores(answers, system, chosen, settings, seed)
    totals = _totals(answers, system, scores, settings, seed) if len(scores) == len(questions.categories) else None
    return Measures({**scores, ALL: _scores(answers, system, np.flatnonzero(asked), settings, seed)}, totals)


def _scores(answers: ItemAnswers, system: int, chosen: Places, settings: Resampling, seed: int) -> Scores:
    """The measures on the questions with these indices."""
    questions, right = answers.questions, answers.right[system]
    is_basic = questions.is_basic[chosen]
    basics, counterfactuals = chosen[is_basic], chosen[~is_basic]
    before, after = right[questions.basic[counterfactuals]], right[counterfactuals]
    images = questions.image[counterfactuals]

    def share(correct: Flags, of_images: Places) -> Interval:
        return clustered_share(correct, of_images, confidence=settings.confidence)

    return Scores(
        len(basics),
        len(counterfactuals),
        {
            "acc_b": share(right[basics], questions.image[basics]),
            "acc_c": share(after, images),
            "acc_plus": share(before & after, images),
        },
        paired_drop(before, after, images, confidence=settings.confidence),
        association(before, after, images, **resampling(settings, seed)),
        int((~answers.answered[system][chosen]).sum()),
    )


def _totals(answers: ItemAnswers, system: int, scores: Mapping[str, Scores], settings: Resampling, seed: int) -> Totals:
    questions, right = answers.questions, answers.right[system].astype(np.int8)
    strata = []
    for place in range(len(questions.categories)):
        pairs = np.flatnonzero(answers.asked[system] & (questions.category == place) & ~questions.is_basic)
        drop = right[questions.basic[pairs]] - right[pairs]
        strata.append(cluster_totals([drop], questions.image[pairs]))
    p = summed_sign_flip_p(strata, settings.resamples, stream(seed, "signs of images"))
    accuracies = {name: added([one.accuracies[name] for one in scores.values()]) for name in ACCURACIES}
    return Totals(accuracies, Difference(added([one.drop.interval for one in scores.values()]), p))
