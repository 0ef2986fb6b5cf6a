"""What can be recomputed of C-VQA-Synthetic's reported table: how far accuracies are from chance."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from whatif.results.contradictions import Claim
from whatif.results.contradictions.formulas import not_checkable
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.significance import against_chance
from whatif.results.reporting.published_numbers import published

_QUESTIONS = 3000  # 3.4
_CHANCE = Fraction(1, 4)  # four options
_SYSTEMS = 14  # of Table 3, all of which are said to have been asked (4.2)
_RELATIONS = {  # what 4.2 says of each system
    "InstructBLIP (Vicuna-7B)": "at",
    "InstructBLIP (FlanT5 XXL)": "below",
    "BLIP2 (FlanT5 XXL)": "below",
}
_claim = partial(Claim, "C-VQA")


def claims() -> Iterator[Claim]:
    """All claims about C-VQA-Synthetic. Every percentage with one decimal is possible with 3,000 questions."""
    cells = Cells(published(__package__, "table7"), "system", "variant")
    for system, variant in cells:
        found = against_chance(cells[system, variant], _CHANCE, _QUESTIONS, _RELATIONS[system], "questions")
        yield _claim("4.2, Table 7", f"{system}, {variant}", "significance", found, "random level")
    missing = _SYSTEMS - len(cells.names(0))
    reason = f"the numbers of {missing} of the {_SYSTEMS} systems are not printed"
    yield _claim("4.2", "all systems", "order", not_checkable("almost no system is normal", reason), "missing systems")
