"""Which step of each training was kept, and its validation loss in nats, by seed and as means over seeds."""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.coco_counterfactuals_training.results import Kept, Results, Weights
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import Row, mean_row
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.table import MEASURE, Column, View
from whatif.scoring.statistics.seed_tests import over_seeds

_STEP, _STEPS, _FIRST, _BEST = "best step", "steps", "first validation loss", "validation loss"
_OF = {"model": "", "name": "Model", "mixture": "Mixture", "division": "Division"}


def _rows(found: Results) -> Iterator[Row]:
    together: dict[tuple[str, str, str], list[Kept]] = {}
    for weights, kept in sorted(found.trainings.items(), key=lambda one: _order(one[0])):
        place = {**weights._asdict(), "name": found.names[weights.model]}
        for measure, value in ((_STEP, kept.step), (_STEPS, kept.steps), (_FIRST, kept.first), (_BEST, kept.loss)):
            yield {**place, MEASURE: measure, "value": round(float(value), 6)}
        together.setdefault(weights[:3], []).append(kept)
    for (model, mixture, division), of_mixture in together.items():
        place = {"model": model, "name": found.names[model], "mixture": mixture, "division": division, "seed": "mean"}
        for measure, values in (
            (_STEP, [float(kept.step) for kept in of_mixture]),
            (_BEST, [kept.loss for kept in of_mixture]),
        ):
            yield {**place, MEASURE: f"mean {measure}", **mean_row(over_seeds(values, found.settings.confidence))}


def _order(weights: Weights) -> tuple[str, int, str, str]:
    return weights.model, MIXTURES.index(weights.mixture), weights.division, weights.seed


TABLE: Declared[Results] = Declared(
    position=90,
    title="Trainings",
    identity=("model", "name", "mixture", "division", "seed", MEASURE),
    numbers=("value", "low", "high", "n"),
    rows=_rows,
    views=lambda found: (
        View(
            "The step whose weights were kept, and its validation loss in nats, by seed.",
            {**_OF, "seed": "Seed"},
            (
                Column("Best step", _STEP, write=count),
                Column("Of", _STEPS, write=count),
                Column("Best loss", _BEST, write=decimal(4)),
            ),
            "The weights with the lowest validation loss count. Losses of different mixtures are of different "
            "validation samples.",
        ),
        View(
            f"The same, means over seeds with {found.level} t intervals.",
            _OF,
            (
                Column("Best step", f"mean {_STEP}", write=decimal(1), interval=True),
                Column("Best loss", f"mean {_BEST}", write=decimal(4), interval=True),
                Column("Seeds", f"mean {_BEST}", number="n"),
            ),
            "With one seed, there is no interval.",
        ),
    ),
)
