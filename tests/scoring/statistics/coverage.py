"""How often intervals hold the truth, and how often tests reject it: the simulation behind docs/statistics.md.

`python -m tests.scoring.statistics.coverage` runs it and writes its tables into that page, in two minutes on one core;
`make soak` runs it and compares. Coverage by image is simulated, many data sets at once; that of independent questions
is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import binom, multinomial, norm, t

from docs.tables import with_block
from tests.defaults import ROOT
from whatif.engine.random_streams import stream
from whatif.scoring.statistics.clustered import share_of
from whatif.scoring.statistics.clusters import ClusterTotals
from whatif.scoring.statistics.intervals import Interval
from whatif.scoring.statistics.paired import difference_of
from whatif.scoring.statistics.sign_flips import sign_flip_p

PAGE = ROOT / "docs" / "statistics.md"
CONFIDENCE = 0.95
CHI_SQUARE = float(norm.ppf((1 + CONFIDENCE) / 2)) ** 2
SAMPLES = 6_000
CHECKED = 50  # samples of a cell whose intervals are computed one by one
IMAGES = (30, 60, 200)
ACCURACIES = (0.05, 0.1, 0.5, 0.9, 0.95)
FINE = np.linspace(0.02, 0.98, 97)  # accuracies over which the mean coverage of independent questions is taken
LOST, GAINED = 0.3, 0.1  # chances that a right answer becomes wrong in the counterfactual, and a wrong one right
EQUAL = GAINED / (GAINED + LOST)  # the accuracy on originals with which that on counterfactuals is the same

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Design:
    """How many questions an image has (each number alike), and the intra-cluster correlation of their answers."""

    fewest: int
    most: int
    correlation: float

    @property
    def name(self) -> str:
        sizes = f"{self.fewest}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
        return f"{sizes} questions an image, correlation {self.correlation:g}"


MAIN = Design(1, 10, 0.1)
OTHERS = (Design(2, 2, 0.3), Design(1, 4, 0.3), Design(1, 10, 0.3))


@dataclass(frozen=True)
class Coverage:
    """In percent of the samples: how often each interval held the truth."""

    share: float
    difference: float


@dataclass(frozen=True)
class Rejections:
    """In percent of the samples with equal accuracies: how often a test at 5% rejects them.

    `by_pair` is McNemar's test as if pairs were independent. `against_the_interval` says how often the test by image
    rejects while the interval holds 0.
    """

    by_image: float
    by_pair: float
    against_the_interval: float


def rejections(design: Design, images: int, samples: int = SAMPLES) -> Rejections:
    """Of the difference to counterfactuals, where there is none."""
    rejected = np.zeros(3)
    for questions, _, lost, gained in _samples(design, images, EQUAL, samples):
        one_each = np.ones(images, dtype=np.int64)
        by_image = ClusterTotals(np.stack([questions, gained - lost, gained + lost], axis=1), one_each)
        unchanged = int(questions.sum() - lost.sum() - gained.sum())
        counts = np.array([int(lost.sum()), unchanged, int(gained.sum())])
        by_pair = ClusterTotals(np.array([[1, -1], [1, 0], [1, 1]]), counts)
        interval = difference_of(by_image, CONFIDENCE)
        image, pair = (sign_flip_p(totals) <= 1 - CONFIDENCE for totals in (by_image, by_pair))
        rejected += image, pair, image and interval.low <= 0 <= interval.high
    return Rejections(*(100 * rejected / samples).tolist())


def coverage(design: Design, images: int, accuracy: float, samples: int = SAMPLES) -> Coverage:
    """Of accuracy on originals, and of the difference to counterfactuals.

    Whether an interval holds the truth is decided for all samples at once: a score interval holds a value if its test
    does not reject it. Of the first samples the intervals themselves are computed, too, and must say the same.
    """
    truth = true_difference(accuracy)
    drawn = [np.stack(column) for column in zip(*_samples(design, images, accuracy, samples), strict=True)]
    questions, right, lost, gained = drawn
    share = _share_holds(right, _sizes(questions, right, right), questions, accuracy)
    difference = _difference_holds(lost, gained, _sizes(questions, gained - lost, gained + lost), questions, truth)
    for place in range(min(CHECKED, samples)):
        one = _intervals(*(column[place] for column in drawn))
        told = [interval.low <= value <= interval.high for interval, value in zip(one, (accuracy, truth), strict=True)]
        assert told == [share[place], difference[place]], f"{design.name}, {images} images, {accuracy}, {place}"
    return Coverage(100 * float(share.mean()), 100 * float(difference.mean()))


def _intervals(questions: Counts, right: Counts, lost: Counts, gained: Counts) -> tuple[Interval, Interval]:
    """As tables have them, of one data set: accuracy on originals, and the difference."""
    one_each = np.ones(len(questions), dtype=np.int64)
    changes = np.stack([questions, gained - lost, gained + lost], axis=1)
    share = share_of(ClusterTotals(np.stack([questions, right], axis=1), one_each), CONFIDENCE)
    return share, difference_of(ClusterTotals(changes, one_each), CONFIDENCE)


def _sizes(questions: Counts, sums: Counts, squares: Counts) -> Floats:
    """`effective_size` of many data sets (samples x images), by its formula."""
    images = questions.shape[1]
    number, total = questions.sum(axis=1), sums.sum(axis=1)
    mean = total / number
    left = (total[:, None] - sums) / (number[:, None] - questions)
    variance = (images - 1) / images * ((mean[:, None] - left) ** 2).sum(axis=1)
    spread = (squares.sum(axis=1) - number * mean**2) / (number - 1)
    agree = (sums * questions[:, :1] == sums[:, :1] * questions).all(axis=1)
    factor = (norm.ppf((1 + CONFIDENCE) / 2) / t.ppf((1 + CONFIDENCE) / 2, images - 1)) ** 2
    return np.where(agree, images, spread / np.where(agree, 1.0, variance) * factor)


def _share_holds(right: Counts, sizes: Floats, questions: Counts, accuracy: float) -> Flags:
    """Whether Wilson's interval holds the accuracy."""
    mean = right.sum(axis=1) / questions.sum(axis=1)
    return sizes * (mean - accuracy) ** 2 <= CHI_SQUARE * accuracy * (1 - accuracy)


def _difference_holds(lost: Counts, gained: Counts, sizes: Floats, questions: Counts, truth: float) -> Flags:
    """Whether Tango's interval holds the difference."""
    less, more = (column.sum(axis=1) / questions.sum(axis=1) for column in (lost, gained))
    linear = (2 + less - more) * truth - less - more
    likeliest = (np.sqrt(np.maximum(0, linear**2 + 8 * less * truth * (1 - truth))) - linear) / 4
    return sizes * (more - less - truth) ** 2 <= CHI_SQUARE * (2 * likeliest + truth * (1 - truth))


def exact_coverage(questions: int) -> list[Coverage]:
    """By each of `ACCURACIES`, of independent questions: the intervals of all outcomes, by their probabilities.

    The last is the mean over `FINE`, because the coverage of so few outcomes jumps from one accuracy to the next.
    """
    right = np.arange(questions + 1)
    shares = [_of_counts([[1, 0], [1, 1]], [questions - one, one], share_of) for one in right.tolist()]
    changes = [
        (lost, questions - lost - gained, gained)
        for lost in range(questions + 1)
        for gained in range(questions + 1 - lost)
    ]
    differences = [_of_counts([[1, -1, 1], [1, 0, 0], [1, 1, 1]], counts, difference_of) for counts in changes]

    def at(accuracy: float) -> Coverage:
        worse, better = accuracy * LOST, (1 - accuracy) * GAINED
        weights = multinomial.pmf(changes, questions, [worse, 1 - worse - better, better])
        share = _held(shares, accuracy) @ binom.pmf(right, questions, accuracy)
        difference = _held(differences, true_difference(accuracy)) @ weights
        return Coverage(100 * float(share), 100 * float(difference))

    everywhere = [at(float(accuracy)) for accuracy in FINE]
    mean = Coverage(*(float(np.mean([getattr(one, name) for one in everywhere])) for name in ("share", "difference")))
    return [*map(at, ACCURACIES), mean]


def _of_counts(kinds: list[list[int]], counts: Sequence[int], interval: Callable[..., Interval]) -> Interval:
    return interval(ClusterTotals(np.array(kinds), np.array(counts)), CONFIDENCE)


def _held(intervals: list[Interval], truth: float) -> Flags:
    return np.array([one.low <= truth <= one.high for one in intervals])


def true_difference(accuracy: float) -> float:
    return (1 - accuracy) * GAINED - accuracy * LOST


def _samples(design: Design, images: int, accuracy: float, samples: int) -> Iterator[tuple[Counts, ...]]:
    """By image: questions, right originals, of these lost and of the others gained in the counterfactual.

    All three are beta-binomial: an image has its own chances, of which answers to its questions are drawn.
    """
    generator = stream(7, "coverage", design.name, images, accuracy)
    spread = (1 - design.correlation) / design.correlation
    for _ in range(samples):
        questions = generator.integers(design.fewest, design.most, images, endpoint=True)
        chances = [generator.beta(p * spread, (1 - p) * spread, images) for p in (accuracy, LOST, GAINED)]
        right = generator.binomial(questions, chances[0])
        yield (
            questions,
            right,
            generator.binomial(right, chances[1]),
            generator.binomial(questions - right, chances[2]),
        )


def standard_error(samples: int) -> float:
    """Of a coverage of 95% that was counted in so many samples, in percent."""
    return 100 * math.sqrt(CONFIDENCE * (1 - CONFIDENCE) / samples)


def main_cells() -> dict[tuple[int, float], Coverage]:
    return {(images, accuracy): coverage(MAIN, images, accuracy) for images in IMAGES for accuracy in ACCURACIES}


def main_table(cells: dict[tuple[int, float], Coverage]) -> str:
    columns = " | ".join(f"{accuracy:g}" for accuracy in ACCURACIES)
    lines = [f"| interval | images | {columns} |", "|---|--:|" + "--:|" * len(ACCURACIES)]
    for name in ("share", "difference"):
        for images in IMAGES:
            values = " | ".join(f"{getattr(cells[images, accuracy], name):.1f}" for accuracy in ACCURACIES)
            lines.append(f"| {'accuracy' if name == 'share' else 'drop'} | {images} | {values} |")
    return "\n".join(lines)


def exact() -> dict[int, list[Coverage]]:
    return {questions: exact_coverage(questions) for questions in IMAGES}


def rejections_table() -> str:
    header = " | ".join(f"by {name}: {' | '.join(map(str, IMAGES))}" for name in ("image", "pair"))
    lines = [f"| pairs | {header} |", "|---|" + "--:|" * 2 * len(IMAGES)]
    for design in (MAIN, OTHERS[-1]):
        cells = [rejections(design, images) for images in IMAGES]
        values = [one.by_image for one in cells] + [one.by_pair for one in cells]
        shown = " | ".join(f"{value:.1f}" for value in values)
        lines.append(f"| {design.name.replace('questions', 'pairs')} | {shown} |")
    return "\n".join(lines)


def page(text: str, cells: dict[tuple[int, float], Coverage]) -> str:
    """The page with both tables as they come out now."""
    return with_block(with_block(text, "coverage", main_table(cells)), "rejections", rejections_table())


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), main_cells()), encoding="utf-8")
