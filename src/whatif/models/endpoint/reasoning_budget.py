"""Whether an endpoint keeps to the budget of reasoning: what its replies report, in one line for each job."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from whatif.engine.params.endpoints import ApiModel


@dataclass
class ReportedReasoning:
    """The tokens of reasoning that the replies of a job report; None for a reply that counts none."""

    settings: ApiModel
    tokens: list[int | None] = field(default_factory=list)  # appended to by many threads
    said: bool = False

    def report(self) -> None:
        """Prints once how many replies have more tokens of reasoning than `budget_tokens`, if any."""
        room = self.settings.room_for_reasoning
        over = [count for count in self.tokens if room and count is not None and count > room]
        if not over or self.said:
            return
        self.said = True
        print(
            f"whatif: {self.settings.model}: {len(over):,} of {len(self.tokens):,} replies have more tokens of "
            f"reasoning than budget_tokens ({room:,}), at most {max(over):,}: the endpoint does not keep to it; give "
            "it the budget in its own words (extra_body), or raise it",
            file=sys.stderr,
        )
