"""Table 2 of CFMM (4.1): acc_b, acc_c and acc_plus by category in percent; the paper reports no intervals."""

from __future__ import annotations

from whatif.benchmarks.cfmm.measures import ACCURACIES, ALL, MEAN, TOTAL
from whatif.benchmarks.cfmm.report import BESIDE, BY_SYSTEM, NUMBERS, ONLY_OURS, PLACE, Cfmm
from whatif.benchmarks.cfmm.schemas import BASIC, COUNTERFACTUAL
from whatif.benchmarks.shared.people_rows import with_people
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.table import PUBLISHED, Column, Table, View

_MEANING = {
    "acc_b": "basic questions answered correctly",
    "acc_c": "counterfactual questions answered correctly",
    "acc_plus": "pairs of a basic and a counterfactual question, both answered correctly",
}


def _further(found: Cfmm, table: Table) -> Table:
    """The table with the rows and views of people, and of the judge."""
    places = {system: found.place(system) for system in found.answers.systems}
    return with_people(
        found,
        found.with_judge(table),
        places,
        {"category": "Category", "variant": "Variant"},
        lambda row: [{"category": row["group"], "variant": BASIC if row["variant"] == BASIC else COUNTERFACTUAL}],
        measure=lambda part: ACCURACIES[part["variant"] != BASIC],
    )


TABLE: Declared[Cfmm] = Declared(
    position=20,
    title="By category",
    identity=(*PLACE, "category", "measure", PUBLISHED),
    numbers=NUMBERS,
    rows=lambda found: found.beside(
        lambda row: row["category"] not in (ALL, TOTAL, MEAN) and row["measure"] in ACCURACIES
    ),
    views=lambda found: (
        *(
            View(
                f"{name} by category, in percent (CFMM Table 2): {_MEANING[name]}.",
                BESIDE,
                tuple(
                    Column(one.capitalize(), name, {"category": one})
                    for one in dict.fromkeys([*CATEGORIES, *found.asked.categories])
                ),
                f"Reported rows are the paper's, of other images and questions. {found.ranked_by}".strip(),
            )
            for name in ACCURACIES
        ),
        View(
            f"Ours by category in percent, with {found.level} intervals by image.",
            {**BY_SYSTEM, "category": "Category"},
            (
                *(Column(name, name, ONLY_OURS, interval=True) for name in ACCURACIES),
                Column("Images", "acc_b", ONLY_OURS, number="n"),
                Column("Pairs", "acc_plus", ONLY_OURS, number="n"),
            ),
        ),
    ),
    further=_further,
)
