"""What the leak of the published division is worth: the same mixture, divided with and without it.

Measures, by division: the `mean recall` in percent on its own withheld test, where there is one, the number of
`captions searched` there, and the `validation loss` of the best weights in nats, as means over seeds; and the leak of
recall and loss, which is the value of the published division minus that of the leak-free one, paired by seed.
"""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.coco_counterfactuals_training.results import PUBLISHED_DIVISION, BySeed, Results
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES, WITHHELD
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import Row, difference_row, mean_row
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.table import MEASURE, Column, View
from whatif.scoring.statistics.seed_tests import gain, over_seeds

_RECALL, _LOSS, _SEARCHED = "mean recall", "validation loss", "captions searched"
_LEAK = "leak of the "  # begins the measure of a difference
_DIVISIONS = (PUBLISHED_DIVISION, "leak-free")
_OF = {"model": "", "name": "Model", "mixture": "Mixture"}


def _rows(found: Results) -> Iterator[Row]:
    confidence = found.settings.confidence
    for model, name in found.names.items():
        for mixture in MIXTURES:
            of = {"model": model, "name": name, "mixture": mixture}
            places = [(model, mixture, division) for division in _DIVISIONS]
            measures: dict[str, list[BySeed]] = {
                _RECALL: [found.mean_recall(*place, WITHHELD) for place in places],
                _LOSS: [found.best_losses(*place) for place in places],
            }
            for division in _DIVISIONS if all(measures[_RECALL]) else ():
                searched = found.searched(model, mixture, division, WITHHELD)
                yield {**of, "division": division, MEASURE: _SEARCHED, "value": searched}
            for measure, both in measures.items():
                if all(both):
                    for division, by_seed in zip(_DIVISIONS, both, strict=True):
                        mean = over_seeds(list(by_seed.values()), confidence)
                        yield {**of, "division": division, MEASURE: measure, **mean_row(mean)}
                    published, leak_free = both
                    difference = difference_row(gain(published, leak_free, confidence))
                    yield {**of, MEASURE: f"{_LEAK}{measure}", **difference}


TABLE: Declared[Results] = Declared(
    position=80,
    title="The leak of the published division",
    identity=("model", "name", "mixture", "division", MEASURE),
    numbers=("value", "low", "high", "n"),
    rows=_rows,
    views=lambda found: (
        View(
            f"Both divisions: mean recall in percent on the withheld test of each, and the validation loss in nats, "
            f"with {found.level} t intervals over seeds.",
            {**_OF, "division": "Division"},
            (
                Column("Recall", _RECALL, write=decimal(2), interval=True),
                Column("Of", _SEARCHED, write=count),
                Column("Loss", _LOSS, write=decimal(4), interval=True),
                Column("Seeds", _LOSS, number="n"),
            ),
            "The published division is random over samples: the other image of a pair, or another caption of a "
            "photograph, may be in the training samples. The leak-free one keeps them together. Of: the captions that "
            "are searched; recall is lower among more. A loss is over other validation samples in each division. "
            "Without two divisions of a mixture, the table is empty.",
        ),
        View(
            f"What the leak is worth: published minus leak-free, with {found.level} t intervals, paired by seed.",
            _OF,
            (
                Column("Recall", f"{_LEAK}{_RECALL}", write=signed(2), interval=True),
                Column("Loss", f"{_LEAK}{_LOSS}", write=signed(4), interval=True),
            ),
            "With a leak, recall would be higher and the loss lower than they should be. Both divisions draw their "
            "samples anew, so one seed tells little.",
        ),
    ),
)
