"""Measures candidates of counterfactual captions: similarity to the original, and perplexity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whatif.engine.language.noun_swap import OK

Row: TypeAlias = Mapping[str, Any]


class ComparesSentences(Protocol):
    """Measures similarity (`whatif.models.language.sentence_similarity.SentenceEmbedder`)."""

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]: ...


class ScoresTexts(Protocol):
    """Measures perplexity (`whatif.models.language.perplexity.PerplexityModel`)."""

    def perplexities(self, texts: Iterable[str]) -> Iterator[float | None]: ...


def measured(
    candidates: Iterable[Row], sentences: ComparesSentences, language: ScoresTexts
) -> Iterator[dict[str, Any]]:
    """Rows of `caption_candidates` with the similarity of their captions and the perplexity of the new one.

    The order is kept. All candidates that are `ok` are measured, so that thresholds can change without another pass. A
    caption is embedded once for all its candidates, and all candidates are processed together.
    """
    rows = list(candidates)
    usable = [row for row in rows if row["status"] == OK]
    alike = sentences.similarities([(row["caption_0"], row["caption_1"]) for row in usable])
    scores = language.perplexities(row["caption_1"] for row in usable)
    found = zip(alike.tolist(), scores, strict=True)
    for row in rows:
        similarity, perplexity = next(found) if row["status"] == OK else (None, None)
        yield {**row, "similarity": similarity, "perplexity": perplexity}
