"""Candidates of captions are measured once and in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from whatif.benchmarks.coco_counterfactuals.caption_scores import measured


class Counts:
    """Similarity by length, perplexity by the last letter; remembers what was asked."""

    def __init__(self) -> None:
        self.compared: list[list[tuple[str, str]]] = []
        self.read: list[str] = []

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> Any:
        self.compared.append(list(pairs))
        return np.array([len(first) / len(second) for first, second in pairs])

    def perplexities(self, texts: Iterable[str]) -> Iterator[float | None]:
        for text in texts:
            self.read.append(text)
            yield None if text == "x" else float(ord(text[-1]))


def test_only_what_is_ok_is_measured_and_all_of_it_together() -> None:
    rows = [
        {"caption_id": key, "caption_0": "a" * 4, "caption_1": text, "status": status}
        for key, text, status in [
            ("1", "ab", "ok"),
            ("1", "b", "not a noun"),
            ("1", "abcd", "ok"),
            ("2", "c", "not a word"),
            ("3", "x", "ok"),
        ]
    ]
    counts = Counts()
    found = list(measured(rows, counts, counts))
    assert [(row["similarity"], row["perplexity"]) for row in found] == [
        (2.0, 98.0),
        (None, None),
        (1.0, 100.0),
        (None, None),
        (4.0, None),
    ]
    assert [row["caption_1"] for row in found] == [row["caption_1"] for row in rows]
    assert [len(pairs) for pairs in counts.compared] == [3]
    assert counts.read == ["ab", "abcd", "x"]
