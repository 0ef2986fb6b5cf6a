"""Exact ranks against a search that sorts, with duplicates, ties, several correct candidates and other block sizes."""

from __future__ import annotations

import numpy as np
import pytest

from whatif.scoring import exact_ranks as module
from whatif.scoring.exact_ranks import Embeddings, Integers, exact_ranks


def sorted_ranks(scores: Embeddings, right: Integers) -> list[int]:
    """The rank of the first right candidate of each query (a row), by sorting; 0 where none is right."""
    ranks = []
    for query, row in enumerate(scores):
        belong = set(right[right[:, 0] == query, 1].tolist())
        order = np.argsort(-row, kind="stable")
        ranks.append(next((rank for rank, place in enumerate(order, 1) if place in belong), 0))
    return ranks


def whole(generator: np.random.Generator, rows: int, width: int, values: int) -> Embeddings:
    """Embeddings of small whole numbers, whose products are exact, so that many are equal."""
    return generator.integers(-values, values + 1, (rows, width)).astype(np.float32)


def some_right(generator: np.random.Generator, captions: int, pictures: int, number: int) -> Integers:
    drawn = np.stack([generator.integers(0, captions, number), generator.integers(0, pictures, number)], axis=1)
    return np.unique(drawn, axis=0).astype(np.int64).reshape(-1, 2)


@pytest.mark.parametrize("seed", range(25))
def test_ranks_are_those_of_a_stable_sort(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(seed)
    captions, pictures = (int(number) for number in generator.integers(1, 90, 2))
    told = whole(generator, captions, int(generator.integers(1, 20)), 1 + seed % 3)
    seen = whole(generator, pictures, told.shape[1], 1 + seed % 3)
    right = some_right(generator, captions, pictures, int(generator.integers(0, 120)))
    expected = sorted_ranks(told @ seen.T, right), sorted_ranks((told @ seen.T).T, right[:, ::-1])
    assert len(set(expected[0])) > 1 or captions < 5
    for block in (768, 8, 24, 64):
        monkeypatch.setattr(module, "_BLOCK", block)
        found = exact_ranks(told, seen, right)
        assert (found[0].tolist(), found[1].tolist()) == expected


def unit(generator: np.random.Generator, rows: int, width: int) -> Embeddings:
    drawn = generator.standard_normal((rows, width)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(5))
def test_equal_embeddings_among_real_ones_are_found_in_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 48)
    generator = np.random.default_rng(seed)
    told = unit(generator, 150, 33)[generator.integers(0, 150, 260)]
    seen = unit(generator, 200, 33)[generator.integers(0, 200, 210)]
    right = some_right(generator, 260, 210, 300)
    # Summed without a matrix product: the score of two embeddings is the same wherever they stand.
    scores = (told.astype(np.float64)[:, np.newaxis] * seen).sum(axis=2).astype(np.float32)
    found = exact_ranks(told, seen, right)
    assert found[0].tolist() == sorted_ranks(scores, right)
    assert found[1].tolist() == sorted_ranks(scores.T, right[:, ::-1])


def test_equal_embeddings_tie_wherever_they_stand() -> None:
    generator = np.random.default_rng(3)
    picture, caption = unit(generator, 1, 77), unit(generator, 1, 77)
    told, seen = np.repeat(caption, 2000, axis=0), np.repeat(picture, 1700, axis=0)
    right = np.array([[0, 900], [5, 900], [1999, 900], [1999, 1699], [7, 0]])
    for_captions, for_pictures = exact_ranks(told, seen, right)
    # All scores are equal, so what stands before the first right one, and nothing else, is before it.
    assert [for_captions[place] for place in (0, 5, 7, 1999, 1)] == [901, 901, 1, 901, 0]
    assert [for_pictures[place] for place in (0, 900, 1699, 1)] == [8, 1, 2000, 0]


def test_blocks_of_another_size_give_the_same_ranks_of_real_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(4)
    told = unit(generator, 1000, 64)
    told[500:520] = told[100:120]  # captions with the same words
    seen = unit(generator, 1000, 64) + told
    seen /= np.linalg.norm(seen, axis=1, keepdims=True)
    seen[700:710] = seen[705]
    right = np.stack([np.arange(1000)] * 2, axis=1)
    right = np.concatenate([right, [(500 + n, 100 + n) for n in range(20)], [(100 + n, 500 + n) for n in range(20)]])
    found = exact_ranks(told, seen, right)
    for block in (96, 288, 1536):
        monkeypatch.setattr(module, "_BLOCK", block)
        again = exact_ranks(told, seen, right)
        assert np.array_equal(again[0], found[0]) and np.array_equal(again[1], found[1])
    assert found[0].max() > 1 and (found[0] > 0).all() and (found[1] > 0).all()


def test_nothing_right_no_candidates_and_no_queries() -> None:
    none = np.zeros((0, 2), dtype=np.int64)
    one = np.ones((1, 4), dtype=np.float32)
    assert [ranks.tolist() for ranks in exact_ranks(one, one, none)] == [[0], [0]]
    assert [ranks.tolist() for ranks in exact_ranks(one, np.zeros((0, 0), dtype=np.float32), none)] == [[0], []]


@pytest.mark.parametrize(
    ("captions", "right", "message"),
    [
        (np.full((2, 4), np.nan), [[0, 0]], "captions: some are no finite numbers"),
        (np.ones((2, 5)), [[0, 0]], "not of one width"),
        (np.ones((2, 4)), [[2, 0]], "beyond 2 captions and 3 pictures"),
        (np.ones((2, 4)), [[0, -1]], "beyond 2 captions and 3 pictures"),
        (np.ones((2, 4)), [0, 0], "pairs of a caption and a picture"),
    ],
)
def test_what_cannot_be_searched_is_refused(captions: Embeddings, right: list[object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exact_ranks(captions.astype(np.float32), np.ones((3, 4), dtype=np.float32), np.array(right))


def test_recall_is_that_of_an_exact_search_by_faiss() -> None:
    faiss = pytest.importorskip("faiss")
    generator = np.random.default_rng(3)
    told, noise = unit(generator, 900, 48), unit(generator, 900, 48)
    seen = told + 1.5 * noise
    seen /= np.linalg.norm(seen, axis=1, keepdims=True)
    right = np.stack([np.arange(900)] * 2, axis=1)
    for ranks, queries, candidates in zip(exact_ranks(told, seen, right), (told, seen), (seen, told), strict=True):
        scores = np.sort(queries @ candidates.T, axis=1)
        assert np.diff(scores, axis=1)[:, -20:].min() > 0, "no ties"
        index = faiss.IndexFlatIP(48)
        index.add(candidates)
        found = index.search(queries, 10)[1] == np.arange(900)[:, np.newaxis]
        recalls = [int((ranks <= k).sum()) for k in (1, 5, 10)]
        assert recalls == [int(found[:, :k].any(axis=1).sum()) for k in (1, 5, 10)]
        assert 100 < recalls[0] < recalls[1] < recalls[2] < 900
