"""Table 6 of COCO-Counterfactuals: changes of accuracy beside how often labels are altered subjects, and their r."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.coco_counterfactuals_training.label_frequency import Rule, label_frequency
from whatif.benchmarks.coco_counterfactuals_training.recognition_tables import (
    MEAN,
    accuracies,
    data_set_names,
    models_of,
)
from whatif.benchmarks.coco_counterfactuals_training.reported import reported
from whatif.benchmarks.coco_counterfactuals_training.results import Results
from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import Row
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.precision import as_measured, p_number
from whatif.results.reporting.table import MEASURE, OURS, PUBLISHED, RECOMPUTED, REPORTED, Column, Table, View, tidy
from whatif.scoring.statistics.seed_tests import correlation, over_seeds

FREQUENCY, CHANGE, CORRELATION = "label frequency", "change", "correlation"
RULES: tuple[Rule, ...] = ("published", "ours")
_MIXTURES = ("base", "medium", "all")
_IDENTITY = ("model", "name", "source", "data_set", "mixture", "rule", MEASURE, PUBLISHED)
_NUMBERS = ("value", "low", "high", "n", "p")


def table6(
    results: Results,
    pairs: Iterable[Mapping[str, Any]],
    classes: Mapping[str, Sequence[str]],
    imported_classes: Mapping[str, Sequence[str]] | None = None,
) -> Table:
    """Table 6: label frequencies, changes of accuracy against the checkpoint as it was, and Pearson's r of the two.

    `classes` has the names of the classes of each data set, and `imported_classes` those of imported predictions, which
    may be others. Measures: `label frequency` by rule, `change` in points by mixture (the mean over seeds), and
    `correlation` over data sets and mixtures, by rule of the frequency. Imported predictions have the source
    `recomputed`.
    """
    chosen = list(pairs)
    own = {model: name for model, name in models_of(results).items() if model in results.names}
    imported = {model: name for model, name in models_of(results).items() if model not in results.names}
    ours = [
        row
        for models, of_sets in ((own, classes), (imported, imported_classes or {}))
        if models
        for row in _ours(results, models, _frequencies(chosen, of_sets))
    ]
    rows = [*_reported(results.confidence), *ours]
    views = _views(results.level, has_imported=bool(imported))
    return Table("table6", "Table 6: accuracy and label frequency", tidy(rows, _IDENTITY, _NUMBERS), views)


def _frequencies(
    pairs: Sequence[Mapping[str, Any]], classes: Mapping[str, Sequence[str]]
) -> dict[tuple[str, Rule], int]:
    names = data_set_names(list(classes))
    return {
        (names[key], rule): label_frequency(pairs, [*dict.fromkeys(map(_first, of_set))], rule)
        for key, of_set in classes.items()
        for rule in RULES
    }


def _first(name: str) -> str:
    """The first of several names, in the form of a caption."""
    return name.split(",", maxsplit=1)[0].replace("_", " ")


def _reported(confidence: float) -> Iterator[Row]:
    frequencies: dict[str, float] = {}
    changes: list[tuple[str, float]] = []
    for row in reported(6):
        value, is_count = float(row["value"]), row["metric"] == "label_frequency"
        place = {"name": "CLIP", "source": REPORTED, "data_set": row["dataset"], PUBLISHED: row["value"]}
        if is_count:
            frequencies[row["dataset"]] = value
            yield {**place, "rule": "published", MEASURE: FREQUENCY, "value": value}
        else:
            changes.append((row["dataset"], value))
            yield {**place, "mixture": row["mixture"], MEASURE: CHANGE, "value": value}
    place = {"name": "CLIP", "source": REPORTED, "rule": "published"}
    yield from _correlation(place, [(frequencies[one], value) for one, value in changes], confidence)


def _ours(results: Results, models: Mapping[str, str], frequencies: Mapping[tuple[str, Rule], int]) -> Iterator[Row]:
    for model, name in models.items():
        of = {"model": model, "name": name, "source": OURS if model in results.names else RECOMPUTED}
        before = accuracies(results, model, PRE_TRAINED)
        changes: list[tuple[str, float]] = []
        rows: list[Row] = []
        for mixture in _MIXTURES:
            for data_set, by_seed in accuracies(results, model, mixture).items():
                if data_set == MEAN or not (start := before.get(data_set)):
                    continue
                (as_it_was,) = start.values()
                found = over_seeds([value - as_it_was for value in by_seed.values()], results.confidence)
                ends = as_measured(found.interval) or {"value": round(found.mean, 4)}
                place = {**of, "data_set": data_set, "mixture": mixture}
                rows.append({**place, MEASURE: CHANGE, **ends, "n": found.seeds})
                changes.append((data_set, found.mean))
        for data_set, rule in frequencies:
            if any(data_set == one for one, _ in changes):
                value = frequencies[data_set, rule]
                rows.append({**of, "data_set": data_set, "rule": rule, MEASURE: FREQUENCY, "value": float(value)})
        yield from rows
        for rule in RULES:
            both = [(float(frequencies[one, rule]), value) for one, value in changes if (one, rule) in frequencies]
            yield from _correlation({**of, "rule": rule}, both, results.confidence)


def _correlation(place: Mapping[str, str], both: Sequence[tuple[float, float]], confidence: float) -> Iterator[Row]:
    found = correlation([one for one, _ in both], [other for _, other in both], confidence)
    if found is not None:
        r, p = found
        yield {**place, MEASURE: CORRELATION, **as_measured(r), "n": len(both), "p": p_number(p)}


def _views(level: str, *, has_imported: bool) -> tuple[View, ...]:
    of = {"model": "", "name": "Model", "source": "From"}
    frequencies = tuple(
        Column("Frequency" if rule == "published" else "Ours", FREQUENCY, {"rule": rule}, write=count) for rule in RULES
    )
    changes = tuple(
        Column(mixture.capitalize(), CHANGE, {"mixture": mixture}, write=signed(2)) for mixture in _MIXTURES
    )
    return (
        View(
            "How often labels are altered subjects, and the change of accuracy against the checkpoint as it was, in "
            "points (COCO-Counterfactuals Table 6).",
            {**of, "data_set": "Data set"},
            (*frequencies, *changes),
            "Frequency: by the rule behind the paper's numbers. Ours: pairs with a label among their altered subjects. "
            f"{_contradictions()}",
        ),
        *(
            View(
                f"{whose} in points, with {level} t intervals over seeds.",
                {**of, "data_set": "Data set"},
                tuple(
                    Column(one.heading, CHANGE, {**one.where, "source": source}, write=signed(2), interval=True)
                    for one in changes
                ),
                "With one seed, there is no interval.",
            )
            for source, whose in ((OURS, "Our changes"), (RECOMPUTED, "Changes recomputed from imported predictions"))
            if source == OURS or has_imported
        ),
        View(
            f"Pearson's r of frequency and change over data sets and mixtures, with {level} intervals.",
            {**of, "rule": "Frequency by"},
            (
                Column("r", CORRELATION, write=decimal(3), interval=True),
                Column("p", CORRELATION, number="p"),
                Column("n", CORRELATION, number="n"),
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
