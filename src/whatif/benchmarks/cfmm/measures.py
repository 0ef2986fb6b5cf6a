"""The measures of CFMM: accuracies on basic and counterfactual questions and on both, their fall and association.

    acc_b     share of the basic questions that are answered correctly
    acc_c     share of the counterfactual questions that are answered correctly
    acc_plus  share of the pairs of a basic question and one of its counterfactual questions with both correct
    drop      accuracy on basic questions minus that on their counterfactual questions, over pairs
    phi, excess
              the association of being correct on both questions of a pair; there is no row where it is not defined
    unanswered
              number of questions without an answer

(CFMM 3.4.) Basic questions are counted once an item, counterfactual ones and pairs as often as the item has some. All
intervals and tests are by image.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from whatif.benchmarks.cfmm.item_answers import Asked, ItemAnswers
from whatif.engine.random_streams import stream
from whatif.results.reporting.answers import Flags, Places
from whatif.results.reporting.precision import Resampling, as_measured, in_percent, resampling
from whatif.results.reporting.table import DROP
from whatif.scoring.statistics import Interval, added, association, clustered_share, paired_drop
from whatif.scoring.statistics.clusters import cluster_totals
from whatif.scoring.statistics.sign_flips import summed_sign_flip_p

# Instead of a category: all questions, the sum over the categories, and this sum divided by their number.
ALL, TOTAL, MEAN = "all", "total", "mean"
ACCURACIES = ("acc_b", "acc_c", "acc_plus")
PHI, EXCESS, UNANSWERED = "phi", "excess", "unanswered"
Row = dict[str, Any]


def measures(answers: ItemAnswers, system: int, settings: Resampling, seed: int) -> Iterator[Row]:
    """The rows of a system (its index) by category and over `ALL` questions, then `TOTAL` and `MEAN`.

    Accuracies are in percent, drop and excess in points; the p-value of a drop is not rounded. `n` is the number of
    basic questions of acc_b, otherwise of pairs.

    Sums are of the categories' estimates (`added`, `summed_sign_flip_p`), which are taken as independent: an image
    should have items of one category only (`Asked.shared_images`). A system that was not asked questions of each
    category has none.
    """
    questions, right = answers.questions, answers.right[system]
    asked = np.flatnonzero(answers.asked[system])
    parts = {name: asked[questions.category[asked] == place] for place, name in enumerate(questions.categories)}
    parts = {name: chosen for name, chosen in parts.items() if chosen.size}
    intervals: dict[str, list[Interval]] = {name: [] for name in (*ACCURACIES, DROP)}
    strata = []
    n: dict[str, int] = {}
    for category, chosen in {**parts, ALL: asked}.items():
        place: Row = {"category": category}
        for name, (correct, images) in outcomes(questions, right, chosen).items():
            n[name] = len(correct)
            intervals[name].append(clustered_share(correct, images, confidence=settings.confidence))
            yield {**place, "measure": name, **in_percent("value", intervals[name][-1]), "n": n[name]}
        place["n"] = n["acc_c"]
        counterfactuals = chosen[~questions.is_basic[chosen]]
        before, after = right[questions.basic[counterfactuals]], right[counterfactuals]
        images = questions.image[counterfactuals]
        drop = paired_drop(before, after, images, confidence=settings.confidence)
        intervals[DROP].append(drop.interval)
        strata.append(cluster_totals([before.astype(np.int8) - after], images))
        yield {**place, "measure": DROP, **in_percent("value", drop.interval), "p": drop.p}
        if found := association(before, after, images, **resampling(settings, seed)):
            yield {**place, "measure": PHI, **as_measured(found.phi)}
            yield {**place, "measure": EXCESS, **in_percent("value", found.excess)}
        unanswered = int((~answers.answered[system][chosen]).sum())
        yield {"category": category, "measure": UNANSWERED, "value": unanswered}
    if len(parts) < len(questions.categories):
        return
    p = {DROP: {"p": summed_sign_flip_p(strata[:-1], settings.resamples, stream(seed, "signs of images"))}}
    for name, of_categories in intervals.items():
        total = added(of_categories[:-1])
        mean = Interval(*(end / len(parts) for end in (total.estimate, total.low, total.high)))
        row = {"measure": name, "n": n.get(name, n["acc_c"])}
        yield {**row, "category": TOTAL, **in_percent("value", total), **p.get(name, {})}
        yield {**row, "category": MEAN, **in_percent("value", mean)}


def outcomes(questions: Asked, right: Flags, chosen: Places) -> dict[str, tuple[Flags, Places]]:
    """By accuracy: what is right of some questions, given by their indices, or of the pairs in them, with its image."""
    is_basic = questions.is_basic[chosen]
    basics, counterfactuals = chosen[is_basic], chosen[~is_basic]
    after, images = right[counterfactuals], questions.image[counterfactuals]
    both = right[questions.basic[counterfactuals]] & after
    return dict(
        zip(ACCURACIES, ((right[basics], questions.image[basics]), (after, images), (both, images)), strict=True)
    )
