"""Pruning: a planted shortcut goes, pairs stay whole, nothing goes where nothing is wrong."""

from __future__ import annotations

import pytest

from tests.results.auditing.benchmarks import choices, pairs
from whatif.results.auditing.audit import How
from whatif.results.auditing.benchmark import Benchmark, read_rows
from whatif.results.auditing.prune import Pruned, costs, prune
from whatif.results.auditing.report import dropped_rows, pruning_lines, pruning_rows

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return read_rows("rows", pairs(160, share=0.6))


@pytest.fixture(scope="module")
def pruned(benchmark: Benchmark) -> Pruned:
    return prune(benchmark.items, How(folds=3))


@pytest.mark.soak
def test_no_rule_is_above_chance_afterwards(pruned: Pruned) -> None:
    assert [one.rule for one in pruned.before.findings if one.above_chance]
    assert not [one for one in pruned.after.findings if one.above_chance]
    assert not pruned.stopped and pruned.rounds > 1


def test_a_fresh_audit_uses_other_folds(pruned: Pruned) -> None:
    fresh, after = (
        [one.accuracy for one in each.findings if one.rule == "forest"] for each in (pruned.fresh, pruned.after)
    )
    assert fresh != after


def test_pairs_are_dropped_whole_and_nothing_is_lost(benchmark: Benchmark, pruned: Pruned) -> None:
    kept, dropped = {item.unit for item in pruned.kept}, {one.unit for one in pruned.dropped}
    assert not kept & dropped and kept | dropped == {item.unit for item in benchmark.items}
    assert len(pruned.kept) == 2 * len(kept)
    assert len(dropped_rows(pruned, benchmark.items)) == 2 * len(dropped)
    assert sum(now for _, now in costs(benchmark.items, pruned.kept).values()) == len(pruned.kept)


def test_what_is_dropped_follows_the_shortcut(pruned: Pruned) -> None:
    """Chance alone would give the planted rank in 7 of 10 dropped counterfactual questions."""
    first = [one for one in pruned.dropped if one.round == 1]
    assert sum("rank" in one.rules for one in first) > 0.9 * len(first)
    assert all(one.excess > 0 for one in first)


def test_the_costs_are_said(benchmark: Benchmark, pruned: Pruned) -> None:
    text = "\n".join(pruning_lines(benchmark.items, pruned))
    assert f"Dropped {len(pruned.dropped)} of 160 pairs or single items in {pruned.rounds} rounds" in text
    assert "one original: " in text and "A fresh audit with folds that pruning never used" in text
    assert "Pruning selects" in text
    assert {row["section"] for row in pruning_rows(pruned)} == {"original choice", "counterfactual choice"}


def test_a_benchmark_without_a_shortcut_is_left_alone() -> None:
    items = read_rows("rows", choices(200, seed=3)).items
    assert not prune(items, How()).dropped


def test_a_benchmark_that_is_nothing_but_a_shortcut_is_not_pruned_away() -> None:
    pruned = prune(read_rows("rows", choices(60, share=1.0)).items, How())
    assert "would be left" in pruned.stopped and not pruned.repaired
    assert len({item.cluster for item in pruned.kept}) >= 10
