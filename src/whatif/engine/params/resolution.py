"""Settings of the rule that makes one decision for an item out of the judgements of several people."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from whatif.engine.params.base import Settings

Rule = Literal["single", "majority", "first", "adjudicated", "unanimous", "tie-break"]
ADJUDICATED: Rule = "adjudicated"


class Resolution(Settings):
    """How the judgements of an item become one decision; `whatif.people.resolution` describes the rules."""

    rule: Rule = "majority"
    adjudicator: str | None = None  # annotator whose decision wins; only for the rule `adjudicated`

    @model_validator(mode="after")
    def _has_adjudicator(self) -> Resolution:
        if self.rule == ADJUDICATED and not self.adjudicator:
            raise ValueError("the rule `adjudicated` needs an `adjudicator`: the name of an annotator")
        if self.rule != ADJUDICATED and self.adjudicator is not None:
            raise ValueError(f"the rule `{self.rule}` has no adjudicator; set `rule: adjudicated` or remove it")
        return self
