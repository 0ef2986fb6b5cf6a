"""Labels in a column: far enough apart, in order, and as near to their points as that allows."""

from __future__ import annotations

import itertools
import random

import pytest

from whatif.results.reporting.labels import spread


@pytest.mark.parametrize("seed", range(30))
def test_positions_are_apart_in_order_and_within_the_bounds(seed: int) -> None:
    stream = random.Random(seed)
    number = stream.randint(1, 40)
    wanted = sorted(stream.choice([0.0, 5.0, 50.0, 51.0, 400.0, stream.uniform(0, 400)]) for _ in range(number))
    found = spread(wanted, 10.0, 0.0, 400.0)
    assert all(later - earlier >= 10 - 1e-9 for earlier, later in itertools.pairwise(found))
    assert found[0] >= -1e-9 and found[-1] <= 400 + 1e-9


def test_what_is_apart_stays_where_it_is() -> None:
    assert spread([10.0, 30.0, 70.0], 10.0, 0.0, 100.0) == [10.0, 30.0, 70.0]


def test_a_crowd_is_centred_on_what_it_wants() -> None:
    assert spread([50.0, 50.0, 50.0], 10.0, 0.0, 100.0) == [40.0, 50.0, 60.0]


def test_a_crowd_at_the_edge_moves_inside() -> None:
    assert spread([0.0, 0.0, 95.0], 10.0, 0.0, 100.0) == [0.0, 10.0, 95.0]
    assert spread([99.0, 100.0], 10.0, 0.0, 100.0) == [90.0, 100.0]


def test_without_room_the_distance_is_kept() -> None:
    assert spread([0.0, 1.0, 2.0], 10.0, 0.0, 10.0) == [-5.0, 5.0, 15.0]


def test_nothing() -> None:
    assert spread([], 10.0, 0.0, 10.0) == []
