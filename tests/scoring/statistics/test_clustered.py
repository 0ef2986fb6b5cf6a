"""Clustered accuracy against a published survey, the jackknife by hand, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tests.scoring.statistics.coverage import MAIN, coverage, standard_error
from whatif.scoring.statistics import Interval, clustered_share, wilson
from whatif.scoring.statistics.clusters import cluster_totals, mean_and_variance
from whatif.scoring.statistics.effective_size import effective_size

# R's survey package, data set `apiclus1`: all schools of 15 of the 757 school districts of California, by district
# the number of elementary, high and middle schools. `svymean(~stype, dclus1)` of the package's examples prints
# stypeE 0.786885 (SE 0.0463), stypeH 0.076503 (0.0268), stypeM 0.136612 (0.0296).
DISTRICTS = {
    61: (10, 0, 3),
    135: (34, 0, 0),
    178: (2, 1, 1),
    197: (10, 0, 3),
    255: (13, 0, 3),
    406: (2, 0, 0),
    413: (1, 0, 0),
    437: (2, 1, 1),
    448: (9, 1, 2),
    510: (16, 2, 3),
    568: (4, 4, 1),
    637: (8, 1, 2),
    716: (30, 3, 4),
    778: (1, 0, 1),
    815: (2, 1, 1),
}


def schools(kind: int) -> tuple[list[bool], list[int]]:
    each = [
        (kind == other, district)
        for district, row in DISTRICTS.items()
        for other in range(3)
        for _ in range(row[other])
    ]
    return [is_kind for is_kind, _ in each], [district for _, district in each]


def answers(images: int, seed: int, spread: float = 0.3) -> tuple[list[bool], list[int]]:
    """One to four questions an image; images differ in how hard they are."""
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 5, images)
    chances = generator.beta(spread, spread, images)
    return (generator.random(sizes.sum()) < np.repeat(chances, sizes)).tolist(), np.repeat(
        np.arange(images), sizes
    ).tolist()


def error_of(correct: list[bool], images: list[int]) -> float:
    totals = cluster_totals([np.array(correct, dtype=np.int8)], images)
    return math.sqrt(float(mean_and_variance(totals.kinds, totals.counts)[1]))


def jackknife_error(correct: list[bool], images: list[int]) -> float:
    """By its definition: from the accuracies without each image."""
    right, of = np.array(correct), np.array(images)
    without = np.array([right[of != image].mean() for image in set(images)])
    return math.sqrt((len(without) - 1) / len(without) * float(((right.mean() - without) ** 2).sum()))


def size_of(correct: list[bool], images: list[int], confidence: float = 0.95) -> float:
    return effective_size(cluster_totals([np.array(correct, dtype=np.int8)], images), sum(correct), confidence)


@pytest.mark.parametrize("kind", range(3))
def test_error_of_the_school_districts_is_the_jackknife(kind: int) -> None:
    assert error_of(*schools(kind)) == pytest.approx(jackknife_error(*schools(kind)), rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "share", "standard_error"), [(0, 0.786885, 0.0463), (1, 0.076503, 0.0268), (2, 0.136612, 0.0296)]
)
def test_error_of_the_school_districts_is_a_little_above_the_linearised_one(
    kind: int, share: float, standard_error: float
) -> None:
    correct, districts = schools(kind)
    assert round(clustered_share(correct, districts).estimate, 6) == share
    # The survey's error is smaller, because 15 of only 757 districts were drawn, and because it is the sandwich.
    assert 1 < error_of(correct, districts) * math.sqrt(1 - 15 / 757) / standard_error < 1.3


@pytest.mark.parametrize("seed", range(3))
def test_images_of_equal_size_have_the_sandwich_of_statsmodels(seed: int) -> None:
    from statsmodels.regression.linear_model import OLS

    correct = np.random.default_rng(seed).random(120) < 0.3
    images = np.repeat(np.arange(40), 3)
    fit = OLS(correct.astype(float), np.ones(120)).fit(cov_type="cluster", cov_kwds={"groups": images}, use_t=True)
    assert error_of(correct.tolist(), images.tolist()) == pytest.approx(fit.bse[0], rel=1e-12)


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_interval_is_wilsons_with_a_t_quantile_of_the_effective_number(confidence: float) -> None:
    correct, images = answers(60, 0)
    share, number = np.mean(correct), len(correct)
    spread = share * (1 - share) * number / (number - 1)
    worth = spread / jackknife_error(correct, images) ** 2
    assert worth < number
    made = clustered_share(correct, images, confidence=confidence)
    quantile = stats.t.ppf((1 + confidence) / 2, 59)
    for end in (made.low, made.high):
        assert abs(share - end) == pytest.approx(quantile * math.sqrt(end * (1 - end) / worth), rel=1e-9)


def test_an_image_each_is_wilsons_interval() -> None:
    correct = [True] * 130 + [False] * 70
    assert size_of(correct, list(range(200))) == 200
    assert clustered_share(correct, range(200)) == wilson(130, 200)


def test_the_same_question_twice_tells_nothing_new() -> None:
    correct, images = answers(50, 1)
    assert size_of(correct * 2, images * 2) == pytest.approx(size_of(correct, images), rel=0.01)
    alone = list(range(len(correct)))
    assert size_of(correct * 2, alone * 2) == pytest.approx(len(correct), rel=0.05)


def test_degrees_of_freedom_are_one_less_than_the_images() -> None:
    correct, images = answers(12, 2)
    sizes = [size_of(correct, images, confidence) for confidence in (0.95, 0.99)]
    quantiles = [stats.t.ppf(tail, 11) / stats.norm.ppf(tail) for tail in (0.975, 0.995)]
    assert sizes[0] / sizes[1] == pytest.approx((quantiles[1] / quantiles[0]) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize(("images", "accuracy"), [(30, 0.1), (30, 0.95), (60, 0.05)])
def test_intervals_hold_the_truth_as_often_as_they_say(images: int, accuracy: float) -> None:
    """A part of the simulation of docs/statistics.md; a percentile bootstrap holds it in 89 to 94% here."""
    samples = 1_500
    found = coverage(MAIN, images, accuracy, samples)
    for held in (found.share, found.difference):
        assert 94 - 2 * standard_error(samples) <= held <= 96 + 2 * standard_error(samples)


@pytest.mark.parametrize("correct", [True, False])
def test_all_alike_is_as_sure_as_there_are_images(correct: bool) -> None:
    of_three = wilson(3 * correct, 3)
    assert of_three.high - of_three.low > 0.5
    assert clustered_share([correct] * 6, [1, 1, 2, 3, 3, 3]) == of_three
    half = clustered_share([True, False] * 4, [1, 1, 2, 2, 3, 3, 4, 4])
    assert half == wilson(2, 4)


def test_one_image_tells_nothing_of_others() -> None:
    assert clustered_share([True, True, False, True], ["a"] * 4) == Interval(0.75, 0.0, 1.0)


def test_without_questions_nothing_is_known() -> None:
    interval = clustered_share([], [])
    assert math.isnan(interval.estimate)
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_missing_clusters_are_not_ignored() -> None:
    with pytest.raises(ValueError, match="needs the image of every question"):
        clustered_share([True, False], None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="question 1 has no cluster label"):
        clustered_share([True, False], ["a", ""])


def test_confidence_is_a_share() -> None:
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        clustered_share([True, False], ["a", "b"], confidence=95)
