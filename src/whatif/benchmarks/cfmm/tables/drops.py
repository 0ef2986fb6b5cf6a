"""The fall from basic to counterfactual questions, and the association of success on both (CFMM 4.2, observation 1).

The paper finds a slight negative correlation of a model's success on basic and on counterfactual questions and takes it
as a sign that models answer counterfactual questions as if they were basic ones. It does not say how the correlation is
computed. Here it is phi over pairs, and beside it acc_plus minus the product of acc_b and acc_c, which is 0 if success
on one question says nothing about the other. Both follow from the reported percentages, too.

`drop` is basic minus counterfactual accuracy over pairs in points, so a loss is positive; its p-values are corrected
over the table (Holm). Phi lies between -1 and 1, the excess is in points.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from whatif.benchmarks.cfmm.measures import EXCESS, MEAN, PHI, TOTAL
from whatif.benchmarks.cfmm.report import BESIDE, BY_SYSTEM, ONLY_OURS, PLACE, Cfmm
from whatif.benchmarks.cfmm.reported import in_text, reported
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import decimal, signed
from whatif.results.reporting.precision import corrected
from whatif.results.reporting.table import DROP, NUMBERS, Column, View

_BY_CATEGORY = {**BY_SYSTEM, "category": "Category"}


def _views(found: Cfmm) -> Iterator[View]:
    of_categories = dict.fromkeys([*CATEGORIES, *found.asked.categories])
    printed = reported()
    phis = [row["value"] for row in printed if row["measure"] == PHI]
    falls = [row for row in printed if row["category"] == TOTAL and row["measure"] == DROP]
    direct = fmean(row["value"] for row in falls if row["strategy"] == "direct")
    yield View(
        f"Ours: basic minus counterfactual accuracy over pairs in points, with {found.level} intervals by image.",
        _BY_CATEGORY,
        (
            Column("Drop", DROP, ONLY_OURS, interval=True),
            Column("Pairs", DROP, ONLY_OURS, number="n"),
            Column("p", DROP, ONLY_OURS, number="p"),
            Column("Holm p", DROP, ONLY_OURS, number="p_holm"),
        ),
        f"All is over all questions, total the sum over categories. The p-values of "
        f"Holm are corrected for all rows of the table. {found.about_totals}".strip(),
    )
    yield View(
        "Ours: association of success on the basic and on the counterfactual question of a pair, with "
        f"{found.level} bootstrap intervals by image.",
        _BY_CATEGORY,
        (
            Column("Phi", PHI, ONLY_OURS, write=signed(2), interval=True),
            Column("acc_plus - acc_b * acc_c (points)", EXCESS, ONLY_OURS, write=signed(1), interval=True),
        ),
        "Both are 0 if success on one question says nothing about the other; acc_b is here over pairs. There is no "
        "row where a system answers all or none of the questions of a kind correctly. Over all questions, both "
        "also reflect that some categories are easier than others.",
    )
    yield View(
        "Basic minus counterfactual accuracy in points, beside what follows from the reported percentages.",
        BESIDE,
        tuple(Column(one.capitalize(), DROP, {"category": one}) for one in (*of_categories, TOTAL)),
        f"The paper's text reports a mean drop of the total of {in_text('mean_drop_of_total_score')}; by its Table 3 "
        f"it is {direct:.2f} with 0-shot prompts, and {fmean(row['value'] for row in falls):.2f} with all prompts.",
    )
    yield View(
        "Phi of success on the basic and on the counterfactual question, beside what follows from the reported "
        "percentages.",
        BESIDE,
        tuple(Column(one.capitalize(), PHI, {"category": one}, write=signed(2)) for one in of_categories),
        f"By the reported percentages, phi is negative in {sum(phi < 0 for phi in phis)} of {len(phis)} cells; "
        f"its mean is {decimal(3)(fmean(phis))}.",
    )


TABLE: Declared[Cfmm] = Declared(
    position=40,
    title="From basic to counterfactual questions",
    identity=(*PLACE, "category", "measure"),
    numbers=NUMBERS,
    rows=lambda found: corrected(
        found.beside(lambda row: row["category"] != MEAN and row["measure"] in (DROP, PHI, EXCESS))
    ),
    views=lambda found: tuple(_views(found)),
)
