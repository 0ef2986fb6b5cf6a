"""What can be recomputed of COCO-Counterfactuals' reported tables about training: means, gains, significance, sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from whatif.benchmarks.coco_counterfactuals_training import claims_in_text
from whatif.benchmarks.coco_counterfactuals_training.claim_cells import (
    COLUMNS,
    DIRECTIONS,
    MEAN,
    MIXTURES,
    PHOTOGRAPHS,
    PRE_TRAINED,
    RECALLS,
    SEEDS,
    over_seeds,
    recognition_cells,
    retrieval_cells,
    withheld_cells,
)
from whatif.results.contradictions import DOES_NOT_HOLD, Claim, Outcome
from whatif.results.contradictions.formulas import at_most, equals, not_checkable, ordered
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import Quantity, exactly, mean
from whatif.results.contradictions.significance import better_over_seeds
from whatif.results.reporting.published_numbers import published

_claim = partial(Claim, "COCO-Counterfactuals")


def claims() -> Iterator[Claim]:
    """All claims about training, in the order of the tables."""
    retrieval = {number: retrieval_cells(number) for number in ("3", "12", "11")}
    recognition = recognition_cells()
    yield from _retrieval("3", retrieval["3"])
    yield from _recognition(recognition)
    yield from _withheld()
    yield from _changes(recognition)
    yield from _retrieval("11", retrieval["11"])
    yield from _retrieval("12", retrieval["12"])
    for number in ("3", "12"):
        yield from _seeds(number, retrieval[number], [*COLUMNS, MEAN], MEAN)
    yield from _seeds("4", recognition, [(name,) for name in recognition.names(2)], ("mean",))
    yield from claims_in_text.claims(retrieval, recognition)


def _retrieval(number: str, cells: Cells) -> Iterator[Claim]:
    """Recalls rise with k, and the mean is that of the six."""
    for row in dict.fromkeys(key[:2] for key in cells):
        name = _name(row)
        yield from _recalls(f"Table {number}", cells, row, name)
        six = [cells.q(*row, *column) for column in COLUMNS]
        found = equals(cells[(*row, *MEAN)], mean(six), "the mean of the six recalls")
        yield _claim(f"Table {number}", f"{name}, mean", "mean", found)


def _recalls(place: str, cells: Cells, row: tuple[str, ...], name: str) -> Iterator[Claim]:
    for direction in DIRECTIONS:
        values = [cells.q(*row, direction, recall) for recall in RECALLS]
        found = ordered(values, "recalls at 1, 5 and 10")
        yield _claim(place, f"{name}, {direction.replace('-', ' ')}", "order", found)


def _recognition(cells: Cells) -> Iterator[Claim]:
    datasets = [name for name in cells.names(2) if name != "mean"]
    for row in dict.fromkeys(key[:2] for key in cells):
        values = {name: cells.q(*row, name) for name in datasets}
        reported, what = cells[(*row, "mean")], "the mean of the six data sets"
        found = equals(reported, mean(values.values()), what)
        if found.verdict == DOES_NOT_HOLD:
            found = equals(reported, mean(values.values()), what, _explained(cells, row, values))
        yield _claim("Table 4", f"{_name(row)}, mean", "mean", found, "means of table 4")


def _explained(cells: Cells, row: tuple[str, ...], values: Mapping[str, Quantity]) -> str:
    """Which number of Table 4 would have to be what Table 6 says so that the mean is right; empty if none."""
    table6 = Cells(published(__package__, "table6"), "dataset", "train_variant", "metric")
    for name in values:
        if (name, _name(row), "accuracy_change") in table6:
            other = cells[(*PRE_TRAINED, name)].value + table6[name, _name(row), "accuracy_change"].value
            right = mean({**values, name: exactly(other)}.values())
            if values[name].nominal != other and cells[(*row, "mean")].is_rounded(right.nominal):
                return f"{float(other):.2f} on {name}, which table 6 gives, would make it right"
    return ""


def _withheld() -> Iterator[Claim]:
    """Table 5, and the gains that A.1 and 4.2.3 take from it."""
    cells = withheld_cells()
    for row in dict.fromkeys(key[:2] for key in cells):
        name = ", ".join(row).replace("none", "pre-trained")
        yield from _recalls("Table 5", cells, row, name)
        six = [cells.q(*row, *column) for column in COLUMNS]
        found = equals(cells[(*row, *MEAN)], mean(six), "the mean of the six recalls")
        yield _claim("Table 5", f"{name}, mean", "mean", found)


def _changes(cells: Cells) -> Iterator[Claim]:
    """Table 6 against Table 4: accuracies minus those of the pre-trained model."""
    table6 = Cells(published(__package__, "table6"), "dataset", "train_variant", "metric")
    for dataset, variant, metric in table6:
        if metric != "accuracy_change":
            continue
        change = cells.q(*MIXTURES[variant], dataset) - cells.q(*PRE_TRAINED, dataset)
        found = equals(table6[dataset, variant, metric], change, "the difference in table 4")
        yield _claim("Table 6", f"{dataset}, {variant}", "difference", found, "table 6 from table 4")


def _seeds(number: str, cells: Cells, columns: list[tuple[str, ...]], mean_column: tuple[str, ...]) -> Iterator[Claim]:
    """Deviations and marks: an underline says that the gain over photographs is significant (Table 3)."""
    for mixture, row in {"photographs": PHOTOGRAPHS, **MIXTURES}.items():
        deviations = [cells.deviation(*row, *column).quantity for column in columns if column != mean_column]
        most = mean(deviations)
        value = cells.deviation(*row, *mean_column).quantity
        found = at_most("at most the mean deviation", most, value, "the standard deviation of the mean")
        yield _claim(f"Table {number}", f"{mixture}, mean", "bounds", found)
        if row == PHOTOGRAPHS:
            continue
        for column in columns:
            cell = f"{mixture}, {' '.join(column).replace('-', ' ')}"
            yield _claim(f"Table {number}", cell, "significance", _marked(cells, row, column), "underlined gains")


def _marked(cells: Cells, row: tuple[str, ...], column: tuple[str, ...]) -> Outcome:
    key, before = (*row, *column), (*PHOTOGRAPHS, *column)
    mark = cells.row(key)["mark"]
    if mark == "column-best":
        return not_checkable("bold", "bold and underline were lost in the transcription of the best number of a column")
    new, old = over_seeds(cells, *key), over_seeds(cells, *before)
    return better_over_seeds(new, old, SEEDS, significant=mark == "underlined")


def _name(row: tuple[str, ...]) -> str:
    if row == PRE_TRAINED:
        return "pre-trained"
    if row == PHOTOGRAPHS:
        return "photographs"
    return next((name for name, of in MIXTURES.items() if of == row), "correct")
