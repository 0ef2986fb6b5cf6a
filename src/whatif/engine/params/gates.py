"""Gates: rules about what may change between two runs, such as `drop > 2 points, significant`."""

from __future__ import annotations

import re
from dataclasses import dataclass

ACCURACY, DROP, PAIR_ACCURACY = "accuracy", "drop", "pair accuracy"
_RULE = re.compile(
    r"(?:(?P<benchmark>[a-z0-9][a-z0-9-]*)\s*:\s*)?(?P<measure>[A-Za-z_][\w -]*?)\s*(?P<sign>[<>])\s*"
    r"(?P<points>[+-]?\d+(?:\.\d+)?)\s*(?:points?)?(?P<significant>\s*,?\s*significant)?"
)


@dataclass(frozen=True)
class Gate:
    """A change from A to B that is not allowed: more (`>`) or less (`<`) than a number of points.

    measure: `accuracy`, or that of one variant (`counterfactual accuracy`); `drop`; `pair accuracy`; or a number of
    `metrics/BENCHMARK.json`. benchmark: empty for all. significant: only where a paired test finds the change.
    """

    text: str
    benchmark: str
    measure: str
    rises: bool
    points: float
    significant: bool

    @property
    def variant(self) -> str | None:
        """The variant whose accuracy is meant, empty for that of every variant; None for another measure."""
        if self.measure != PAIR_ACCURACY and self.measure.split(" ")[-1] == ACCURACY:
            return self.measure.removesuffix(ACCURACY).strip()
        return None

    @property
    def of_answers(self) -> bool:
        """Whether the measure is computed from paired answers, so that a test is possible."""
        return self.variant is not None or self.measure in (DROP, PAIR_ACCURACY)

    def forbids(self, change: float) -> bool:
        """Whether a change in points is one that the gate stops, whether or not it is significant."""
        return change > self.points if self.rises else change < self.points


def gate(text: str) -> Gate:
    """The gate that a rule describes. Raises ValueError with what is wrong and what would be right."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"{text!r} is no rule; one is `[BENCHMARK:] MEASURE > POINTS points [, significant]` about the change from "
            "A to B, such as `drop > 2 points`, `accuracy < -1 points, significant`, `cfmm: pair accuracy < -3 points`"
        )
    measure = " ".join(found["measure"].split())
    made = Gate(
        text.strip(), found["benchmark"] or "", measure, found["sign"] == ">", float(found["points"]), bool(found[5])
    )
    if made.significant and not made.of_answers:
        raise ValueError(
            f"{text!r}: there is a test for {ACCURACY}, {DROP} and {PAIR_ACCURACY}, not for {measure}; leave out "
            "`significant`"
        )
    return made
