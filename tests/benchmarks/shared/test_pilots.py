"""Samples of pairs: whole pairs, in proportion to the groups, the same from the same seed, and nested."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from whatif.benchmarks.shared.pilots import pilot_of, sample_of_pairs, share_of_groups
from whatif.engine.errors import WhatifError

SIZES = {"direct": 1150, "indirect": 864, "boolean": 1130}


def questions(sizes: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {"pair_id": f"{group}-{number}", "group": group, "variant": variant}
        for group, size in sizes.items()
        for number in range(size)
        for variant in ("original", "counterfactual")
    ]


def drawn(sizes: dict[str, int], number: int, seed: int = 1, name: str = "a") -> set[str]:
    return sample_of_pairs(questions(sizes), number, seed=seed, name=name)


def by_group(pairs: set[str]) -> Counter[str]:
    return Counter(pair.rpartition("-")[0] for pair in pairs)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (50, {"direct": 18, "boolean": 18, "indirect": 14}),
        (3, {"direct": 1, "boolean": 1, "indirect": 1}),
        (2, {"direct": 1, "boolean": 1}),
        (1, {"direct": 1}),
        (10_000, SIZES),
    ],
)
def test_groups_have_their_share(number: int, expected: dict[str, int]) -> None:
    assert by_group(drawn(SIZES, number)) == expected


def test_six_templates_of_like_size_are_sampled_alike() -> None:
    assert sorted(by_group(drawn(dict.fromkeys("abcdef", 500), 50)).values()) == [8, 8, 8, 8, 9, 9]


def test_a_larger_sample_contains_a_smaller_one() -> None:
    samples = [drawn({"a": 7, "b": 30, "c": 100}, number) for number in range(1, 140)]
    growing, whole = samples[:137], samples[136:]
    assert all(smaller < larger for smaller, larger in pairwise(growing))
    assert all(found == whole[0] for found in whole)


def test_it_depends_on_the_seed_and_the_set_and_not_on_the_order() -> None:
    rows = questions(SIZES)
    found = sample_of_pairs(rows, 50, seed=1, name="a")
    assert sample_of_pairs(rows[::-1], 50, seed=1, name="a") == found
    assert drawn(SIZES, 50, seed=2) != found != drawn(SIZES, 50, name="b")


def test_the_beginning_of_a_share_is_the_sample() -> None:
    assert drawn(SIZES, 50) < share_of_groups(questions(SIZES), 0.1, seed=1, name="a")


def test_a_file_lists_the_pairs(tmp_path: Path) -> None:
    rows, file = questions({"a": 3}), tmp_path / "subset.txt"
    file.write_text("a-2\n\na-0 \n", encoding="utf-8-sig")
    found = pilot_of(str(file), rows, 1, "x")
    assert found is not None and (found.pairs, found.total) == ({"a-0", "a-2"}, 3)
    file.write_text("a-2\na-0\na-1", encoding="utf-8")
    assert pilot_of(str(file), rows, 1, "x") is None, "all pairs are no sample"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a-1\nb-1\n", "'b-1' is not a pair of x; list its pairs, and in `benchmarks` of the model only x"),
        (b" \n", "is empty"),
        (b"\xff", "cannot be read .not UTF-8.; `whatif subset` writes such a file"),
        (None, "cannot be read .No such file or directory."),
    ],
)
def test_a_file_of_something_else_is_one_line(content: bytes | None, said: str, tmp_path: Path) -> None:
    file = tmp_path / "subset.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(WhatifError, match=f"limit: .*subset.txt: {said}"):
        pilot_of(str(file), questions({"a": 3}), 1, "x")
