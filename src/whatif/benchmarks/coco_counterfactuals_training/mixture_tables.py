"""The table `mixtures`: the sizes of the training sets beside the reported ones, and what leaks into training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from whatif.benchmarks.coco_counterfactuals_training.schemas import (
    COUNTERFACTUAL,
    MIXTURES,
    TEST,
    TRAIN,
    VALIDATION,
    Mixture,
)
from whatif.engine.artifacts.pair_items import item_id, pair_and_side
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import percent
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, Table, View, tidy

# The training sets of Tables 3, 11 and 12, which name them by what they are made of and by their size.
_REPORTED_SETS: Mapping[tuple[str, str], Mixture] = {
    ("MS-COCO", "13928"): "ms-coco",
    ("MS-COCO + COCO-CFs", "13928"): "base",
    ("MS-COCO + COCO-CFs", "34820"): "medium",
    ("MS-COCO + COCO-CFs", "41784"): "all",
    ("MS-COCO + COCO-CFs", "34313"): "correct",
}
_DIVISION = "published"  # that of the reported training sets
_PLACES = ("mixture", "division", "part", "source", "measure", PUBLISHED)
SAMPLES, COUNTERFACTUALS, SHARE = "samples", "counterfactual samples", "share of counterfactual samples"
TWIN, PHOTOGRAPH = "twin in training", "photograph in training"


class _Sample(NamedTuple):
    """A row of `samples`, as far as the table needs it."""

    sample_id: str
    part: str
    is_counterfactual: bool
    photograph: str


def mixtures_table(samples: Iterable[Mapping[str, Any]]) -> Table:
    """The table `mixtures`, from rows of `samples`.

    For each mixture, division and part: the number of samples, how many of them are counterfactual, and their share in
    percent; beside them, what the paper reports about training sets (Tables 3, 11 and 12). For validation and test:
    the share of counterfactual samples whose twin is in training, and of all samples whose photograph is.
    """
    made: dict[tuple[str, str], list[_Sample]] = {}
    for row in samples:
        one = _Sample(row["sample_id"], row["part"], row["source"] == COUNTERFACTUAL, row["photograph"])
        made.setdefault((row["mixture"], row["division"]), []).append(one)
    reported = list(_reported())
    rows: list[dict[str, Any]] = []
    for mixture in MIXTURES:
        divisions = sorted((division for of, division in made if of == mixture), key=lambda one: one != _DIVISION)
        for division in divisions:
            place = {"mixture": mixture, "division": division, "source": OURS}
            found = made[mixture, division]
            rows += [{**place, **row} for row in (*_sizes(found), *_leaks(found))]
        rows += [row for row in reported if row["mixture"] == mixture]
    frame = tidy(rows, _PLACES, ("value", "n"))
    return Table("mixtures", "Training sets (B.3.1)", frame, (_sizes_view(), _leaks_view()))


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
    columns = (
        ("table3", "n_train", SAMPLES),
        ("table11", "n_train", SAMPLES),
        ("table12", "n_train_cf", COUNTERFACTUALS),
    )
    more = (("table11", "n_train_cf", COUNTERFACTUALS), ("table3", "pct_cf", SHARE))
    for table, column, measure in (*columns, *more):
        sets = {(row["train_set"], row["n_train"]): row[column] for row in published(__package__, table)}
        for key, text in sets.items():
            if key in _REPORTED_SETS:
                place = {"mixture": _REPORTED_SETS[key], "division": _DIVISION, "part": TRAIN, "source": REPORTED}
                yield {**place, "measure": measure, "value": float(text), PUBLISHED: text}


_ROWS = {"mixture": "Training set", "division": "Division"}


def _sizes_view() -> View:
    def beside(heading: str, measure: str, places: int) -> tuple[Column, Column]:
        write = decimal(places) if places else count
        return (
            Column(heading, measure, {"part": TRAIN, "source": OURS}, write=write),
            Column("Reported", measure, {"part": TRAIN, "source": REPORTED}, write=write),
        )

    return View(
        "Training samples (COCO-Counterfactuals B.3.1, A.1, A.4), beside the numbers of Tables 3, 11 and 12.",
        _ROWS,
        (
            *beside("Samples", SAMPLES, 0),
            *beside("Counterfactual", COUNTERFACTUALS, 0),
            *beside("In %", SHARE, 1),
        ),
        "Train and validation are divided at random, so the number of counterfactual samples in training varies by a "
        "few. The paper reports 20,894 of them for medium in one place and 20,892, which is exactly 80%, in another.",
    )


def _leaks_view() -> View:
    return View(
        "Samples for validation and test, and the share of them whose twin, or whose photograph, is in training.",
        {**_ROWS, "part": "Part"},
        (
            Column("Samples", PHOTOGRAPH, {"source": OURS}, number="n"),
            Column("Twin (%)", TWIN, {"source": OURS}),
            Column("Photograph (%)", PHOTOGRAPH, {"source": OURS}),
        ),
        "Twins are the two samples of a pair; their share is that of counterfactual samples. Samples have the same "
        "photograph if they are an original about it, another caption of it, or a pair made from one of its captions.",
    )
