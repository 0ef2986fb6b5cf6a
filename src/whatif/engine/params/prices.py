"""Prices of tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Prices:
    """Prices per million tokens, in the currency of params.yaml."""

    prompt: float
    response: float

    def cost(self, prompt_tokens: float, response_tokens: float) -> float:
        """The cost of these numbers of tokens, in the same currency."""
        return (prompt_tokens * self.prompt + response_tokens * self.response) / 1e6


def money(cost: float) -> str:
    """A cost as text: two decimals, or two significant digits below 0.01."""
    return f"{cost:.2f}" if cost >= 0.01 or cost == 0 else f"{cost:.2g}"
