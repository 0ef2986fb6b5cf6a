"""How often the interval of `ignored` holds the truth: the share of wrong answers that ignore the presupposition.

Its denominator is random: how many answers are wrong differs between images, and so does how often a wrong answer is
the original's. Both depend on the same property of the image, so wrong answers are not a random sample of the images.
The interval is that of `whatif.results.reporting.paired.measures`: the clustered share of the wrong answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.scoring.statistics.coverage import CONFIDENCE
from whatif.engine.random_streams import stream
from whatif.results.reporting.paired_answers import PairAnswers, Pairs, outcomes_of
from whatif.scoring.statistics import clustered_share


def test_the_interval_by_image_holds_the_truth_and_that_by_pair_does_not() -> None:
    """With 300 samples, the standard error is 1.3 points."""
    found = held(images=60, most=6, samples=300)
    assert 91 <= found.by_image <= 98.5
    assert found.by_pair < 88


@pytest.mark.soak
@pytest.mark.parametrize(
    ("images", "most", "by_image"), [(30, 1, (92.5, 97.5)), (60, 6, (93.5, 96.5)), (200, 6, (93.5, 96.5))]
)
def test_coverage_is_as_in_the_documentation(images: int, most: int, by_image: tuple[float, float]) -> None:
    low, high = by_image
    assert low <= held(images, most, samples=3_000).by_image <= high


RIGHT = (1, 2)  # codes of the right answers to the original and to the counterfactual question
_KINDS = ((0.8, 0.1), (0.4, 0.9))  # of images, alike often: chance of a wrong answer, and of a wrong one to ignore


@dataclass(frozen=True)
class Held:
    """In percent of the samples: how often the interval by image held the truth, and the one by pair."""

    by_image: float
    by_pair: float


def truth() -> float:
    """The share of wrong answers that ignore the presupposition, over all images."""
    return sum(wrong * ignores for wrong, ignores in _KINDS) / sum(wrong for wrong, _ in _KINDS)


def held(images: int, most: int, samples: int, seed: int = 1) -> Held:
    """Coverage with this number of images of 1 to `most` pairs each; with `most` 1 both intervals are the same."""
    generator = stream(seed, "coverage of ignored", images, most)
    by_image = by_pair = 0
    for _ in range(samples):
        sizes = generator.integers(1, most + 1, images)
        image = np.repeat(np.arange(images), sizes)
        kind = generator.integers(len(_KINDS), size=images)[image]
        chances = np.array(_KINDS)[kind]
        wrong, ignores = (generator.random(chances.shape) < chances).T
        given = np.stack([np.full(len(kind), 1), np.where(wrong, np.where(ignores, 1, 3), 2)], axis=1).astype(np.int32)
        by_image += _holds(given, image)
        by_pair += _holds(given, np.arange(len(image)))
    return Held(100 * by_image / samples, 100 * by_pair / samples)


def _holds(given: np.ndarray, clusters: np.ndarray) -> bool:
    correct = np.tile(np.array(RIGHT, dtype=np.int32), (len(given), 1))
    pairs = Pairs(["g"], np.zeros(len(given), dtype=np.int64), correct, np.full(len(given), np.nan), clusters)
    answers = PairAnswers(np.ones(len(given), dtype=np.bool_), given == correct, given)
    found = outcomes_of(pairs, answers)
    interval = clustered_share(found.ignored[found.wrong], clusters[found.wrong], confidence=CONFIDENCE)
    return interval.low <= truth() <= interval.high
