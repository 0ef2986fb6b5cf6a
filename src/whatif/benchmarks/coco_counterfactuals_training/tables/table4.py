"""Table 4: recognition without training, by the nearest class prompt (5.2).

Measures, by data set, and of their mean: `accuracy` in percent (micro: over images), its `deviation` over seeds and its
`gain` over training without counterfactuals in points; `macro accuracy` (the mean over classes) and its `macro
deviation`. The source `recomputed` is of imported predictions. Before any training, and of trainings with one seed,
their n is the number of images, and their interval is over images. `seeds` says over how many seeds ours and recomputed
ones are means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whatif.benchmarks.coco_counterfactuals_training.recognition import accuracies, recomputed
from whatif.benchmarks.coco_counterfactuals_training.reported import reported
from whatif.benchmarks.coco_counterfactuals_training.results import COMPARED_MIXTURES, MEAN, Results
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES, PRE_TRAINED
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import (
    SEEDS,
    Row,
    of_training,
    our_rows,
    reported_rows,
    seed_views,
    underlines,
    with_holm,
)
from whatif.results.reporting.declared import Made
from whatif.results.reporting.numerals import decimal
from whatif.results.reporting.table import MEASURE, OURS, PUBLISHED, RECOMPUTED, Column, Table, View, tidy

_ACCURACY, _MACRO, _MACRO_DEVIATION = "accuracy", "macro accuracy", "macro deviation"
_BASELINE = "ms-coco"
_IDENTITY = (
    *("model", "name", "source", "train_set", "mixture", "train_samples", "counterfactual_share"),
    *("seeds", "data_set", "mark", MEASURE, PUBLISHED),
)
_TRAINED = {"model": "", "name": "Model", "source": "From", "mixture": "", "train_set": "Trained on"}


def _table(found: Results) -> Table:
    printed = list(reported_rows(4, _ACCURACY, _BASELINE))
    rows = with_holm([*printed, *_ours(found)])
    names = [row["dataset"] for row in reported(4)]
    further = sorted({row["data_set"] for row in rows} - set(names))
    cells = {one[0].upper() + one[1:]: {"data_set": one} for one in dict.fromkeys([*names, *further]) if one != MEAN}
    cells["Mean"] = {"data_set": MEAN}
    of = {**_TRAINED, "train_samples": "Samples", "counterfactual_share": "CFs (%)", "seeds": "Seeds"}
    means, deviations, *tests = seed_views(
        "Recognition by the nearest class prompt: accuracy in percent over images, the mean over seeds; the paper has "
        f"{SEEDS} (COCO-Counterfactuals Table 4).",
        f"{underlines(printed)} The mean is over data sets, so ours and the reported one are comparable only if these "
        f"are the same. {_mean_of_all()}",
        of,
        cells,
        measure=_ACCURACY,
        baseline=_BASELINE,
        level=found.level,
    )
    own = {row["data_set"] for row in rows if row[MEASURE] == _MACRO}
    macro = View(
        "Ours and recomputed ones as means over classes (macro accuracy), in percent.",
        {name: heading for name, heading in of.items() if name != "train_samples"},
        tuple(
            Column(heading, _MACRO, where, write=decimal(2))
            for heading, where in cells.items()
            if where["data_set"] in own
        ),
        "Accuracy over images differs from it where classes have different numbers of images.",
    )
    views = (means, *_views_of_recomputed(rows, found.level), deviations, macro, *tests)
    frame = tidy(rows, _IDENTITY, ("value", "low", "high", "n", "p", "p_holm"))
    return Table("", "Table 4: recognition without training", frame, views)


def _ours(found: Results) -> Iterator[Row]:
    for model, name in {**found.names, **found.imported}.items():
        is_imported, baselines = model in found.imported, accuracies(found, model, _BASELINE)
        confidence, source = found.settings.confidence, RECOMPUTED if is_imported else OURS
        for mixture in (PRE_TRAINED, *MIXTURES) if is_imported else COMPARED_MIXTURES:
            place = {"model": model, "name": name, **of_training(found, mixture)}
            del place["counterfactual_samples"]  # in which this table has no column
            if is_imported and mixture != PRE_TRAINED:  # with how many samples others trained is not known
                place |= {"train_samples": "", "counterfactual_share": ""}
            macro = accuracies(found, model, mixture, lambda one: one.macro)
            over_images = recomputed(found, model, mixture)
            for data_set, by_seed in accuracies(found, model, mixture).items():
                other = baselines.get(data_set) if mixture not in (PRE_TRAINED, _BASELINE) else None
                seeds = "" if mixture == PRE_TRAINED else "one seed" if len(by_seed) == 1 else f"{len(by_seed)} seeds"
                of_set = {**place, "seeds": seeds, "data_set": data_set}
                rows = our_rows(of_set, _ACCURACY, by_seed, other, confidence, source=source)
                for row in our_rows(of_set, _MACRO, macro[data_set], None, confidence, source=source):
                    rows.append({**row, MEASURE: _MACRO if row[MEASURE] == _MACRO else _MACRO_DEVIATION})
                if data_set in over_images:
                    one, ends = over_images[data_set]
                    rows[0] |= {"low": round(ends.low, 4), "high": round(ends.high, 4)}
                    rows = [{**row, "n": one.images} if row[MEASURE] in (_ACCURACY, _MACRO) else row for row in rows]
                yield from rows


def _views_of_recomputed(rows: Sequence[Row], level: str) -> Iterator[View]:
    """A view of imported predictions, with intervals; none where there are none."""
    found = [row for row in rows if row["source"] == RECOMPUTED]
    if not found:
        return
    of = {"source": RECOMPUTED}
    yield View(
        f"Recomputed from predictions that others released: accuracy in percent, with {level} intervals over images, "
        "and over seeds where there are several.",
        {name: heading for name, heading in _TRAINED.items() if name != "source"}
        | {"seeds": "Seeds", "data_set": "Data set"},
        (
            Column("Accuracy", _ACCURACY, of, write=decimal(2), interval=True),
            Column("n", _ACCURACY, of, number="n"),
            Column("Mean over classes", _MACRO, of, write=decimal(2)),
        ),
        "n is the number of images, or of several seeds. Intervals over images are Wilson's; that of the mean is "
        "computed from those of the data sets. They tell how much depends on the choice of images, not how much "
        f"depends on the training. {_as_reported([row for row in found if row['mixture'] == PRE_TRAINED])}",
    )


def _as_reported(rows: Sequence[Row]) -> str:
    """A sentence: how many of the reported numbers of the pre-trained CLIP are those recomputed, to the last digit."""
    printed = {row["dataset"]: row["value"] for row in reported(4) if row["mixture"] == PRE_TRAINED}
    told = []
    for model in dict.fromkeys(row["name"] for row in rows):
        values = {row["data_set"]: row["value"] for row in rows if (row["name"], row[MEASURE]) == (model, _ACCURACY)}
        both = [name for name in printed if name in values]
        equal = sum(abs(float(printed[name]) - values[name]) <= 0.005 + 1e-9 for name in both)
        if both:
            told.append(f"{equal} of {len(both)} numbers of {model} are those reported for the pre-trained CLIP.")
    return " ".join(told)


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


TABLE: Made[Results] = Made(20, _table)
