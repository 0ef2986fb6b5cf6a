"""What can be recomputed of CFMM's reported tables: totals, possible percentages, and what 3 and 4 say about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

from whatif.benchmarks.cfmm import claims_in_text
from whatif.benchmarks.cfmm.claims_in_text import PROMPTS
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.contradictions import Claim
from whatif.results.contradictions.counts import both_right, likeliest_size, possible
from whatif.results.contradictions.formulas import equals
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import exactly, printed, total
from whatif.results.reporting.published_numbers import published

_SHARES = ("acc_b", "acc_c", "acc_plus")
_COUNTERFACTUAL = 4  # questions for each image (3.3)
_SIZES = range(20, 601)  # images of a category, where 1,200 are in six
_claim = partial(Claim, "CFMM")


def claims() -> Iterator[Claim]:
    """All claims about CFMM, in the order of the paper."""
    cells = Cells(published(__package__, "table2"), "system", "strategy", "category", "metric")
    totals = Cells(published(__package__, "table3"), "system", "strategy", "metric")
    sizes = category_sizes()
    yield from claims_in_text.sizes()
    yield from _inferred_sizes(sizes)
    yield from _shares(cells, sizes)
    yield from _totals(cells, totals)
    yield from claims_in_text.results(cells, totals, sizes)


@cache
def category_sizes() -> Mapping[str, int]:
    """The number of images of each category, which are printed in a figure only.

    The smallest number from which most percentages of Table 2 can come: acc_b is about images, the other two are about
    four questions for each.
    """
    rows = published(__package__, "table2")
    found = {}
    for category in CATEGORIES:
        of_images, of_questions = (
            [
                printed(row["value"])
                for row in rows
                if row["category"] == category and (row["metric"] == "acc_b") == basic
            ]
            for basic in (True, False)
        )
        found[category] = likeliest_size([(of_questions, _COUNTERFACTUAL), (of_images, 1)], _SIZES)
    return found


def _inferred_sizes(sizes: Mapping[str, int]) -> Iterator[Claim]:
    images = printed("1,200")
    listed = ", ".join(f"{category} {size}" for category, size in sizes.items())
    found = equals(images, exactly(sum(sizes.values())), "the sum of the sizes that fit table 2 best", listed)
    yield _claim("Table 2", "number of images", "sample size", found, "inferred sizes")


def _shares(cells: Cells, sizes: Mapping[str, int]) -> Iterator[Claim]:
    rows = dict.fromkeys(key[:3] for key in cells)
    for system, strategy, category in rows:
        name = f"{system}, {PROMPTS[strategy]}, {category}"
        of_row = {share: cells[system, strategy, category, share] for share in _SHARES}
        for share, percent in of_row.items():
            items, what = (
                (sizes[category], "images") if share == "acc_b" else (_COUNTERFACTUAL * sizes[category], "questions")
            )
            found = possible(percent, items, what)
            yield _claim("Table 2", f"{name}, {share}", "possible percentage", found, "possible percentages")
        yield _claim("Table 2", f"{name}, acc_plus", "bounds", both_right(*(of_row[share] for share in _SHARES)))


def _totals(cells: Cells, totals: Cells) -> Iterator[Claim]:
    for system, strategy, share in totals:
        parts = [cells.q(system, strategy, category, share) for category in CATEGORIES]
        found = equals(totals[system, strategy, share], total(parts), "the sum of the six categories of table 2")
        yield _claim("Table 3", f"{system}, {PROMPTS[strategy]}, {share}", "sum", found, "totals")
