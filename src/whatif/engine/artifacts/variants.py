"""The order of the variants of questions: `original` or another factual one first, then the counterfactual ones."""

from __future__ import annotations

PAIR_VARIANTS = ("original", "counterfactual")  # of benchmarks with pairs of questions


def variant_order(variant: str) -> tuple[bool, str]:
    """A key that sorts variants; those whose name begins with `counterfactual` follow the others."""
    return variant.startswith("counterfactual"), variant


def are_pairs(variants: set[str]) -> bool:
    """Whether questions of these variants are pairs of an original question and its counterfactual."""
    return variants <= set(PAIR_VARIANTS)
