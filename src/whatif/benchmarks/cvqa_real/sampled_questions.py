"""Selects the C-VQA-Real questions that a model is asked: all, or a random sample of each group (C-VQA Table 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from whatif.benchmarks.shared.pilots import share_of_groups

NAME = "cvqa-real"


class Sampling(Protocol):
    """Which models are asked only a share of each group."""

    @property
    def sample_share(self) -> float:
        """The share of each group."""

    @property
    def sampled_models(self) -> list[str]:
        """Keys of models."""


def questions_for(
    model: str, questions: Sequence[Mapping[str, Any]], asking: Sampling, seed: int
) -> Sequence[Mapping[str, Any]]:
    """The questions that a model is asked, before any pilot sample: all, or a random sample of each group.

    C-VQA Table 5 uses a tenth of the set; the paper does not specify which.
    """
    if model not in asking.sampled_models:
        return questions
    chosen = share_of_groups(questions, asking.sample_share, seed=seed, name=NAME)
    return [question for question in questions if question["pair_id"] in chosen]
