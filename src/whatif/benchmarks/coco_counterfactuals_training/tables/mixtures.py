"""The sizes of the training sets beside the reported ones, and what leaks into training (B.3.1).

For each mixture, division and part: the number of samples, how many of them are counterfactual, and their share in
percent; beside them, what the paper reports about training sets (Tables 3, 11 and 12). For validation and test: the
share of counterfactual samples whose twin is in training, and of all samples whose photograph is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from whatif.benchmarks.coco_counterfactuals_training.reported import reported
from whatif.benchmarks.coco_counterfactuals_training.results import PUBLISHED_DIVISION, Results
from whatif.benchmarks.coco_counterfactuals_training.schemas import COUNTERFACTUAL, MIXTURES, TEST, TRAIN, VALIDATION
from whatif.engine.artifacts.pair_items import item_id, pair_and_side
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import Write, count, decimal
from whatif.results.reporting.precision import percent
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, View

SAMPLES, COUNTERFACTUALS, SHARE = "samples", "counterfactual samples", "share of counterfactual samples"
TWIN, PHOTOGRAPH = "twin in training", "photograph in training"


class _Sample(NamedTuple):
    """A row of `samples`, as far as the table needs it."""

    sample_id: str
    part: str
    is_counterfactual: bool
    photograph: str


def _rows(found: Results) -> Iterator[dict[str, Any]]:
    made: dict[tuple[str, str], list[_Sample]] = {}
    for row in found.task.rows("samples"):
        one = _Sample(row["sample_id"], row["part"], row["source"] == COUNTERFACTUAL, row["photograph"])
        made.setdefault((row["mixture"], row["division"]), []).append(one)
    printed = list(_reported())
    for mixture in MIXTURES:
        divisions = (division for of, division in made if of == mixture)
        for division in sorted(divisions, key=lambda one: one != PUBLISHED_DIVISION):
            place = {"mixture": mixture, "division": division, "source": OURS}
            samples = made[mixture, division]
            yield from ({**place, **row} for row in (*_sizes(samples), *_leaks(samples)))
        yield from (row for row in printed if row["mixture"] == mixture)


def _sizes(samples: list[_Sample]) -> Iterator[dict[str, Any]]:
    sizes = Counter(one.part for one in samples)
    counterfactuals = Counter(one.part for one in samples if one.is_counterfactual)
    for part in (TRAIN, VALIDATION, TEST):
        if size := sizes[part]:
            yield {"part": part, "measure": SAMPLES, "value": size}
            yield {"part": part, "measure": COUNTERFACTUALS, "value": counterfactuals[part]}
            yield {"part": part, "measure": SHARE, "value": percent(counterfactuals[part] / size), "n": size}


def _leaks(samples: list[_Sample]) -> Iterator[dict[str, Any]]:
    trained = {one.sample_id for one in samples if one.part == TRAIN}
    seen = {one.photograph for one in samples if one.part == TRAIN}
    for part in (VALIDATION, TEST):
        of_part = [one for one in samples if one.part == part]
        twins = [_twin(one.sample_id) in trained for one in of_part if one.is_counterfactual]
        photographs = [one.photograph in seen for one in of_part]
        for measure, found in ((TWIN, twins), (PHOTOGRAPH, photographs)):
            if found:
                share = percent(sum(found) / len(found))
                yield {"part": part, "measure": measure, "value": share, "n": len(found)}


def _twin(sample_id: str) -> str:
    pair_id, side = pair_and_side(sample_id)
    return item_id(pair_id, 1 - side)


def _reported() -> Iterator[dict[str, Any]]:
    """What the paper reports about the training sets, each number once."""
    for table, column, measure in (
        (3, "n_train", SAMPLES),
        (11, "n_train", SAMPLES),
        (12, "n_train_cf", COUNTERFACTUALS),
        (11, "n_train_cf", COUNTERFACTUALS),
        (3, "pct_cf", SHARE),
    ):
        for mixture, text in {row["mixture"]: row[column] for row in reported(table)}.items():
            place = {"mixture": mixture, "division": PUBLISHED_DIVISION, "part": TRAIN, "source": REPORTED}
            yield {**place, "measure": measure, "value": float(text), PUBLISHED: text}


_ROWS = {"mixture": "Training set", "division": "Division"}


def _beside(heading: str, measure: str, write: Write) -> tuple[Column, Column]:
    """Ours beside the reported number of training samples."""
    return (
        Column(heading, measure, {"part": TRAIN, "source": OURS}, write=write),
        Column("Reported", measure, {"part": TRAIN, "source": REPORTED}, write=write),
    )


TABLE: Declared[Results] = Declared(
    position=70,
    title="Training sets (B.3.1)",
    identity=("mixture", "division", "part", "source", "measure", PUBLISHED),
    numbers=("value", "n"),
    rows=_rows,
    views=lambda found: (
        View(
            "Training samples (COCO-Counterfactuals B.3.1, A.1, A.4), beside the numbers of Tables 3, 11 and 12.",
            _ROWS,
            (
                *_beside("Samples", SAMPLES, count),
                *_beside("Counterfactual", COUNTERFACTUALS, count),
                *_beside("In %", SHARE, decimal(1)),
            ),
            "Train and validation are divided at random, so the number of counterfactual samples in training varies by "
            "a few. The paper reports 20,894 of them for medium in one place and 20,892, which is exactly 80%, in "
            "another.",
        ),
        View(
            "Samples for validation and test, and the share of them whose twin, or whose photograph, is in training.",
            {**_ROWS, "part": "Part"},
            (
                Column("Samples", PHOTOGRAPH, {"source": OURS}, number="n"),
                Column("Twin (%)", TWIN, {"source": OURS}),
                Column("Photograph (%)", PHOTOGRAPH, {"source": OURS}),
            ),
            "Twins are the two samples of a pair; their share is that of counterfactual samples. Samples have the same "
            "photograph if they are an original about it, another caption of it, or a pair made from one of its "
            "captions.",
        ),
    ),
)
