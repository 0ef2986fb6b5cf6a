"""How often each matcher finds the right one of two images or captions (COCO-Counterfactuals 4.2.2).

Measures: `found` in percent of `n` pairs with Wilson intervals, by chosen item (`image`, `caption` or `all four`) and
the variant that it belongs to; `errors`: pairs that could not be scored, which count as wrong. A tie is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whatif.benchmarks.scenes.report import CHOSEN, SceneResults
from whatif.benchmarks.shared.pair_choices import found as choices_of
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import in_percent
from whatif.results.reporting.table import OURS, Column, View
from whatif.scoring.statistics import wilson

_SYSTEM = {"model": "", "name": "Model"}


def _rows(found: SceneResults) -> Iterator[dict[str, Any]]:
    for model, name in found.matchers.items():
        place = {"model": model, "name": name, "source": OURS}
        pairs = [row for row in found.matches if row["model"] == model]
        right = [choices_of(row) for row in pairs]
        for choice, (chosen, variant) in CHOSEN.items() if pairs else ():
            share = wilson(sum(one[choice] for one in right), len(pairs), found.settings.confidence)
            of_choice = {"chosen": chosen, "variant": variant, "measure": "found", "n": len(pairs)}
            yield {**place, **of_choice, **in_percent("value", share)}
        errors = sum(row["status"] != "ok" for row in pairs)
        yield {**place, "measure": "errors", "value": errors, "n": len(pairs)}


TABLE: Declared[SceneResults] = Declared(
    position=20,
    title="Matching",
    identity=("model", "name", "source", "chosen", "variant", "measure"),
    numbers=("value", "low", "high", "n"),
    rows=_rows,
    views=lambda found: (
        View(
            f"How often (%) the right one of two is scored higher, with {found.level} Wilson intervals.",
            {**_SYSTEM, "chosen": "Chosen", "variant": "Variant"},
            (Column("Found", "found", interval=True), Column("Pairs", "found", number="n")),
            "By chance 50, and less for all four together. A tie is wrong.",
        ),
        View(
            "Pairs that could not be scored, which count as wrong.",
            _SYSTEM,
            (Column("Errors", "errors", write=count), Column("Pairs", "errors", number="n")),
        ),
    ),
)
