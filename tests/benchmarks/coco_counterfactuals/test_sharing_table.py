"""The numbers of Figure 2: paired means with and without Prompt-to-Prompt, with intervals by photograph."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.frames import check, printed, row, value
from whatif.benchmarks.coco_counterfactuals.tables.figure2 import SIMILARITIES, sharing_table
from whatif.scoring.statistics import mean_interval

SETTINGS = SimpleNamespace(confidence=0.95)
WITH = (0.9, 0.8, 0.85, 0.95)
WITHOUT = (0.5, 0.6, 0.55, 0.7)


def pair(number: int, similarity: float) -> dict[str, Any]:
    return {"pair_id": f"p{number}", **dict.fromkeys(SIMILARITIES, 0.3), "image_image": similarity}


PAIRS = [pair(number, similarity) for number, similarity in enumerate(WITH)]
ALONE = [pair(number, similarity) for number, similarity in enumerate(WITHOUT)]


def test_means_and_the_paired_difference() -> None:
    found = sharing_table([*PAIRS, pair(9, 0.1)], ALONE, {}, SETTINGS)
    of = {"of": "both images"}
    assert value(found, measure="with", **of) == pytest.approx(0.875)
    assert value(found, measure="without", **of) == pytest.approx(0.5875)
    difference = row(found, measure="difference", **of)
    expected = mean_interval([one - other for one, other in zip(WITH, WITHOUT, strict=True)])
    assert [difference[name] for name in ("value", "low", "high")] == pytest.approx(
        [expected.estimate, expected.low, expected.high], abs=1e-6
    )
    assert (difference["n"], value(found, measure="pairs")) == (4, 4)
    assert [one["Similarity of"] for one in printed(found)] == list(SIMILARITIES.values())
    assert printed(found)[0]["Difference"].startswith("+0.287")
    check(found)


def test_pairs_of_a_photograph_are_one_cluster() -> None:
    photographs = {"p0": "one", "p1": "one", "p2": "two", "p3": "three"}
    found = row(sharing_table(PAIRS, ALONE, photographs, SETTINGS), of="both images", measure="with")
    expected = mean_interval(WITH, ["one", "one", "two", "three"])
    assert (found["low"], found["high"]) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_one_pair_has_no_interval_and_none_has_no_mean() -> None:
    found = sharing_table(PAIRS, ALONE[:1], {}, SETTINGS)
    assert printed(found)[0]["With"] == "0.900"
    check(found)
    none = sharing_table(PAIRS, [], {}, SETTINGS)
    assert value(none, measure="pairs") == 0
    assert set(none.frame["measure"]) == {"pairs"}
    check(none)
