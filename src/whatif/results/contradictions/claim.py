"""A claim of a paper with its place, and what came out when it was checked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Verdict = Literal["holds", "within rounding", "does not hold", "cannot be checked"]
HOLDS: Verdict = "holds"
WITHIN_ROUNDING: Verdict = "within rounding"
DOES_NOT_HOLD: Verdict = "does not hold"
CANNOT_BE_CHECKED: Verdict = "cannot be checked"
VERDICTS: tuple[Verdict, ...] = (HOLDS, WITHIN_ROUNDING, DOES_NOT_HOLD, CANNOT_BE_CHECKED)

Kind = Literal[
    "drop",
    "relative change",
    "difference",
    "sum",
    "mean",
    "share",
    "product",
    "same number",
    "possible percentage",
    "bounds",
    "limit",
    "order",
    "significance",
    "correlation",
    "agreement",
    "sample size",
]


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    verdict: `holds`: it follows from the printed numbers as they are. `within rounding`: it does not, but it follows
    from values that are printed like these. `does not hold`: neither. `cannot be checked`: the paper does not print
    what is needed.
    reported: the number or the limit that is claimed, as text. low, high: what rounding allows for the recomputed
    value; none where nothing was recomputed. explanation: one sentence.
    """

    verdict: Verdict
    reported: str
    low: Fraction | None
    high: Fraction | None
    explanation: str


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    paper: its short name; place: `Table 3`, or the number of a section or appendix; cell: the row and column, or what
    the number is about;
    finding: the id of a group of claims that belong together, such as all cells of one statement in the text; it may be
    empty.
    """

    paper: str
    place: str
    cell: str
    kind: Kind
    outcome: Outcome
    finding: str = ""

    @property
    def where(self) -> str:
        """The place in words: numbers are sections, and letters with numbers are appendices."""
        if self.place[0].isdigit():
            place = f"Section {self.place}"
        else:
            place = f"Appendix {self.place}" if self.place[1:2] == "." else self.place
        return f"{place}: {self.cell}" if self.cell else place
