"""What tokens cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Prices:
    """Prices of a million tokens, in whatever currency they were given."""

    prompt: float
    response: float

    def cost(self, prompt_tokens: float, response_tokens: float) -> float:
        """What so many tokens cost, in that currency."""
        return (prompt_tokens * self.prompt + response_tokens * self.response) / 1e6


def money(cost: float) -> str:
    """A cost as text: two decimals, or two digits of less than a hundredth."""
    return f"{cost:.2f}" if cost >= 0.01 or cost == 0 else f"{cost:.2g}"
