"""The reported numbers of CFMM as rows of our tables, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from whatif.benchmarks.cfmm.measures import ACCURACIES, EXCESS, PHI, TOTAL, Row
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.precision import percent
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import DROP, PUBLISHED, REPORTED
from whatif.scoring.statistics import phi_of

# Our names of the strategies of the paper, and the reported names of all strategies.
_STRATEGIES = {"direct": "direct", "icl": "one-shot", "cot": "one-shot-cot"}
PROMPTS = {
    "direct": "0-shot",
    "one-shot": "1-shot ICL",
    "one-shot-cot": "1-shot CoT",
    "one-shot-cot-reason-first": "1-shot CoT, reasons first",
}
OF_CATEGORIES, MINUS_SUM = "sum of categories", "minus sum"  # after the name of an accuracy


def reported() -> list[Row]:
    """Tables 2 and 3 as printed, by system and strategy, and `drop`, `phi` and `excess`, which follow from them.

    Totals (Table 3) that are not the sums of the categories (Table 2) are followed by these sums and the differences.
    """
    cells: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for row in (*published(__package__, "table2"), *published(__package__, "table3")):
        of_system = cells.setdefault((row["system"], _STRATEGIES[row["strategy"]]), {})
        of_system.setdefault(row["category"], {})[row["metric"]] = row["value"]
    return [
        {"name": name, "source": REPORTED, "strategy": strategy, "prompt": prompt_name(strategy), **row}
        for (name, strategy), of_system in cells.items()
        for category in (*CATEGORIES, TOTAL)
        for row in _of_category(of_system, category)
    ]


def _of_category(of_system: Mapping[str, Mapping[str, str]], category: str) -> Iterator[Row]:
    place = {"category": category}
    for name, text in of_system[category].items():
        yield {**place, "measure": name, "value": float(text), PUBLISHED: text}
        total = round(sum(float(of_system[one][name]) for one in CATEGORIES), 2)
        if category == TOTAL and float(text) != total:
            yield {**place, "measure": f"{name} {OF_CATEGORIES}", "value": total}
            yield {**place, "measure": f"{name} {MINUS_SUM}", "value": round(float(text) - total, 2)}
    basic, counterfactual, both = (float(of_system[category][name]) / 100 for name in ACCURACIES)
    yield {**place, "measure": DROP, "value": percent(basic - counterfactual)}
    if category != TOTAL:
        yield {**place, "measure": PHI, "value": round(phi_of(basic, counterfactual, both), 4)}
        yield {**place, "measure": EXCESS, "value": percent(both - basic * counterfactual)}


def in_text(metric: str, variant: str | None = None) -> str:
    """A number of the running text as printed, by its metric and its variant, where several have this metric."""
    rows = published(__package__, "text")
    (found,) = (row["value"] for row in rows if row["metric"] == metric and variant in (None, row["variant"]))
    return found


def prompt_name(strategy: str) -> str:
    """How tables print a strategy."""
    return PROMPTS.get(strategy, strategy)
