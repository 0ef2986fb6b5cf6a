"""Simulates annotators of whom some label at random, and counts how often exactly these are found.

`python -m tests.scoring.statistics.annotator_simulation` writes the table into docs/statistics.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from docs.tables import with_block
from whatif.engine.random_streams import stream
from whatif.scoring.statistics.random_annotators import BETTER, RANDOM, competences

PAGE = Path(__file__).parents[3] / "docs" / "statistics.md"
NAME = "random annotators"
REPETITIONS = 200
ANNOTATORS, AT_RANDOM, AN_ITEM = 20, 3, 3
ACCURACIES = (0.75, 0.95)  # of the others, uniformly distributed


@dataclass(frozen=True)
class Design:
    """A set of labels. `shares` are those of the true labels; random labels are uniform, or have the same shares."""

    items: int
    shares: tuple[float, ...]
    uniform: bool = True


MAIN = Design(400, (0.42, 0.38, 0.14, 0.06))  # chosen captions: the labels of the paper's images have such shares
DESIGNS = (
    MAIN,
    Design(400, MAIN.shares, uniform=False),
    Design(400, (0.6, 0.25, 0.15)),
    Design(400, (0.7, 0.3)),
    Design(1200, (0.7, 0.3)),
    Design(400, (0.8, 0.2)),
    Design(2000, (0.8, 0.2)),
)


@dataclass(frozen=True)
class Found:
    """Shares of the repetitions: exactly the random annotators were found; all of them; others, too.

    `better`: the share of random annotators who were taken for better than chance.
    """

    exactly: float
    all_found: float
    others: float
    better: float


def simulated(design: Design, repetition: int) -> dict[str, dict[str, str]]:
    """Item -> annotator -> label. Each item has three of the twenty annotators, who get equally many items.

    The wrong labels of an annotator are spread evenly. The first three annotators label at random.
    """
    generator = stream(repetition, "annotators", design.items, *map(str, design.shares), str(design.uniform))
    kinds = len(design.shares)
    accuracy = generator.uniform(*ACCURACIES, size=ANNOTATORS)
    load = np.zeros(ANNOTATORS, dtype=np.int64)
    labels: dict[str, dict[str, str]] = {}
    for item, truth in enumerate(generator.choice(kinds, size=design.items, p=design.shares)):
        chosen = np.lexsort((generator.random(ANNOTATORS), load))[:AN_ITEM]
        load[chosen] += 1
        given = {}
        for annotator in chosen.tolist():
            if annotator < AT_RANDOM:
                label = generator.choice(kinds, p=None if design.uniform else design.shares)
            elif generator.random() < accuracy[annotator]:
                label = truth
            else:
                label = (truth + generator.integers(1, kinds)) % kinds
            given[f"annotator-{annotator:02d}"] = "abcd"[label]
        labels[f"item-{item:04d}"] = given
    return labels


def found(design: Design, repetitions: int = REPETITIONS, first: int = 0) -> Found:
    """How often the random annotators are found in simulated sets, by the seeds from `first`."""
    wanted = {f"annotator-{number:02d}" for number in range(AT_RANDOM)}
    exactly = all_found = others = better = 0
    for repetition in range(first, first + repetitions):
        verdicts = {
            name: one.verdict for name, one in competences(simulated(design, repetition), resamples=999).items()
        }
        at_random = {name for name, verdict in verdicts.items() if verdict == RANDOM}
        exactly += at_random == wanted
        all_found += at_random >= wanted
        others += bool(at_random - wanted)
        better += sum(verdicts[name] == BETTER for name in wanted)
    return Found(
        exactly / repetitions, all_found / repetitions, others / repetitions, better / (repetitions * AT_RANDOM)
    )


def table() -> str:
    """The table of docs/statistics.md, in percent."""
    lines = [
        "| items | shares of the true labels | labels at random | exactly these three | all three | others, too |",
        "|--:|---|---|--:|--:|--:|",
    ]
    for design in DESIGNS:
        shares = ", ".join(f"{share:g}" for share in design.shares)
        random = "uniform" if design.uniform else "same shares"
        cell = found(design)
        numbers = " | ".join(f"{100 * share:.1f}" for share in (cell.exactly, cell.all_found, cell.others))
        lines.append(f"| {design.items} | {shares} | {random} | {numbers} |")
    return "\n".join(lines)


if __name__ == "__main__":
    made = table()
    PAGE.write_text(with_block(PAGE.read_text(encoding="utf-8"), NAME, made), encoding="utf-8")
