"""The reported numbers of CFMM by system, strategy and category, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from whatif.benchmarks.cfmm.measures import ACCURACIES
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.published_numbers import published

# Our names of the strategies of the paper, and the reported names of all strategies.
_STRATEGIES = {"direct": "direct", "icl": "one-shot", "cot": "one-shot-cot"}
PROMPTS = {
    "direct": "0-shot",
    "one-shot": "1-shot ICL",
    "one-shot-cot": "1-shot CoT",
    "one-shot-cot-reason-first": "1-shot CoT, reasons first",
}

Cell = tuple[str, str, str]  # system, strategy, category


@dataclass(frozen=True)
class Reported:
    """Accuracies as printed, by name.

    categories: in percent, by system, strategy and category (Table 2); totals: summed over categories (Table 3).
    """

    categories: Mapping[Cell, Mapping[str, str]]
    totals: Mapping[tuple[str, str], Mapping[str, str]]

    @property
    def systems(self) -> list[str]:
        """The names of the systems, in the order of Table 2."""
        return list(dict.fromkeys(system for system, _ in self.totals))

    def sums(self) -> dict[tuple[str, str], dict[str, float]]:
        """What Table 3 would be as the sums of Table 2, to two decimals."""
        return {
            (system, strategy): {
                name: round(sum(float(self.categories[system, strategy, one][name]) for one in CATEGORIES), 2)
                for name in ACCURACIES
            }
            for system, strategy in self.totals
        }

    def differences(self) -> dict[tuple[str, str, str], float]:
        """Table 3 minus the sum of Table 2 by (system, strategy, accuracy), where they are not the same."""
        found = {}
        for row, sums in self.sums().items():
            for name, total in sums.items():
                difference = round(float(self.totals[row][name]) - total, 2)
                if difference:
                    found[(*row, name)] = difference
        return found

    def mean_fall(self, strategy: str | None = None) -> float:
        """The mean of acc_b minus acc_c over the rows of Table 3, of one strategy or of all."""
        return fmean(
            float(cells["acc_b"]) - float(cells["acc_c"])
            for (_, of_row), cells in self.totals.items()
            if strategy in (None, of_row)
        )


def reported() -> Reported:
    """Tables 2 and 3 as printed."""
    categories: dict[Cell, dict[str, str]] = {}
    totals: dict[tuple[str, str], dict[str, str]] = {}
    for row in published(__package__, "table2"):
        place = (row["system"], _STRATEGIES[row["strategy"]], row["category"])
        categories.setdefault(place, {})[row["metric"]] = row["value"]
    for row in published(__package__, "table3"):
        totals.setdefault((row["system"], _STRATEGIES[row["strategy"]]), {})[row["metric"]] = row["value"]
    return Reported(categories, totals)


def in_text(metric: str, variant: str | None = None) -> str:
    """A number of the running text as printed, by its metric and its variant, where several have this metric."""
    rows = published(__package__, "text")
    (found,) = (row["value"] for row in rows if row["metric"] == metric and variant in (None, row["variant"]))
    return found


def prompt_name(strategy: str) -> str:
    """How tables print a strategy."""
    return PROMPTS.get(strategy, strategy)
