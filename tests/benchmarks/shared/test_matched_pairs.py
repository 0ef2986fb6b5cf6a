"""The standard measures of a matcher's choices, from scores whose numbers can be counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frames import check, row, value
from whatif.benchmarks.shared.matched_pairs import CAPTION, IMAGE, choices, matched_pairs
from whatif.benchmarks.shared.pair_choices import found as choices_found
from whatif.results.reporting.paired import (
    CONSISTENCY,
    COUNTERFACTUAL,
    EXTRACTION_RATE,
    IGNORED,
    ORIGINAL,
    PAIR_ACCURACY,
)
from whatif.results.reporting.paired_answers import ALL
from whatif.results.reporting.table import DROP
from whatif.scoring.statistics import clustered_share, wilson


def match(pair: str, *scores: float | None, model: str = "m") -> dict[str, Any]:
    """Scores of caption 0 with images 0 and 1, then of caption 1."""
    names = [f"caption_{caption}_image_{image}" for caption in (0, 1) for image in (0, 1)]
    status = "error" if None in scores else "ok"
    return {"pair_id": pair, "model": model, "status": status, **dict(zip(names, scores, strict=True))}


ROWS = [
    match("all right", 2, 1, 1, 2),
    match("first caption twice", 3, 2, 1, 1),  # the images of the first caption are right; a tie for the second
    match("captions right alone", 3, 4, 1, 5),  # the second image always fits better
    match("all wrong", 1, 2, 2, 1),
    match("ties", 1, 1, 1, 1),
    match("not scored", None, None, None, None),
]


def test_what_is_scored_higher_is_found_and_a_tie_or_an_error_finds_nothing() -> None:
    assert choices_found(match("p", 3.0, 1.0, 2.5, 2.0)) == {
        "image_retrieval": True,
        "image_retrieval_counterfactual": False,
        "text_retrieval": True,
        "text_retrieval_counterfactual": True,
        "pair": False,
    }
    assert not any(flag for row in ROWS[-2:] for flag in choices_found(row).values())


def flags(group: str, name: str) -> list[bool]:
    return [bool(flag) for flag in getattr(choices(ROWS)[group], name)]


def test_choices_are_those_of_the_table_of_matching() -> None:
    every = [choices_found(one) for one in ROWS]
    assert flags(CAPTION, "original") == [one["text_retrieval"] for one in every]
    assert flags(CAPTION, "counterfactual") == [one["text_retrieval_counterfactual"] for one in every]
    assert flags(IMAGE, "original") == [one["image_retrieval"] for one in every]
    assert flags(IMAGE, "counterfactual") == [one["image_retrieval_counterfactual"] for one in every]
    both = [a and b for a, b in zip(flags(ALL, "original"), flags(ALL, "counterfactual"), strict=True)]
    assert both == [one["pair"] for one in every] == [True, False, False, False, False, False]


def test_a_choice_is_consistent_if_it_changes_right_or_wrong() -> None:
    assert flags(CAPTION, "consistent") == [True, False, True, True, False, False]
    assert flags(IMAGE, "consistent") == [True, False, False, True, False, False]
    assert flags(ALL, "consistent") == [True, False, False, True, False, False]
    assert choices(ROWS)[IMAGE].extracted.tolist()[1] == [True, False]
    assert choices(ROWS)[ALL].extracted.any(axis=1).tolist() == [True, True, True, True, False, False]


def test_the_table_has_the_scores_of_winoground() -> None:
    made = matched_pairs(ROWS, names={"m": "M", "none": "Not asked"}, confidence=0.95, title="Scenes")
    check(made)
    expected, found = wilson(2, 6), row(made, model="m", group=CAPTION, measure=PAIR_ACCURACY)
    ends = [100 * end for end in (expected.estimate, expected.low, expected.high)]
    assert found[["value", "low", "high"]].tolist() == pytest.approx(ends, abs=1e-4)
    assert found["n"] == 6
    assert value(made, model="m", group=IMAGE, measure=PAIR_ACCURACY) == pytest.approx(100 / 6, abs=1e-4)
    assert value(made, model="m", group="", measure=PAIR_ACCURACY) == pytest.approx(100 / 6, abs=1e-4)
    assert value(made, model="m", group=IMAGE, measure=ORIGINAL) == pytest.approx(100 * 2 / 6, abs=1e-4)
    assert value(made, model="m", group=IMAGE, measure=COUNTERFACTUAL) == pytest.approx(100 * 2 / 6, abs=1e-4)
    assert value(made, model="m", group=IMAGE, measure=DROP) == 0.0
    assert value(made, model="m", group=CAPTION, measure=CONSISTENCY) == 50.0
    assert row(made, model="m", group=CAPTION, measure=EXTRACTION_RATE)["n"] == 12
    assert not (made.frame["measure"] == IGNORED).any()
    assert set(made.frame["model"]) == {"m"}


def test_pairs_about_one_photograph_are_not_independent() -> None:
    photographs = {"all right": "one", "all wrong": "one"}
    made = matched_pairs(ROWS, names={"m": "M"}, confidence=0.95, title="Pairs", photographs=photographs)
    expected = clustered_share([True, False, False, False, False, False], ["one", "1", "2", "one", "3", "4"])
    found = row(made, model="m", group="", measure=PAIR_ACCURACY)
    assert (found["low"], found["high"]) == (round(100 * expected.low, 4), round(100 * expected.high, 4))


def test_chance_is_that_of_random_scores() -> None:
    scores = np.random.default_rng(0).random((20_000, 4))
    found = choices([match(str(number), *row) for number, row in enumerate(scores)])
    for group, outcomes in found.items():
        assert outcomes.guessed is not None
        assert outcomes.original.mean() == pytest.approx(outcomes.guessed[0], abs=0.01), group
