"""The seven mixtures have the printed sizes, their pairs are drawn together, and no division without a leak has one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from whatif.benchmarks.coco_counterfactuals_training.divisions import (
    Shares,
    as_published,
    at_random,
    leak_free,
    withheld_leak_free,
)
from whatif.benchmarks.coco_counterfactuals_training.mixing import Pool, members, samples_of
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES, TEST, TRAIN, VALIDATION, Mixture
from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow

SHARES = Shares(0.2, 0.3)
# Photographs with 1 to 5 captions that have pairs, and 7,604 captions without.
_CAPTIONS = [f"{photograph}_{k}" for photograph in range(6_000) for k in range(1 + photograph % 5)]
PAIRS = frozenset(_CAPTIONS[:17_410])
CORRECT = frozenset(sorted(samples_of(PAIRS))[:25_482])
POOL = Pool(PAIRS, frozenset(f"{number % 6_500}_{5 + number // 6_500}" for number in range(7_604)), PAIRS, CORRECT)
GROUPS = {one: one.partition("_")[0] for one in (*POOL.paired, *POOL.unpaired, *samples_of(PAIRS))}
COUNTERFACTUALS = samples_of(PAIRS)


def sizes(parts: Mapping[str, str]) -> tuple[int, int, int]:
    counts = Counter(parts.values())
    return counts[TRAIN], counts[VALIDATION], counts[TEST]


@pytest.mark.parametrize(
    ("mixture", "printed", "counterfactuals"),
    [
        ("ms-coco", (13_928, 3_482, 0), 0),
        ("base", (13_928, 3_483, 0), 8_706),
        ("medium", (34_820, 8_705, 0), 26_115),
        ("all", (41_784, 10_446, 0), 34_820),
        ("correct", (34_313, 8_579, 0), 25_482),
        ("withheld-ms-coco", (19_499, 4_875, 10_446), 10_446),
        ("withheld-counterfactuals", (19_499, 4_875, 10_446), 34_820),
    ],
)
def test_a_mixture_has_the_printed_size(mixture: Mixture, printed: tuple[int, int, int], counterfactuals: int) -> None:
    parts = as_published(mixture, POOL, SHARES, seed=1)
    assert sizes(parts) == printed
    assert len(parts.keys() & COUNTERFACTUALS) == counterfactuals
    assert parts.keys() - COUNTERFACTUALS <= POOL.paired | (POOL.unpaired if mixture == "withheld-ms-coco" else set())
    if sizes(parts)[2]:
        assert counterfactuals - sizes(parts)[2] in {0, sizes(parts)[0] + sizes(parts)[1]}


def test_both_samples_of_a_pair_are_drawn_together_and_a_larger_draw_contains_a_smaller_one() -> None:
    found = {mixture: members(mixture, POOL, seed=5) for mixture in ("ms-coco", "base", "medium", "all")}
    assert found["base"] < found["medium"] < found["all"]
    assert found["ms-coco"] < found["medium"]
    by_pair = {
        mixture: Counter(Counter(one.rpartition("-")[0] for one in chosen & COUNTERFACTUALS).values())
        for mixture, chosen in found.items()
    }
    assert by_pair["base"] == {2: 4_353}
    assert by_pair["medium"] == {2: 13_057, 1: 1}
    assert len(found["base"] & POOL.paired) == 8_705


@pytest.mark.soak
def test_draws_depend_on_the_seed_and_not_on_the_order_of_ids() -> None:
    turned = Pool(*(frozenset(sorted(ids, reverse=True)) for ids in (POOL.paired, POOL.unpaired, PAIRS, CORRECT)))
    for mixture in MIXTURES:
        assert as_published(mixture, POOL, SHARES, 1) == as_published(mixture, turned, SHARES, 1)
        assert as_published(mixture, POOL, SHARES, 1) != as_published(mixture, POOL, SHARES, 2)


def test_the_published_division_separates_pairs_and_the_withheld_test_does_not() -> None:
    parts = as_published("withheld-counterfactuals", POOL, SHARES, seed=1)
    pairs = Counter((parts[f"{pair}-0"], parts[f"{pair}-1"]) for pair in PAIRS)
    assert pairs[TEST, TEST] == 5_223
    assert not any(TEST in ends for ends in pairs if ends != (TEST, TEST))
    assert 1_800 < pairs[TRAIN, VALIDATION] < 2_100  # 0.8 x 0.2 of 12,187


def test_a_mixture_of_correct_samples_needs_one() -> None:
    with pytest.raises(WhatifError, match="mixture correct: no image of a pair was judged as correct; give people's"):
        as_published("correct", Pool(PAIRS, frozenset(), PAIRS, frozenset()), SHARES, seed=1)


def test_a_mixture_that_withholds_pairs_has_no_members_without_them() -> None:
    with pytest.raises(ValueError, match="mixture withheld-ms-coco: withholds pairs; use `withheld_pairs`"):
        members("withheld-ms-coco", POOL, seed=1)


def test_without_a_leak_no_photograph_is_in_two_parts() -> None:
    for mixture in ("ms-coco", "base", "medium", "all", "correct"):
        published = as_published(mixture, POOL, SHARES, seed=1)
        parts = leak_free(published, GROUPS, SHARES, seed=1)
        assert parts.keys() == published.keys()
        assert [abs(a - b) <= 1 for a, b in zip(sizes(parts), sizes(published), strict=True)] == [True] * 3
        assert in_one_part(parts)


@pytest.mark.parametrize(
    ("mixture", "expected"), [("withheld-counterfactuals", (19_498, 4_876, 10_446)), ("withheld-ms-coco", None)]
)
def test_no_photograph_of_a_withheld_pair_is_in_training(
    mixture: Mixture, expected: tuple[int, int, int] | None
) -> None:
    parts = withheld_leak_free(mixture, POOL, GROUPS, SHARES, seed=1)
    assert in_one_part(parts)
    train, validation, test = sizes(parts)
    assert test == 10_446
    if expected is not None:
        assert (train, validation, test) == expected
        assert set(parts) == COUNTERFACTUALS
    else:  # as many originals as there are, when those about withheld pairs are gone
        closed = groups_of(parts, TEST)
        left = {one for one in POOL.paired | POOL.unpaired if GROUPS[one] not in closed}
        assert {one for one, part in parts.items() if part != TEST} == left
        assert train == len(left) * 4 // 5


def groups_of(parts: Mapping[str, str], part: str) -> set[str]:
    return {GROUPS[one] for one, of in parts.items() if of == part}


def in_one_part(parts: Mapping[str, str]) -> bool:
    found = [groups_of(parts, part) for part in (TRAIN, VALIDATION, TEST)]
    return len(set.union(*found)) == sum(map(len, found))


@pytest.mark.parametrize(
    ("group_sizes", "validation"),
    [
        ([5, 4, 4, 7, 20], 8),  # exactly: 4 + 4
        ([3] * 10, 6),
        ([7, 7, 7, 7], 7),  # 7 is nearer to 6 than 0
        ([30, 1], 1),
        ([100], 0),  # 0 is nearer to 20 than 100
        ([30, 20], 20),  # of 0 and 20, which are as near to 10, the one that is not empty
        ([1] * 4999 + [4999], 2000),
        ([9_000] + [2] * 20_000, 9_800),
    ],
)
def test_the_validation_part_is_as_near_as_possible_to_its_share(group_sizes: list[int], validation: int) -> None:
    groups = {f"{group}/{one}": str(group) for group, size in enumerate(group_sizes) for one in range(size)}
    for seed in range(3):
        parts = leak_free(groups, groups, SHARES, seed)
        assert sizes(parts) == (len(groups) - validation, validation, 0)


def test_the_number_of_training_samples_is_rounded_down() -> None:
    for number, train in ((10, 8), (11, 8), (14, 11), (15, 12), (42_892, 34_313)):
        assert sizes(at_random([str(one) for one in range(number)], SHARES, seed=0))[0] == train
