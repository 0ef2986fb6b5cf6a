"""Checks reported numbers against each other: what is claimed, what follows from the printed numbers, and the verdict.

A claim is a reported number or order with a formula. Inputs are printed numbers, so each lies within half a unit of its
last digit; interval arithmetic says which results their rounding allows.
"""

from whatif.results.contradictions.claim import (
    CANNOT_BE_CHECKED,
    DOES_NOT_HOLD,
    HOLDS,
    VERDICTS,
    WITHIN_ROUNDING,
    Claim,
    Outcome,
    Verdict,
)
from whatif.results.contradictions.quantity import Printed, Quantity, exactly, printed

__all__ = [
    "CANNOT_BE_CHECKED",
    "DOES_NOT_HOLD",
    "HOLDS",
    "VERDICTS",
    "WITHIN_ROUNDING",
    "Claim",
    "Outcome",
    "Printed",
    "Quantity",
    "Verdict",
    "exactly",
    "printed",
]
