"""Of our systems, the sum over categories and the mean over questions, beside those of random answers.

The mean over questions counts every question the same, so large categories count more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whatif.benchmarks.cfmm.item_answers import Asked
from whatif.benchmarks.cfmm.measures import ACCURACIES, ALL, TOTAL, UNANSWERED, Row
from whatif.benchmarks.cfmm.report import BY_SYSTEM, NUMBERS, PLACE, Cfmm
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import percent
from whatif.results.reporting.table import Column, View

_OVER = {TOTAL: TOTAL, ALL: "questions"}


def _rows(found: Cfmm) -> Iterator[Row]:
    for category, over in _OVER.items():
        for name, value in _random(found.asked, by_category=category == TOTAL).items():
            yield {"name": "Chance", "over": over, "measure": name, "value": percent(value)}
    for rows in found.measured.values():
        for category, over in (*_OVER.items(), (ALL, "")):
            shown = ACCURACIES if over else (UNANSWERED,)
            for row in rows:
                if row["category"] == category and row["measure"] in shown:
                    yield {"over": over, **{name: value for name, value in row.items() if name != "category"}}


def _random(questions: Asked, *, by_category: bool) -> dict[str, float]:
    """The expected accuracies of random answers, in fractions: over all questions, or summed over the categories."""
    chance = 1 / questions.options
    places = range(len(questions.categories))
    parts = [questions.category == place for place in places] if by_category else [np.ones(len(chance), dtype=np.bool_)]
    found = dict.fromkeys(ACCURACIES, 0.0)
    for part in parts:
        basics, others = np.flatnonzero(part & questions.is_basic), np.flatnonzero(part & ~questions.is_basic)
        both = chance[others] * chance[questions.basic[others]]
        for name, values in zip(ACCURACIES, (chance[basics], chance[others], both), strict=True):
            found[name] += float(values.mean())
    return found


def _columns(over: str) -> tuple[Column, ...]:
    return tuple(Column(name, name, {"over": over}, interval=True) for name in ACCURACIES)


TABLE: Declared[Cfmm] = Declared(
    position=30,
    title="Totals and means",
    identity=(*PLACE, "over", "measure"),
    numbers=NUMBERS,
    rows=_rows,
    views=lambda found: (
        View(
            f"Sums of the percentages of {len(found.asked.categories)} categories, of at most "
            f"{100 * len(found.asked.categories):,}, with {found.level} intervals by image.",
            BY_SYSTEM,
            _columns(TOTAL),
            f"Chance is the expected total of random answers. {found.about_totals}".strip(),
        ),
        View(
            f"Means over all questions in percent, with {found.level} intervals by image, and questions without an "
            "answer, which count as wrong.",
            BY_SYSTEM,
            (*_columns(_OVER[ALL]), Column("Unanswered", UNANSWERED, write=count)),
        ),
    ),
)
