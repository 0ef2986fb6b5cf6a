"""The table of trainings: which step was kept, and its validation loss, by mixture and seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from whatif.benchmarks.coco_counterfactuals_training.results import BySeed, Weights
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import Row
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import as_measured
from whatif.results.reporting.table import MEASURE, Column, Table, View, tidy
from whatif.scoring.statistics.seed_tests import over_seeds

STEP, STEPS, FIRST, BEST = "best step", "steps", "first validation loss", "validation loss"
_SEED_MEAN = "mean"
_IDENTITY = ("model", "name", "mixture", "division", "seed", MEASURE)
_NUMBERS = ("value", "low", "high", "n")


class Kept(NamedTuple):
    """The weights that a training kept: their step of all `steps`, and their validation loss, in nats.

    `first` is the validation loss before the first step.
    """

    step: int
    steps: int
    first: float
    loss: float


Trainings: TypeAlias = dict[Weights, Kept]


def trainings(losses: Iterable[Mapping[str, Any]]) -> Trainings:
    """What each training kept, from rows of `losses`: the last row that is marked as best, in the order of steps."""
    found: Trainings = {}
    for row in losses:
        loss = row["validation_loss"]
        key = Weights(row["model"], row["mixture"], row["division"], row["seed"])
        before = found.get(key)
        if loss is None:
            continue
        if before is None:
            found[key] = Kept(row["step"], row["step"], loss, loss)
        elif row["best"]:
            found[key] = Kept(row["step"], row["step"], before.first, loss)
        else:
            found[key] = before._replace(steps=row["step"])
    return found


def best_losses(found: Trainings, model: str, mixture: str, division: str) -> BySeed:
    """The lowest validation loss by seed."""
    return {weights.seed: kept.loss for weights, kept in found.items() if weights[:3] == (model, mixture, division)}


def trainings_table(found: Trainings, names: Mapping[str, str], confidence: float) -> Table:
    """The table `trainings`: best step, validation loss, and their means over seeds with t intervals."""
    frame = tidy(_rows(found, names, confidence), _IDENTITY, _NUMBERS)
    of = {"model": "", "name": "Model", "mixture": "Mixture", "division": "Division"}
    columns = (
        Column("Best step", STEP, write=count),
        Column("Of", STEPS, write=count),
        Column("Best loss", BEST, write=decimal(4)),
    )
    means = (
        Column("Best step", f"mean {STEP}", write=decimal(1), interval=True),
        Column("Best loss", f"mean {BEST}", write=decimal(4), interval=True),
        Column("Seeds", f"mean {BEST}", number="n"),
    )
    views = (
        View(
            "The step whose weights were kept, and its validation loss in nats, by seed.",
            {**of, "seed": "Seed"},
            columns,
            "The weights with the lowest validation loss count. Losses of different mixtures are of different "
            "validation samples.",
        ),
        View(
            f"The same, means over seeds with {100 * confidence:g}% t intervals.",
            of,
            means,
            "With one seed, there is no interval.",
        ),
    )
    return Table("trainings", "Trainings", frame, views)


def _order(weights: Weights) -> tuple[str, int, str, str]:
    return weights.model, MIXTURES.index(weights.mixture), weights.division, weights.seed


def _rows(found: Trainings, names: Mapping[str, str], confidence: float) -> Iterator[Row]:
    together: dict[tuple[str, str, str], list[Kept]] = {}
    for weights, kept in sorted(found.items(), key=lambda one: _order(one[0])):
        place = {**weights._asdict(), "name": names[weights.model]}
        numbers = {STEP: kept.step, STEPS: kept.steps, FIRST: kept.first, BEST: kept.loss}
        for measure, value in numbers.items():
            yield {**place, MEASURE: measure, "value": round(float(value), 6)}
        together.setdefault(weights[:3], []).append(kept)
    for (model, mixture, division), of_mixture in together.items():
        place = {"model": model, "name": names[model], "mixture": mixture, "division": division, "seed": _SEED_MEAN}
        for measure, values in (
            (STEP, [float(kept.step) for kept in of_mixture]),
            (BEST, [kept.loss for kept in of_mixture]),
        ):
            mean = over_seeds(values, confidence)
            ends = as_measured(mean.interval) or {"value": round(mean.mean, 4)}
            yield {**place, MEASURE: f"mean {measure}", **ends, "n": mean.seeds}
