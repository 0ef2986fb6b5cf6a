"""The table of training sets has the printed sizes beside ours, and the share of samples that leak into training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.benchmarks.coco_counterfactuals_training.mixing_task import Mixed, Row, original, pair
from tests.benchmarks.coco_counterfactuals_training.trained import inputs, made_table, results
from tests.frames import check, has, printed, value
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES, TEST, TRAIN, VALIDATION
from whatif.benchmarks.coco_counterfactuals_training.tables.mixtures import (
    COUNTERFACTUALS,
    PHOTOGRAPH,
    SAMPLES,
    SHARE,
    TWIN,
)
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import Table

PACKAGE = "whatif.benchmarks.coco_counterfactuals_training"


def table_of(rows: Sequence[Row]) -> Table:
    return made_table("mixtures", results({}, task=inputs(samples=rows)))


def samples(mixture: str, division: str, of: dict[str, tuple[str, str]]) -> list[Row]:
    """Rows of `samples`, from sample -> (part, photograph); ids that end with -0 or -1 are counterfactual."""
    return [
        {
            "mixture": mixture,
            "division": division,
            "sample_id": sample_id,
            "part": part,
            "source": "counterfactual" if sample_id[-2:] in ("-0", "-1") else "original",
            "photograph": photograph,
        }
        for sample_id, (part, photograph) in of.items()
    ]


ROWS = samples(
    "base",
    "published",
    {
        "a": (TRAIN, "A"),
        "a-0": (TRAIN, "A"),
        "a-1": (VALIDATION, "A"),  # its twin is in training
        "b": (VALIDATION, "B"),
        "b-0": (VALIDATION, "B"),
        "c": (VALIDATION, "A"),  # another caption of photograph A
        "d-0": (TEST, "A"),
        "d-1": (TEST, "A"),
    },
) + samples("base", "leak-free", {"a": (TRAIN, "A"), "a-0": (TRAIN, "A"), "b": (VALIDATION, "B")})


def test_sizes_and_leaks_are_counted_by_division() -> None:
    table = table_of(ROWS)
    check(table)
    ours = {"mixture": "base", "division": "published", "source": "ours"}
    assert [value(table, **ours, part=part, measure=SAMPLES) for part in (TRAIN, VALIDATION, TEST)] == [2, 4, 2]
    assert [value(table, **ours, part=part, measure=COUNTERFACTUALS) for part in (TRAIN, TEST)] == [1, 2]
    assert value(table, **ours, part=TRAIN, measure=SHARE) == 50
    assert value(table, **ours, part=VALIDATION, measure=TWIN) == 50  # a-1, and not b-0
    assert value(table, **ours, part=VALIDATION, measure=PHOTOGRAPH) == 50  # a-1 and c of four
    assert value(table, **ours, part=TEST, measure=TWIN) == 0
    assert value(table, **ours, part=TEST, measure=PHOTOGRAPH) == 100
    free = {"mixture": "base", "division": "leak-free", "source": "ours"}
    assert value(table, **free, part=VALIDATION, measure=PHOTOGRAPH) == 0
    assert not has(table, **free, part=VALIDATION, measure=TWIN)  # no counterfactual sample
    assert not has(table, **free, part=TEST)
    assert [tuple(row.values()) for row in printed(table, 1) if row["Training set"] == "base"] == [
        ("base", "published", "validation", "4", "50.0", "50.0"),
        ("base", "published", "test", "2", "0.0", "100.0"),
        ("base", "leak-free", "validation", "1", "", "0.0"),
    ]


def test_the_reported_sizes_are_beside_ours() -> None:
    table = table_of(ROWS)
    rows = {(row["Training set"], row["Division"]): row for row in printed(table)}
    assert list(rows) == [
        ("ms-coco", "published"),
        ("base", "published"),
        ("base", "leak-free"),
        ("medium", "published"),
        ("all", "published"),
        ("correct", "published"),
    ]
    assert rows["base", "published"]["Samples"] == "2"
    reported = {"division": "published", "source": "reported", "part": TRAIN}
    assert {
        mixture: [
            value(table, mixture=mixture, measure=measure, **reported)
            if has(table, mixture=mixture, measure=measure, **reported)
            else None
            for measure in (SAMPLES, COUNTERFACTUALS, SHARE)
        ]
        for mixture in MIXTURES[:5]
    } == {
        "ms-coco": [13_928, 0, 0],
        "base": [13_928, 6_939, 50],
        "medium": [34_820, 20_894, 60],
        "all": [41_784, 27_853, 67],
        "correct": [34_313, 20_385, None],
    }


def test_tables_3_and_12_are_about_the_same_training_sets() -> None:
    sets = [{(row["train_set"], row["n_train"]) for row in published(PACKAGE, f"table{n}")} for n in (3, 12)]
    assert sets[0] == sets[1]


def test_a_division_without_a_leak_has_none_and_the_published_one_does(folder: Path) -> None:
    numbers = range(300)
    given = {
        "pairs": [pair(f"p{n}") for n in numbers],
        "originals": [original(f"p{n}", f"photograph {n // 3}") for n in numbers],
    }
    mixtures = ["all", "withheld-counterfactuals", "withheld-ms-coco"]
    table = table_of(Mixed(folder, given, mixtures=mixtures, leak_free=mixtures).samples)
    check(table)
    frame = table.frame[table.frame["measure"].isin([TWIN, PHOTOGRAPH])]
    assert set(frame[frame["division"] == "leak-free"]["value"]) == {0}
    leaks = {"division": "published", "source": "ours"}
    assert value(table, mixture="all", part=VALIDATION, measure=TWIN, **leaks) == pytest.approx(80, abs=8)
    assert (value(table, mixture="all", part=VALIDATION, measure=PHOTOGRAPH, **leaks) or 0) > 99
    assert value(table, mixture="withheld-counterfactuals", part=TEST, measure=TWIN, **leaks) == 0
    assert (value(table, mixture="withheld-ms-coco", part=TEST, measure=PHOTOGRAPH, **leaks) or 0) > 80
