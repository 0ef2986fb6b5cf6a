"""Ranks of 34,820 captions and 34,820 images in each other, against table look-ups for every query, and faiss."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from whatif.scoring.exact_ranks import Embeddings, exact_ranks

SMALL = {"_PAIRS": 300, "_TWICE": 10, "_SAMPLE": 5, "_ROUNDS": 1}
_PAIRS = 34_820  # as in COCO-Counterfactuals, where 310 captions occur twice
_TWICE = 310
_WIDTH = 512
_SAMPLE = 40  # queries of each direction that the peer is asked
_MOST_MIB = 1024
_ROUNDS = 2
_AT = (1, 5, 10)  # the K of recall@K
_LAST_BITS = 2  # queries of a direction whose rank the last bits of two scores may decide


def measure() -> dict[str, Any]:
    """Seconds on one core for both directions, the faster of two rounds; the peer's time is that of 80 queries, scaled.

    CPU time, which other work on the machine affects less than wall-clock time. The peer computes a query's scores by
    one product with all candidates, sorts them, looks up every candidate's caption in a table in that order, and
    takes the position of the correct one. `vectorised` is the same with one data-frame look-up for all
    candidates of a query, the fastest way to write it. Both find the same ranks as ours, except where the last bits
    of two scores decide.

    `faiss` is an exact search of both directions by faiss (`IndexFlatIP`, one thread), which returns the first
    ten candidates of each query and no rank below them: enough for recall@1, @5 and @10, which are the same as ours.
    """
    captions, pictures, words = made()
    twins = np.arange(_TWICE)
    right = np.concatenate(
        [
            np.stack([np.arange(_PAIRS)] * 2, axis=1),
            np.stack([twins, _PAIRS - _TWICE + twins], axis=1),
            np.stack([_PAIRS - _TWICE + twins, twins], axis=1),
        ]
    )
    tracemalloc.start()
    exact_ranks(captions, pictures, right)
    most = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    assert most < _MOST_MIB, f"{most:.0f} MiB above the embeddings"

    asked = np.random.default_rng(1).choice(_PAIRS, _SAMPLE, replace=False)
    tables = {one_by_one: dict(enumerate(words)), at_once: pd.DataFrame({"caption": words})}
    seconds: dict[Any, list[float]] = {way: [] for way in (exact_ranks, *tables)}
    seconds[hits_by_faiss] = []
    for _ in range(_ROUNDS):
        ranks = _timed(seconds[exact_ranks], 1, lambda: exact_ranks(captions, pictures, right))
        hits = _timed(seconds[hits_by_faiss], 1, lambda: hits_by_faiss(captions, pictures, words))
        ours_hits = [[int((side <= k).sum()) for k in _AT] for side in ranks]
        assert np.abs(np.subtract(hits, ours_hits)).max() <= _LAST_BITS, f"hits {hits}, ours {ours_hits}"
        expected = [side[asked] for side in ranks]
        for way, table in tables.items():
            found = _timed(
                seconds[way],
                _PAIRS / _SAMPLE,
                lambda way=way, table=table: [  # type: ignore[misc]
                    [way(table, sorted_candidates(candidates, queries[query]), words[query]) for query in asked]
                    for queries, candidates in ((captions, pictures), (pictures, captions))
                ],
            )
            same = np.equal(found, expected)
            assert same.mean() > 0.9, f"only {same.sum()} of {same.size} ranks are the same"
    ways = (exact_ranks, one_by_one, at_once, hits_by_faiss)
    ours, peer, vectorised, faiss = (min(seconds[way]) for way in ways)
    return {
        "name": "recall-at-k",
        "ours": ours,
        "peer": peer,
        "unit": "s",
        "ratio": peer / ours,
        "peer_name": f"a sort and table look-ups a query, scaled from {2 * _SAMPLE} of {2 * _PAIRS:,} queries",
        "further_peers": {"vectorised": vectorised, "faiss, IndexFlatIP, one thread, k = 10": faiss},
        "mib_above_the_embeddings": round(most),
    }


def made() -> tuple[Embeddings, Embeddings, list[str]]:
    """Embeddings of captions and of images that are somewhat like them, and the captions."""
    generator = np.random.default_rng(0)
    captions = generator.standard_normal((_PAIRS, _WIDTH), dtype=np.float32)
    captions[-_TWICE:] = captions[:_TWICE]
    pictures = 0.15 * captions + generator.standard_normal((_PAIRS, _WIDTH), dtype=np.float32)
    words = [f"caption {number % (_PAIRS - _TWICE)}" for number in range(_PAIRS)]
    return _unit(captions), _unit(pictures), words


def _timed(seconds: list[float], scale: float, work: Callable[[], Any]) -> Any:
    started = time.process_time()
    made = work()
    seconds.append((time.process_time() - started) * scale)
    return made


def _unit(embeddings: Embeddings) -> Embeddings:
    unit: Embeddings = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return unit


def hits_by_faiss(captions: Embeddings, pictures: Embeddings, words: list[str]) -> list[list[int]]:
    """By direction (images of captions, captions of images), the queries with a right candidate among the first K."""
    import faiss

    faiss.omp_set_num_threads(1)
    names = np.unique(words, return_inverse=True)[1]
    hits = []
    for queries, candidates in ((captions, pictures), (pictures, captions)):
        index = faiss.IndexFlatIP(candidates.shape[1])
        index.add(candidates)
        found = index.search(queries, max(_AT))[1]
        is_right = names[found] == names[:, np.newaxis]
        hits.append([int(is_right[:, :k].any(axis=1).sum()) for k in _AT])
    return hits


def sorted_candidates(candidates: Embeddings, query: Embeddings) -> NDArray[np.intp]:
    """All candidates, the most like the query first."""
    return np.argsort(-(candidates @ query), kind="stable")


def one_by_one(table: dict[int, str], order: NDArray[np.intp], caption: str) -> int:
    """The rank of the first candidate with this caption."""
    return [table[place] for place in order.tolist()].index(caption) + 1


def at_once(table: pd.DataFrame, order: NDArray[np.intp], caption: str) -> int:
    """The rank of the first candidate with this caption."""
    return 1 + int(np.argmax(table.iloc[order]["caption"].to_numpy() == caption))
