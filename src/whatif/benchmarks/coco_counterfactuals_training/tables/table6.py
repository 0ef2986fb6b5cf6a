"""Table 6: changes of accuracy beside how often labels are altered subjects, and Pearson's r of the two (A.2).

Measures: `label frequency` by rule; `change` of accuracy against the checkpoint as it was, in points, by mixture (the
mean over seeds); and `correlation` over data sets and mixtures, by rule of the frequency. Imported predictions have the
source `recomputed`, and the frequencies of their own classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from whatif.benchmarks.coco_counterfactuals_training.label_frequency import Rule, label_frequency
from whatif.benchmarks.coco_counterfactuals_training.recognition import accuracies, data_set_names
from whatif.benchmarks.coco_counterfactuals_training.reported import reported
from whatif.benchmarks.coco_counterfactuals_training.results import MEAN, Results
from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import Row, mean_row
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.precision import as_measured, p_number
from whatif.results.reporting.table import MEASURE, OURS, PUBLISHED, RECOMPUTED, REPORTED, Column, View
from whatif.scoring.statistics.seed_tests import correlation, over_seeds

_FREQUENCY, _CHANGE, _CORRELATION = "label frequency", "change", "correlation"
_RULES: tuple[Rule, ...] = ("published", "ours")
_MIXTURES = ("base", "medium", "all")
_OF = {"model": "", "name": "Model", "source": "From"}


def _rows(found: Results) -> Iterator[Row]:
    yield from _reported(found.settings.confidence)
    for models, role, source in (
        (found.names, "classes", OURS),
        (found.imported, "imported-classes", RECOMPUTED),
    ):
        frequencies = _frequencies(found, role) if models else {}
        for model, name in models.items():
            of = {"model": model, "name": name, "source": source}
            yield from ({**of, **row} for row in _of_model(found, model, frequencies))


def _frequencies(found: Results, role: str) -> dict[tuple[str, Rule], int]:
    """By name of the data set and rule. Of several names of a class, the first counts, in the form of a caption."""
    labels: dict[str, dict[str, None]] = {}
    for row in found.task.rows(role):
        labels.setdefault(row["data_set"], {})[row["name"].split(",", maxsplit=1)[0].replace("_", " ")] = None
    names = data_set_names(labels)
    return {
        (names[key], rule): label_frequency(found.pairs, [*of_set], rule)
        for key, of_set in labels.items()
        for rule in _RULES
    }


def _reported(confidence: float) -> Iterator[Row]:
    frequencies: dict[str, float] = {}
    changes: list[tuple[str, float]] = []
    of = {"name": "CLIP", "source": REPORTED}
    for row in reported(6):
        value = float(row["value"])
        place = {**of, "data_set": row["dataset"], "value": value, PUBLISHED: row["value"]}
        if row["metric"] == "label_frequency":
            frequencies[row["dataset"]] = value
            yield {**place, "rule": "published", MEASURE: _FREQUENCY}
        else:
            changes.append((row["dataset"], value))
            yield {**place, "mixture": row["mixture"], MEASURE: _CHANGE}
    both = [(frequencies[one], value) for one, value in changes]
    yield from ({**of, **row} for row in _correlation("published", both, confidence))


def _of_model(found: Results, model: str, frequencies: Mapping[tuple[str, Rule], int]) -> Iterator[Row]:
    confidence, before = found.settings.confidence, accuracies(found, model, PRE_TRAINED)
    changes: list[tuple[str, float]] = []
    for mixture in _MIXTURES:
        for data_set, by_seed in accuracies(found, model, mixture).items():
            if data_set != MEAN and (start := before.get(data_set)):
                (as_it_was,) = start.values()
                mean = over_seeds([value - as_it_was for value in by_seed.values()], confidence)
                yield {"data_set": data_set, "mixture": mixture, MEASURE: _CHANGE, **mean_row(mean)}
                changes.append((data_set, mean.mean))
    for (data_set, rule), number in frequencies.items():
        if any(data_set == one for one, _ in changes):
            yield {"data_set": data_set, "rule": rule, MEASURE: _FREQUENCY, "value": float(number)}
    for rule in _RULES:
        both = [(float(frequencies[one, rule]), value) for one, value in changes if (one, rule) in frequencies]
        yield from _correlation(rule, both, confidence)


def _correlation(rule: Rule, both: Sequence[tuple[float, float]], confidence: float) -> Iterator[Row]:
    found = correlation([one for one, _ in both], [other for _, other in both], confidence)
    if found is not None:
        r, p = found
        yield {"rule": rule, MEASURE: _CORRELATION, **as_measured(r), "n": len(both), "p": p_number(p)}


def _changes(source: Mapping[str, str], *, interval: bool = False) -> tuple[Column, ...]:
    return tuple(
        Column(one.capitalize(), _CHANGE, {"mixture": one, **source}, write=signed(2), interval=interval)
        for one in _MIXTURES
    )


def _views(found: Results) -> tuple[View, ...]:
    sources = {OURS: "Our changes"}
    if found.imported:
        sources[RECOMPUTED] = "Changes recomputed from imported predictions"
    return (
        View(
            "How often labels are altered subjects, and the change of accuracy against the checkpoint as it was, in "
            "points (COCO-Counterfactuals Table 6).",
            {**_OF, "data_set": "Data set"},
            (
                Column("Frequency", _FREQUENCY, {"rule": "published"}, write=count),
                Column("Ours", _FREQUENCY, {"rule": "ours"}, write=count),
                *_changes({}),
            ),
            "Frequency: by the rule behind the paper's numbers. Ours: pairs with a label among their altered subjects. "
            f"{_contradictions()}",
        ),
        *(
            View(
                f"{whose} in points, with {found.level} t intervals over seeds.",
                {**_OF, "data_set": "Data set"},
                _changes({"source": source}, interval=True),
                "With one seed, there is no interval.",
            )
            for source, whose in sources.items()
        ),
        View(
            f"Pearson's r of frequency and change over data sets and mixtures, with {found.level} intervals.",
            {**_OF, "rule": "Frequency by"},
            (
                Column("r", _CORRELATION, write=decimal(3), interval=True),
                Column("p", _CORRELATION, number="p"),
                Column("n", _CORRELATION, number="n"),
            ),
            "Points of a data set are not independent, as this test supposes: its mixtures share the frequency and the "
            "images.",
        ),
    )


def _contradictions() -> str:
    """A sentence: which reported changes do not follow from the reported accuracies."""
    found = {(row["dataset"], row["mixture"]): float(row["value"]) for row in reported(4)}
    changes = [row for row in reported(6) if row["metric"] != "label_frequency"]
    wrong = []
    for row in changes:
        given = found[row["dataset"], row["mixture"]] - found[row["dataset"], PRE_TRAINED]
        if abs(given - float(row["value"])) > 0.0101:  # both accuracies and the change are rounded
            wrong.append(f"{row['dataset']} {row['mixture']} {row['value']} (Table 4: {given:+.2f})")
    return f"{len(wrong)} of the {len(changes)} reported changes do not follow from Table 4: {' and '.join(wrong)}."


TABLE: Declared[Results] = Declared(
    position=40,
    title="Table 6: accuracy and label frequency",
    identity=("model", "name", "source", "data_set", "mixture", "rule", MEASURE, PUBLISHED),
    numbers=("value", "low", "high", "n", "p"),
    rows=_rows,
    views=_views,
)
