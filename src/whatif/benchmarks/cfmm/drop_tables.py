"""The fall from basic to counterfactual questions, and the association of success on both (CFMM 4.2, observation 1).

The paper finds a slight negative correlation of a model's success on basic and on counterfactual questions and takes it
as a sign that models answer counterfactual questions as if they were basic ones. It does not say how the correlation is
computed. Here it is phi over pairs, and beside it acc_plus minus the product of acc_b and acc_c, which is 0 if success
on one question says nothing about the other. Both follow from the reported percentages, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.benchmarks.cfmm.measures import ACCURACIES, ALL, Scores
from whatif.benchmarks.cfmm.reported import Reported, in_text
from whatif.benchmarks.cfmm.tables import BESIDE, BY_SYSTEM, ONLY_OURS, TOTAL, Results
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.answers import System
from whatif.results.reporting.numerals import decimal, signed
from whatif.results.reporting.precision import as_measured, in_percent, p_number, percent
from whatif.results.reporting.table import DROP, Column, Table, View, tidy
from whatif.scoring.statistics import holm, phi_of

PHI, EXCESS = "phi", "excess"
_IDENTITY = ("model", "name", "source", "strategy", "prompt", "category", "measure")
Row = dict[str, Any]


def drops(results: Results, printed: Reported) -> Table:
    """The table `drops`: drop, phi and excess by system and category, over all questions and as a total.

    `drop` is basic minus counterfactual accuracy over pairs in points, so a loss is positive; its p-values are
    corrected over the table (Holm). The category `total` is the sum over categories, `all` is over all questions. Phi
    lies between -1 and 1, the excess is in points.
    """
    corrected = _corrected(results)

    def rows(system: str, strategy: str) -> list[Row]:
        found = [
            row
            for category in CATEGORIES
            for row in _of_reported(category, printed.categories[system, strategy, category])
        ]
        cells = printed.totals[system, strategy]
        drop = percent((float(cells["acc_b"]) - float(cells["acc_c"])) / 100)
        return [*found, {"category": TOTAL, "measure": DROP, "value": drop}]

    def ours(system: System) -> list[Row]:
        found = [
            row
            for category, scores in results.systems[system].scores.items()
            for row in _of_ours(category, scores, corrected[system, category])
        ]
        totals = results.systems[system].totals
        if totals is not None:
            drop = in_percent("value", totals.drop.interval)
            found.append(
                {
                    "category": TOTAL,
                    "measure": DROP,
                    **drop,
                    "n": results.systems[system].scores[ALL].pairs,
                    "p": p_number(totals.drop.p),
                    "p_holm": p_number(corrected[system, TOTAL]),
                }
            )
        return found

    frame = tidy(results.beside(printed, rows, ours), _IDENTITY)
    return Table("drops", "From basic to counterfactual questions", frame, _views(results, printed))


def _of_ours(category: str, scores: Scores, p_holm: float) -> list[Row]:
    place = {"category": category, "n": scores.pairs}
    drop = in_percent("value", scores.drop.interval)
    rows = [{**place, "measure": DROP, **drop, "p": p_number(scores.drop.p), "p_holm": p_number(p_holm)}]
    if scores.association is not None:
        rows.append({**place, "measure": PHI, **as_measured(scores.association.phi)})
        rows.append({**place, "measure": EXCESS, **in_percent("value", scores.association.excess)})
    return rows


def _of_reported(category: str, cells: Mapping[str, str]) -> list[Row]:
    """What follows from the reported percentages of one category."""
    basic, counterfactual, both = (float(cells[name]) / 100 for name in ACCURACIES)
    values = {
        DROP: percent(basic - counterfactual),
        PHI: round(phi_of(basic, counterfactual, both), 4),
        EXCESS: percent(both - basic * counterfactual),
    }
    return [{"category": category, "measure": measure, "value": value} for measure, value in values.items()]


def _corrected(results: Results) -> dict[tuple[System, str], float]:
    """Holm's p-values of all drops in the table."""
    found = {
        (system, category): scores.drop.p
        for system, measured in results.systems.items()
        for category, scores in measured.scores.items()
    }
    for system, measured in results.systems.items():
        if measured.totals is not None:
            found[system, TOTAL] = measured.totals.drop.p
    p_values = holm(list(found.values())).p_values
    return {place: p or 0.0 for place, p in zip(found, p_values, strict=True)}


def _views(results: Results, printed: Reported) -> tuple[View, ...]:
    of_categories = dict.fromkeys([*CATEGORIES, *results.questions.categories])
    phis = [phi_of(*(float(cells[name]) / 100 for name in ACCURACIES)) for cells in printed.categories.values()]
    falls = (
        f"The paper's text reports a mean drop of the total of {in_text('mean_drop_of_total_score')}; by its Table 3 "
        f"it is {printed.mean_fall('direct'):.2f} with 0-shot prompts, and {printed.mean_fall():.2f} with all prompts."
    )
    by_category = {**BY_SYSTEM, "category": "Category"}
    return (
        View(
            f"Ours: basic minus counterfactual accuracy over pairs in points, with {results.level} intervals by image.",
            by_category,
            (
                Column("Drop", DROP, ONLY_OURS, interval=True),
                Column("Pairs", DROP, ONLY_OURS, number="n"),
                Column("p", DROP, ONLY_OURS, number="p"),
                Column("Holm p", DROP, ONLY_OURS, number="p_holm"),
            ),
            f"All is over all questions, total the sum over categories. The p-values of "
            f"Holm are corrected for all rows of the table. {results.about_totals}".strip(),
        ),
        View(
            "Ours: association of success on the basic and on the counterfactual question of a pair, with "
            f"{results.level} bootstrap intervals by image.",
            by_category,
            (
                Column("Phi", PHI, ONLY_OURS, write=signed(2), interval=True),
                Column("acc_plus - acc_b * acc_c (points)", EXCESS, ONLY_OURS, write=signed(1), interval=True),
            ),
            "Both are 0 if success on one question says nothing about the other; acc_b is here over pairs. There is no "
            "row where a system answers all or none of the questions of a kind correctly. Over all questions, both "
            "also reflect that some categories are easier than others.",
        ),
        View(
            "Basic minus counterfactual accuracy in points, beside what follows from the reported percentages.",
            BESIDE,
            tuple(Column(one.capitalize(), DROP, {"category": one}) for one in (*of_categories, TOTAL)),
            falls,
        ),
        View(
            "Phi of success on the basic and on the counterfactual question, beside what follows from the reported "
            "percentages.",
            BESIDE,
            tuple(Column(one.capitalize(), PHI, {"category": one}, write=signed(2)) for one in of_categories),
            f"By the reported percentages, phi is negative in {sum(phi < 0 for phi in phis)} of {len(phis)} cells; "
            f"its mean is {decimal(3)(sum(phis) / len(phis))}.",
        ),
    )
