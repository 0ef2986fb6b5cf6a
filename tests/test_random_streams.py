"""Streams of random numbers depend on their names alone."""

from __future__ import annotations

import numpy as np

from whatif.random_streams import sample, stream


def test_same_names_give_the_same_numbers() -> None:
    first = stream(7, "layout", "dot-removal", 12).random(5)
    stream(7, "something else").random(100)
    assert np.array_equal(first, stream(7, "layout", "dot-removal", 12).random(5))


def test_numbers_are_those_of_every_machine() -> None:
    assert stream(0, "puzzle", 1).integers(0, 1000, 6).tolist() == [737, 820, 300, 518, 328, 599]


def test_different_names_and_seeds_are_independent() -> None:
    streams = [stream(0, "a", "bc"), stream(0, "ab", "c"), stream(1, "a", "bc"), stream(0, "a"), stream(0, "a", 1)]
    streams.append(stream(0, "a", "1"))
    drawn = np.array([generator.random(2000) for generator in streams])
    correlations = np.corrcoef(drawn)[~np.eye(len(drawn), dtype=bool)]
    assert np.abs(correlations).max() < 0.1


def test_a_sample_depends_on_seed_name_and_ids_alone() -> None:
    ids = [f"id-{number}" for number in range(1000)]
    drawn = sample(3, "captions", ids, 100)
    assert len(drawn) == 100 and drawn < set(ids)
    assert sample(3, "captions", [*ids[::-1], *ids], 100) == drawn
    assert drawn < sample(3, "captions", ids, 101)
    assert len(drawn & sample(4, "captions", ids, 100)) < 40
    assert len(drawn & sample(3, "pairs", ids, 100)) < 40
    assert sample(3, "captions", ids, None) == sample(3, "captions", ids, 5000) == set(ids)
    without = sample(3, "captions", [one for one in ids if one != min(drawn)], 100)
    assert len(without & drawn) == 99


def test_a_sample_is_that_of_every_machine() -> None:
    assert sorted(sample(0, "captions", map(str, range(100)), 4)) == ["39", "43", "8", "87"]
