"""Table 3 of CFMM (4.1): the sum of the percentages of six categories, so each counts the same; at most 600.

A second view has the reported totals that are not the sums of the reported categories.
"""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.cfmm.measures import ACCURACIES, TOTAL, Row
from whatif.benchmarks.cfmm.report import BESIDE, BY_SYSTEM, NUMBERS, PLACE, Cfmm
from whatif.benchmarks.cfmm.reported import MINUS_SUM, OF_CATEGORIES, reported
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import decimal, signed
from whatif.results.reporting.table import DROP, PUBLISHED, Column, View


def _rows(found: Cfmm) -> Iterator[Row]:
    for row in found.beside(lambda row: row["category"] == TOTAL and row["measure"] != DROP):
        del row["category"]
        yield row


def _views(found: Cfmm) -> tuple[View, ...]:
    printed = [row for row in reported() if row["category"] == TOTAL and row["measure"] in ACCURACIES]
    differences = [row["value"] for row in reported() if row["measure"].endswith(MINUS_SUM)]
    return (
        View(
            f"Totals over the categories, of at most {100 * len(found.asked.categories):,}, ours with {found.level} "
            "intervals by image (CFMM Table 3).",
            BESIDE,
            tuple(Column(name, name, write=decimal(2), interval=True) for name in ACCURACIES),
            f"Reported rows are the paper's, of other images and questions. {found.about_totals}".strip(),
        ),
        View(
            f"{len(differences)} of the {len(printed)} reported totals are not the sums of the reported "
            f"categories; the largest difference is {max(map(abs, differences)):.2f}.",
            {name: heading for name, heading in BY_SYSTEM.items() if name != "model"},
            tuple(
                column
                for name in ACCURACIES
                for column in (
                    Column(f"{name}, sum", f"{name} {OF_CATEGORIES}", write=decimal(2)),
                    Column("Reported minus sum", f"{name} {MINUS_SUM}", write=signed(2)),
                )
            ),
        ),
    )


TABLE: Declared[Cfmm] = Declared(
    position=10,
    title="Totals",
    identity=(*PLACE, "measure", PUBLISHED),
    numbers=NUMBERS,
    rows=_rows,
    views=_views,
)
