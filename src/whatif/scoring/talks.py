"""A conversation with a model about one question, turn by turn: its answers, and their columns of `predictions`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from whatif.models import Answer
from whatif.scoring.majority import summed


@dataclass
class Talk:
    """The answers to a question so far, one a turn."""

    answers: list[Answer] = field(default_factory=list)

    @property
    def goes_on(self) -> bool:
        """Whether every turn so far has a response, so that the next one can be asked."""
        return all(answer.status == "ok" and answer.response is not None for answer in self.answers)

    @property
    def responses(self) -> list[str]:
        """The model's words in each turn so far, as it gave them: chat templates remove reasoning themselves."""
        return [answer.response or "" for answer in self.answers]

    @property
    def last(self) -> Answer:
        """The last answer without its reasoning, with the tokens of all turns."""
        return replace(
            self.answers[-1].without_reasoning(),
            prompt_tokens=summed([one.prompt_tokens for one in self.answers]),
            response_tokens=summed([one.response_tokens for one in self.answers]),
        )

    @property
    def earlier_turns(self) -> list[dict[str, Any]] | None:
        """The column `earlier_turns`: the turns before the last one; None if there are none."""
        turns = [
            {"response": one.without_reasoning().response, "request_key": one.request_key} for one in self.answers[:-1]
        ]
        return turns or None
