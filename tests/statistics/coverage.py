"""How often intervals by image hold the truth, and how often tests reject it: the simulation behind docs/statistics.md.

`python -m tests.statistics.coverage` runs it (about seven minutes on one core) and writes its tables into that page;
`make soak` runs it and compares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from docs.tables import with_block
from tests.defaults import ROOT
from whatif.random_streams import stream
from whatif.statistics.clustered import share_of
from whatif.statistics.clusters import ClusterTotals
from whatif.statistics.paired import difference_of
from whatif.statistics.sign_flips import sign_flip_p

PAGE = ROOT / "docs" / "statistics.md"
CONFIDENCE = 0.95
SAMPLES = 6_000
IMAGES = (30, 60, 200)
ACCURACIES = (0.05, 0.1, 0.5, 0.9, 0.95)
LOST, GAINED = 0.3, 0.1  # chances that a right answer becomes wrong in the counterfactual, and a wrong one right
EQUAL = GAINED / (GAINED + LOST)  # the accuracy on originals with which that on counterfactuals is the same

Counts = npt.NDArray[np.int64]


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
    """Of accuracy on originals, and of the difference to counterfactuals."""
    truth = (1 - accuracy) * GAINED - accuracy * LOST
    held = np.zeros(2)
    for questions, right, lost, gained in _samples(design, images, accuracy, samples):
        one_each = np.ones(images, dtype=np.int64)
        share = share_of(ClusterTotals(np.stack([questions, right], axis=1), one_each), CONFIDENCE)
        changes = np.stack([questions, gained - lost, gained + lost], axis=1)
        difference = difference_of(ClusterTotals(changes, one_each), CONFIDENCE)
        held += share.low <= accuracy <= share.high, difference.low <= truth <= difference.high
    return Coverage(*(100 * held / samples).tolist())


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
    header = f"| interval | images | {' | '.join(f'{accuracy:g}' for accuracy in ACCURACIES)} |"
    lines = [header, "|---|--:|" + "--:|" * len(ACCURACIES)]
    for name in ("share", "difference"):
        for images in IMAGES:
            values = (f"{getattr(cells[images, accuracy], name):.1f}" for accuracy in ACCURACIES)
            lines.append(f"| {'accuracy' if name == 'share' else 'difference'} | {images} | {' | '.join(values)} |")
    return "\n".join(lines)


def others_table() -> str:
    accuracies = ACCURACIES[:3]  # the others are their mirror images
    lines = [f"| design, 30 images | {' | '.join(f'{accuracy:g}' for accuracy in accuracies)} |"]
    lines.append("|---|" + "--:|" * len(accuracies))
    for design in OTHERS:
        values = (f"{coverage(design, 30, accuracy).share:.1f}" for accuracy in accuracies)
        lines.append(f"| {design.name} | {' | '.join(values)} |")
    return "\n".join(lines)


def rejections_table() -> str:
    header = " | ".join(f"{images} images" for images in IMAGES)
    lines = [f"| pairs | test | {header} |", "|---|---|" + "--:|" * len(IMAGES)]
    for design in (MAIN, *OTHERS):
        cells = [rejections(design, images) for images in IMAGES]
        for name, values in (("image", [one.by_image for one in cells]), ("pair", [one.by_pair for one in cells])):
            shown = " | ".join(f"{value:.1f}" for value in values)
            lines.append(f"| {design.name.replace('questions', 'pairs')} | by {name} | {shown} |")
    return "\n".join(lines)


def page(text: str, cells: dict[tuple[int, float], Coverage]) -> str:
    """The page with all three tables as they come out now."""
    text = with_block(with_block(text, "coverage", main_table(cells)), "coverage of other designs", others_table())
    return with_block(text, "rejections", rejections_table())


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), main_cells()), encoding="utf-8")
