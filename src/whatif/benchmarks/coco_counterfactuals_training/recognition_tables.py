"""Table 4 of COCO-Counterfactuals: recognition without training; ours, recomputed and reported numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from whatif.benchmarks.coco_counterfactuals_training.reported import reported
from whatif.benchmarks.coco_counterfactuals_training.results import BySeed, Recognition, Results
from whatif.benchmarks.coco_counterfactuals_training.retrieval_tables import COMPARED_MIXTURES, PUBLISHED_DIVISION
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES, PRE_TRAINED
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import (
    DEVIATION,
    SEEDS,
    Row,
    our_rows,
    reported_rows,
    underlines,
    views_of_tests,
    with_holm,
)
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.table import MEASURE, OURS, PUBLISHED, RECOMPUTED, Column, Table, View, tidy
from whatif.scoring.statistics.intervals import Interval, added, wilson

ACCURACY, MACRO = "accuracy", "macro accuracy"
MEAN = "mean"  # over the data sets
_MACRO_DEVIATION = "macro deviation"
_IDENTITY = (
    *("model", "name", "source", "train_set", "mixture", "train_samples", "counterfactual_share"),
    *("seeds", "data_set", "mark", MEASURE, PUBLISHED),
)
_NUMBERS = ("value", "low", "high", "n", "p", "p_holm")
_BASELINE = "ms-coco"
_REPORTED_SETS = frozenset({"CIFAR10", "CIFAR100", "Food101", "Caltech101", "Caltech256", "ImageNet"})  # of Table 4


def data_set_names(keys: Sequence[str]) -> dict[str, str]:
    """Names of data sets in Tables 4 and 6: the reported name if only case and hyphens differ, otherwise the key."""
    known = {_plain(row["dataset"]): row["dataset"] for row in reported(4) if row["dataset"] != MEAN}
    return {key: known.get(_plain(key), key) for key in keys}


def accuracies(
    results: Results, model: str, mixture: str, number: Callable[[Recognition], float] = lambda found: found.accuracy
) -> dict[str, BySeed]:
    """The accuracy in percent of the published division, by data set and seed, and the mean over the data sets.

    There is a mean for a seed with all data sets: of a model that is trained here those of all such models, of imported
    predictions the reported ones.
    """
    found: dict[str, BySeed] = {}
    wanted = {
        data_set
        for weights, recognised in results.recognitions.items()
        if weights.model in results.names
        for data_set in recognised
    }
    names = data_set_names([one for recognised in results.recognitions.values() for one in recognised])
    needed = {names[one] for one in wanted} if model in results.names else _REPORTED_SETS
    for weights, recognised in results.recognitions.items():
        if weights[:3] != (model, mixture, PUBLISHED_DIVISION):
            continue
        for data_set, one in recognised.items():
            found.setdefault(names[data_set], {})[weights.seed] = number(one)
        values = {names[data_set]: number(one) for data_set, one in recognised.items()}
        if needed <= set(values):
            found.setdefault(MEAN, {})[weights.seed] = sum(values[one] for one in sorted(needed)) / len(needed)
    return found


def recomputed(results: Results, model: str, mixture: str = PRE_TRAINED) -> dict[str, tuple[Recognition, Interval]]:
    """The imported predictions of a model before any training, with Wilson's interval of the accuracy in percent.

    With a `mixture`, those after training on it with one seed; none where there are several. By name of the data set,
    in the order of the names. `mean` is that over all reported data sets, where there are predictions on each of them:
    its images are those of all, and its interval is computed from theirs, which are independent.
    """
    found: dict[str, tuple[Recognition, Interval]] = {}
    names = data_set_names([one for recognised in results.recognitions.values() for one in recognised])
    of = [weights for weights in results.recognitions if weights[:3] == (model, mixture, PUBLISHED_DIVISION)]
    for weights in of if len(of) == 1 and model not in results.names else ():
        for data_set, one in results.recognitions[weights].items():
            ends = wilson(round(one.accuracy * one.images / 100), one.images, results.confidence)
            found[names[data_set]] = one, _times(ends, 100)
    if set(found) >= _REPORTED_SETS:
        parts = [found[name] for name in sorted(_REPORTED_SETS)]
        ends = _times(added([interval for _, interval in parts]), 1 / len(parts))
        macro = sum(one.macro for one, _ in parts) / len(parts)
        images, errors = (sum(numbers) for numbers in zip(*((one.images, one.errors) for one, _ in parts), strict=True))
        found[MEAN] = Recognition(images, errors, ends.estimate, macro), ends
    return found


def models_of(results: Results) -> dict[str, str]:
    """The trained models and those of imported predictions, by key, with their display names."""
    return dict(results.names) | {
        weights.model: weights.model for weights in results.recognitions if weights.model not in results.names
    }


def table4(results: Results) -> Table:
    """Table 4: the accuracy of the nearest class prompt in percent, by data set, and their mean.

    Measures: `accuracy` (micro: over images), its `deviation` over seeds and its `gain` over training without
    counterfactuals in points; `macro accuracy` (the mean over classes) and its `macro deviation`. The source
    `recomputed` is of imported predictions. Before any training, and of trainings with one seed, their n is the number
    of images, and their interval is over images. `seeds` says over how many seeds ours and recomputed ones are means.
    """
    rows = with_holm([*_reported(), *_ours(results)])
    frame = tidy(rows, _IDENTITY, _NUMBERS)
    printed = [row["dataset"] for row in reported(4)]
    ours = sorted(set(frame["data_set"]) - set(printed))
    shown = [*dict.fromkeys([*(one for one in printed if one != MEAN), *ours]), MEAN]
    return Table("table4", "Table 4: recognition without training", frame, _views(results, rows, shown))


def _reported() -> Iterator[Row]:
    rows = reported(4)
    baselines = {row["dataset"]: row for row in rows if row["mixture"] == _BASELINE}
    for row in rows:
        place = {
            "name": row["system"],
            "train_set": row["train_set"],
            "mixture": row["mixture"],
            "train_samples": row["n_train"],
            "counterfactual_share": row["pct_cf"],
            "data_set": row["dataset"],
        }
        other = baselines[row["dataset"]] if row["mixture"] not in (PRE_TRAINED, _BASELINE) else None
        yield from reported_rows(place, ACCURACY, row, other)


def _ours(results: Results) -> Iterator[Row]:
    for model, name in models_of(results).items():
        baselines = accuracies(results, model, _BASELINE)
        is_imported = model not in results.names
        source = RECOMPUTED if is_imported else OURS
        for mixture in (PRE_TRAINED, *MIXTURES) if is_imported else COMPARED_MIXTURES:
            size = results.size(mixture, PUBLISHED_DIVISION)
            is_known = mixture == PRE_TRAINED or not is_imported  # not with how many samples others trained
            place = {
                "model": model,
                "name": name,
                "train_set": "none" if mixture == PRE_TRAINED else mixture,
                "mixture": mixture,
                "train_samples": str(size.samples) if is_known else "",
                "counterfactual_share": f"{100 * size.counterfactual / max(1, size.samples):.0f}" if is_known else "",
            }
            macro = accuracies(results, model, mixture, lambda found: found.macro)
            over_images = recomputed(results, model, mixture)
            for data_set, by_seed in accuracies(results, model, mixture).items():
                other = baselines.get(data_set) if mixture not in (PRE_TRAINED, _BASELINE) else None
                seeds = "" if mixture == PRE_TRAINED else "one seed" if len(by_seed) == 1 else f"{len(by_seed)} seeds"
                of_set = {**place, "seeds": seeds, "data_set": data_set}
                rows = our_rows(of_set, ACCURACY, by_seed, other, results.confidence, source=source)
                for row in our_rows(of_set, MACRO, macro[data_set], None, results.confidence, source=source):
                    rows.append({**row, MEASURE: MACRO if row[MEASURE] == MACRO else _MACRO_DEVIATION})
                if data_set in over_images:
                    found, ends = over_images[data_set]
                    rows[0] |= {"low": round(ends.low, 4), "high": round(ends.high, 4)}
                    rows = [{**row, "n": found.images} if row[MEASURE] in (ACCURACY, MACRO) else row for row in rows]
                yield from rows


def _views(results: Results, rows: Sequence[Row], data_sets: Sequence[str]) -> tuple[View, ...]:
    sizes = {"train_samples": "Samples", "counterfactual_share": "CFs (%)"}
    of = {
        "model": "",
        "name": "Model",
        "source": "From",
        "mixture": "",
        "train_set": "Trained on",
        **sizes,
        "seeds": "Seeds",
    }

    share_of = {name: heading for name, heading in of.items() if name != "train_samples"}
    cells = {one[0].upper() + one[1:]: {"data_set": one} for one in data_sets}

    def columns(measure: str) -> tuple[Column, ...]:
        return tuple(Column(heading, measure, where, write=decimal(2)) for heading, where in cells.items())

    mean = {"data_set": MEAN}
    seeds = Column("Seeds", DEVIATION, mean, number="n", write=count)
    note = (
        f"{underlines(rows)} The mean is over data sets, so ours and the reported one are comparable only if these are "
        f"the same. {_mean_of_all()}"
    )
    own = [*dict.fromkeys(row["data_set"] for row in rows if row[MEASURE] == MACRO)]
    macro = tuple(column for column in columns(MACRO) if column.where["data_set"] in own)
    return (
        View(
            "Recognition by the nearest class prompt: accuracy in percent over images, the mean over seeds; "
            f"the paper has {SEEDS} (COCO-Counterfactuals Table 4).",
            of,
            columns(ACCURACY),
            note,
        ),
        *_views_of_recomputed(rows, results.level),
        View("Standard deviations of these over seeds, in points.", of, (*columns(DEVIATION), seeds)),
        View(
            "Ours and recomputed ones as means over classes (macro accuracy), in percent.",
            share_of,
            macro,
            "Accuracy over images differs from it where classes have different numbers of images.",
        ),
        *views_of_tests(ACCURACY, _BASELINE, share_of, mean=mean, cells=cells, level=results.level),
    )


def _views_of_recomputed(rows: Sequence[Row], level: str) -> Iterator[View]:
    """A view of imported predictions, with intervals; none where there are none."""
    found = [row for row in rows if row["source"] == RECOMPUTED]
    if not found:
        return
    of = {"source": RECOMPUTED}
    yield View(
        f"Recomputed from predictions that others released: accuracy in percent, with {level} intervals over images, "
        "and over seeds where there are several.",
        {
            "model": "",
            "name": "Model",
            "mixture": "",
            "train_set": "Trained on",
            "seeds": "Seeds",
            "data_set": "Data set",
        },
        (
            Column("Accuracy", ACCURACY, of, write=decimal(2), interval=True),
            Column("n", ACCURACY, of, number="n"),
            Column("Mean over classes", MACRO, of, write=decimal(2)),
        ),
        "n is the number of images, or of several seeds. Intervals over images are Wilson's; that of the mean is "
        "computed from those of the data sets. They tell how much depends on the choice of images, not how much "
        f"depends on the training. {_as_reported([row for row in found if row['mixture'] == PRE_TRAINED])}",
    )


def _as_reported(recomputed_rows: Sequence[Row]) -> str:
    """A sentence: how many of the reported numbers of the pre-trained CLIP are those recomputed, to the last digit."""
    printed = {row["dataset"]: row["value"] for row in reported(4) if row["mixture"] == PRE_TRAINED}
    told = []
    for model in dict.fromkeys(row["name"] for row in recomputed_rows):
        values = {row["data_set"]: row["value"] for row in recomputed_rows if _is_accuracy(row, model)}
        both = [name for name in printed if name in values]
        equal = sum(abs(float(printed[name]) - values[name]) <= 0.005 + 1e-9 for name in both)
        if both:
            told.append(f"{equal} of {len(both)} numbers of {model} are those reported for the pre-trained CLIP.")
    return " ".join(told)


def _is_accuracy(row: Row, model: str) -> bool:
    return bool(row["name"] == model and row[MEASURE] == ACCURACY)


def _times(interval: Interval, factor: float) -> Interval:
    return Interval(interval.estimate * factor, interval.low * factor, interval.high * factor)


def _mean_of_all() -> str:
    """The one reported mean that its row does not give."""
    by_mixture: dict[str, dict[str, float]] = {}
    for row in reported(4):
        by_mixture.setdefault(row["mixture"], {})[row["dataset"]] = float(row["value"])
    told = []
    for mixture, values in by_mixture.items():
        mean = sum(value for name, value in values.items() if name != MEAN) / (len(values) - 1)
        if abs(mean - values[MEAN]) > 0.0101:  # half a unit of the last digit for the mean, and for its operands
            told.append(f"The reported mean of the set {mixture} is {values[MEAN]:.2f}; its row gives {mean:.2f}.")
    return " ".join(told)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
