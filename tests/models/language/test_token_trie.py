"""Packs hold every text once and common beginnings once."""

from __future__ import annotations

import numpy as np

from whatif.models.language.token_trie import tries

TEXTS = [[1, 2, 3], [1, 2, 4], [5], [1, 2, 3, 6], [1, 2, 3]]


def test_common_beginnings_stand_once() -> None:
    (pack,) = tries(TEXTS, 100)
    assert sorted(pack.texts) == [0, 1, 2, 3, 4]
    assert sorted(pack.tokens) == [1, 2, 3, 4, 5, 6]
    for place, path in zip(pack.texts, pack.paths, strict=True):
        assert [pack.tokens[one] for one in path] == TEXTS[place]
        assert [pack.depths[one] for one in path] == list(range(len(path)))
        assert [pack.parents[one] for one in path] == [-1, *path[:-1]]
        seen = np.flatnonzero(pack.sees()[path[-1]]).tolist()
        assert seen == sorted(path)


def test_packs_are_bounded() -> None:
    rng = np.random.default_rng(0)
    texts = [rng.integers(0, 3, rng.integers(1, 9)).tolist() for _ in range(200)]
    packs = list(tries(texts, 20))
    assert sorted(place for pack in packs for place in pack.texts) == list(range(200))
    assert all(len(pack.tokens) <= 20 for pack in packs)
    assert [len(pack.texts) for pack in tries([[1, 2, 3], [4, 5, 6]], 2)] == [1, 1]  # too long for any pack
    assert list(tries([], 5)) == []
