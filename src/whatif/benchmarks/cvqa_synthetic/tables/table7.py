"""Table 7 of C-VQA (4.2): accuracy, after chance and beside the reported systems, which have no intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.results.reporting.beside import rows_beside
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.pair_measures import (
    ACCURACIES,
    DROPPED,
    MCNEMAR,
    PAIR_MEASURES,
    PAIRS,
    details,
    of_models,
)
from whatif.results.reporting.published_numbers import as_reported, published
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.table import PUBLISHED, View

_SYSTEM = {"model": "", "name": "Model"}
_FROM = {"source": "From"}


def _rows(found: Puzzles) -> Iterator[Mapping[str, Any]]:
    for variant in VARIANTS:
        yield {"name": "Chance", "variant": variant, "measure": "accuracy", "value": found.chance}
    printed = published("whatif.benchmarks.cvqa_synthetic", "table7")
    reported = [as_reported(row, variant=row["variant"], measure="accuracy") for row in printed]
    yield from rows_beside(reported, list(of_models(found, *PAIR_MEASURES)))
    yield from found.beside


TABLE: Declared[Puzzles] = Declared(
    position=10,
    title="Accuracy",
    identity=("model", "name", "source", "variant", "measure", PUBLISHED),
    rows=_rows,
    views=lambda found: (
        View(
            f"{found.title}: accuracy in percent with {found.level} intervals (C-VQA Table 7).",
            {**_SYSTEM, **_FROM},
            (*ACCURACIES, DROPPED, MCNEMAR, PAIRS),
            f"{found.reported} {found.ranked_by}".strip(),
        ),
        details(found.title, {**_SYSTEM, **(_FROM if found.beside else {})}),
    ),
    further=lambda found, table: found.with_judge_and_people(table),
)
