"""Recognition without training (5.2): accuracies by data set, of our trainings and of imported predictions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from whatif.benchmarks.coco_counterfactuals_training.reported import reported
from whatif.benchmarks.coco_counterfactuals_training.results import (
    MEAN,
    PUBLISHED_DIVISION,
    BySeed,
    Recognition,
    Results,
)
from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED
from whatif.scoring.statistics.intervals import Interval, added, wilson

_REPORTED_SETS = frozenset({"CIFAR10", "CIFAR100", "Food101", "Caltech101", "Caltech256", "ImageNet"})  # of Table 4


def data_set_names(keys: Iterable[str]) -> dict[str, str]:
    """Names of data sets in Tables 4 and 6: the reported name if only case and hyphens differ, otherwise the key."""
    known = {_plain(row["dataset"]): row["dataset"] for row in reported(4) if row["dataset"] != MEAN}
    return {key: known.get(_plain(key), key) for key in keys}


def _names(results: Results) -> dict[str, str]:
    return data_set_names(one for recognised in results.recognitions.values() for one in recognised)


def accuracies(
    results: Results, model: str, mixture: str, number: Callable[[Recognition], float] = lambda found: found.accuracy
) -> dict[str, BySeed]:
    """The accuracy in percent of the published division, by data set and seed, and the mean over the data sets.

    There is a mean for a seed with all data sets: of a model that is trained here those of all such models, of imported
    predictions the reported ones.
    """
    names = _names(results)
    own = {names[one] for weights, of in results.recognitions.items() if weights.model in results.names for one in of}
    needed = own if model in results.names else _REPORTED_SETS
    found: dict[str, BySeed] = {}
    for weights, recognised in results.recognitions.items():
        if weights[:3] == (model, mixture, PUBLISHED_DIVISION):
            values = {names[data_set]: number(one) for data_set, one in recognised.items()}
            if needed <= set(values):
                values[MEAN] = sum(values[one] for one in sorted(needed)) / len(needed)
            for name, value in values.items():
                found.setdefault(name, {})[weights.seed] = value
    return found


def recomputed(results: Results, model: str, mixture: str = PRE_TRAINED) -> dict[str, tuple[Recognition, Interval]]:
    """The imported predictions of a model before any training, with Wilson's interval of the accuracy in percent.

    With a `mixture`, those after training on it with one seed; none where there are several. By name of the data set,
    in the order of the names. `mean` is that over all reported data sets, where there are predictions on each of them:
    its images are those of all, and its interval is computed from theirs, which are independent.
    """
    found: dict[str, tuple[Recognition, Interval]] = {}
    names = _names(results)
    of = [weights for weights in results.recognitions if weights[:3] == (model, mixture, PUBLISHED_DIVISION)]
    for weights in of if len(of) == 1 and model not in results.names else ():
        for data_set, one in results.recognitions[weights].items():
            ends = wilson(round(one.accuracy * one.images / 100), one.images, results.settings.confidence)
            found[names[data_set]] = one, _times(ends, 100)
    if set(found) >= _REPORTED_SETS:
        parts = [found[name] for name in sorted(_REPORTED_SETS)]
        ends = _times(added([interval for _, interval in parts]), 1 / len(parts))
        macro = sum(one.macro for one, _ in parts) / len(parts)
        images, errors = (sum(numbers) for numbers in zip(*((one.images, one.errors) for one, _ in parts), strict=True))
        found[MEAN] = Recognition(images, errors, ends.estimate, macro), ends
    return found


def _times(interval: Interval, factor: float) -> Interval:
    return Interval(interval.estimate * factor, interval.low * factor, interval.high * factor)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
