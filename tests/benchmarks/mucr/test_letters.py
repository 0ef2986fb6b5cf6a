"""Right letters are equally frequent in every cell, also where cells overlap; the other options are shuffled."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from whatif.benchmarks.mucr.letters import balanced, ordered
from whatif.engine.random_streams import stream

Cells = dict[str, set[tuple[str, str]]]


def spreads(cells: Cells, places: dict[str, int], number: int = 4) -> list[int]:
    """For each cell, by how much the most frequent place exceeds the rarest."""
    counts: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for item, of_item in cells.items():
        for cell in of_item:
            counts[cell][places[item]] += 1
    return [max(count.values()) - min(count[place] for place in range(number)) for count in counts.values()]


def cells_of(number: int, missing: float, seed: int = 0) -> Cells:
    """Items as C2E has them: text, each style that is not missing, and one of these as the mixed style."""
    draw = stream(seed, "cells", number)
    found: Cells = {}
    for item in range(number):
        styles = [style for style in ("photograph", "comic", "black-white") if draw.random() >= missing] or ["comic"]
        mixed = styles[int(draw.integers(len(styles)))]
        found[f"item-{item}"] = {("text", ""), ("strip", mixed), *(("composite", style) for style in styles)}
    return found


@pytest.mark.parametrize("number", [1, 3, 4, 13, 100, 400])
def test_every_cell_is_balanced_exactly_where_nothing_is_missing(number: int) -> None:
    cells = cells_of(number, missing=0)
    places = balanced(cells, 4, seed=5, name="C2E")
    assert set(places) == set(cells) and max(spreads(cells, places)) <= 1


@pytest.mark.parametrize("seed", range(12))
def test_cells_with_missing_items_differ_by_one_as_well(seed: int) -> None:
    cells = cells_of(200, missing=0.1, seed=seed)
    assert max(spreads(cells, balanced(cells, 4, seed=seed, name="C2E"))) <= 1


def test_small_cells_with_many_missing_items_are_balanced_as_far_as_possible() -> None:
    worst = []
    for seed in range(40):
        cells = cells_of(20, missing=0.4, seed=seed)
        worst.append(max(spreads(cells, balanced(cells, 4, seed=seed, name="C2E"))))
    assert max(worst) <= 2 and worst.count(2) <= 12


def test_places_depend_on_the_seed_and_the_name_and_not_on_the_order() -> None:
    cells = cells_of(60, missing=0)
    first = balanced(cells, 4, seed=1, name="C2E")
    assert first == balanced(dict(reversed(cells.items())), 4, seed=1, name="C2E")
    assert first != balanced(cells, 4, seed=2, name="C2E")
    assert first != balanced(cells, 4, seed=1, name="EXP")


def test_places_follow_no_order_of_the_items() -> None:
    cells: Cells = {f"item-{item:03d}": {("text", "")} for item in range(400)}
    places = balanced(cells, 4, seed=0, name="C2E")
    steps = Counter((places[f"item-{item + 1:03d}"] - places[f"item-{item:03d}"]) % 4 for item in range(399))
    assert max(steps.values()) < 140


def test_the_right_option_is_in_its_place_and_the_others_are_shuffled() -> None:
    orders = {tuple(ordered("right", ["x", "y", "z"], 2, seed=0, item=f"item-{item}")) for item in range(50)}
    assert {order[2] for order in orders} == {"right"} and len(orders) == 6
    assert ordered("right", ["x", "y", "z"], 0, seed=0, item="i") == ordered(
        "right", ["x", "y", "z"], 0, seed=0, item="i"
    )
