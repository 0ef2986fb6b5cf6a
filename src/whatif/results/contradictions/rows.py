"""Checked claims as rows of one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields

from whatif.results.contradictions.claim import (
    CANNOT_BE_CHECKED,
    DOES_NOT_HOLD,
    HOLDS,
    VERDICTS,
    WITHIN_ROUNDING,
    Claim,
    Verdict,
)


@dataclass(frozen=True)
class Row:
    """A checked claim. place: the table or section with the row and column; low, high: of the recomputed value."""

    benchmark: str
    paper: str
    place: str
    kind: str
    finding: str
    reported: str
    low: float | None
    high: float | None
    verdict: Verdict
    explanation: str

    def values(self) -> tuple[object, ...]:
        """The values in the order of `COLUMNS`."""
        return astuple(self)

    def named(self) -> dict[str, object]:
        """The values by column."""
        return dict(zip(COLUMNS, self.values(), strict=True))


SAYS: dict[Verdict, str] = {  # of several claims
    HOLDS: "hold",
    WITHIN_ROUNDING: "hold within rounding",
    DOES_NOT_HOLD: "do not hold",
    CANNOT_BE_CHECKED: "cannot be checked",
}
COLUMNS = tuple(field.name for field in fields(Row))


def row(benchmark: str, claim: Claim) -> Row:
    """The row of a claim of a benchmark."""
    found = claim.outcome
    low, high = (None if value is None else float(value) for value in (found.low, found.high))
    return Row(
        benchmark,
        claim.paper,
        claim.where,
        claim.kind,
        claim.finding,
        found.reported,
        low,
        high,
        found.verdict,
        found.explanation,
    )


def told(rows: Iterable[Row]) -> str:
    """The counts in words: `1,662 hold, 38 hold within rounding, ...`."""
    return ", ".join(f"{number:,} {SAYS[verdict]}" for verdict, number in by_verdict(rows).items())


def by_verdict(rows: Iterable[Row]) -> dict[Verdict, int]:
    """The number of rows with each verdict, all four of them."""
    counted = Counter(row.verdict for row in rows)
    return {verdict: counted[verdict] for verdict in VERDICTS}
