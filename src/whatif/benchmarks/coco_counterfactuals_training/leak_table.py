"""What the leak of the published division is worth: the same mixture, divided with and without it."""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.coco_counterfactuals_training.results import BySeed, Results
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES, WITHHELD
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import Row
from whatif.benchmarks.coco_counterfactuals_training.trainings_table import Trainings, best_losses
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.precision import as_measured
from whatif.results.reporting.table import MEASURE, Column, Table, View, tidy
from whatif.scoring.statistics.seed_tests import gain, over_seeds

RECALL, LOSS, SEARCHED = "mean recall", "validation loss", "captions searched"
_LEAK = "leak of the "  # begins the measure of a difference
_DIVISIONS = ("published", "leak-free")
_IDENTITY = ("model", "name", "mixture", "division", MEASURE)
_NUMBERS = ("value", "low", "high", "n")


def leak_table(results: Results, found: Trainings) -> Table:
    """The table `leak`, of the mixtures that were trained with both divisions.

    Measures, by division: the `mean recall` in percent on its own withheld test, where there is one, the number of
    `captions searched` there, and the `validation loss` of the best weights in nats, as means over seeds; and the leak
    of recall and loss, which is the value of the published division minus that of the leak-free one, paired by seed.
    """
    frame = tidy(_rows(results, found), _IDENTITY, _NUMBERS)
    of = {"model": "", "name": "Model", "mixture": "Mixture"}
    views = (
        View(
            f"Both divisions: mean recall in percent on the withheld test of each, and the validation loss in nats, "
            f"with {results.level} t intervals over seeds.",
            {**of, "division": "Division"},
            (
                Column("Recall", RECALL, write=decimal(2), interval=True),
                Column("Of", SEARCHED, write=count),
                Column("Loss", LOSS, write=decimal(4), interval=True),
                Column("Seeds", LOSS, number="n"),
            ),
            "The published division is random over samples: the other image of a pair, or another caption of a "
            "photograph, may be in the training samples. The leak-free one keeps them together. Of: the captions that "
            "are searched; recall is lower among more. A loss is over other validation samples in each division. "
            "Without two divisions of a mixture, the table is empty.",
        ),
        View(
            f"What the leak is worth: published minus leak-free, with {results.level} t intervals, paired by seed.",
            of,
            (
                Column("Recall", f"{_LEAK}{RECALL}", write=signed(2), interval=True),
                Column("Loss", f"{_LEAK}{LOSS}", write=signed(4), interval=True),
            ),
            "With a leak, recall would be higher and the loss lower than they should be. Both divisions draw their "
            "samples anew, so one seed tells little.",
        ),
    )
    return Table("leak", "The leak of the published division", frame, views)


def _rows(results: Results, found: Trainings) -> Iterator[Row]:
    for model, name in results.names.items():
        for mixture in MIXTURES:
            of = {"model": model, "name": name, "mixture": mixture}
            measures: dict[str, list[BySeed]] = {
                RECALL: [results.mean_recall(model, mixture, division, WITHHELD) for division in _DIVISIONS],
                LOSS: [best_losses(found, model, mixture, division) for division in _DIVISIONS],
            }
            for division in _DIVISIONS if all(measures[RECALL]) else ():
                searched = results.searched(model, mixture, division, WITHHELD)
                yield {**of, "division": division, MEASURE: SEARCHED, "value": searched}
            for measure, both in measures.items():
                if not all(both):
                    continue
                for division, by_seed in zip(_DIVISIONS, both, strict=True):
                    mean = over_seeds(list(by_seed.values()), results.confidence)
                    ends = as_measured(mean.interval) or {"value": round(mean.mean, 4)}
                    yield {**of, "division": division, MEASURE: measure, **ends, "n": mean.seeds}
                yield {**of, MEASURE: f"{_LEAK}{measure}", **_difference(*both, confidence=results.confidence)}


def _difference(published: BySeed, leak_free: BySeed, *, confidence: float) -> Row:
    tested = gain(published, leak_free, confidence)
    if tested.paired is None:
        return {"value": round(tested.difference, 4)}
    return {**as_measured(tested.paired.interval), "n": tested.paired.seeds}
