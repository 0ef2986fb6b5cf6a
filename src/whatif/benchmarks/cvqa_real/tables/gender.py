"""Figure 5 of C-VQA as a table: each model's drop by perceived gender and their gap, in points.

A drop is what the paper calls diff(g); without a gender, it is that of both together. The `n` of a gender's drop is a
number of images; every other `n` is a number of pairs. The p-values of the gaps are corrected over the table (Holm).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whatif.benchmarks.cvqa_real.gender_gaps import NAMES
from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import signed
from whatif.results.reporting.pair_measures import DETAILS, READING, paired_rows
from whatif.results.reporting.precision import in_percent, p_number
from whatif.results.reporting.table import DROP, NUMBERS, OURS, Column, View
from whatif.scoring.statistics import holm

_SYSTEM = {"model": "", "name": "Model"}


def _rows(found: RealResults) -> Iterator[dict[str, Any]]:
    corrected = holm([gap.p for gap in found.gaps.values()]).p_values
    for (model, gap), p in zip(found.gaps.items(), corrected, strict=True):
        of_model = {"model": model, "name": found.names[model], "source": OURS}
        for name, drop, images in zip(NAMES, (gap.first, gap.second), gap.images, strict=True):
            yield {**of_model, "gender": name, "measure": DROP, **in_percent("value", drop), "n": images}
        ps = {"p": p_number(gap.p), "p_holm": p_number(gap.p if p is None else p)}
        yield {**of_model, "measure": "gap", **in_percent("value", gap.gap), **ps}
        yield from ({**of_model, **row} for row in paired_rows(found.by_gender[model]))


def _note(found: RealResults) -> str:
    return f"{found.note(found.main)} {'No annotations were given.' if found.perceived is None else ''}".strip()


TABLE: Declared[RealResults] = Declared(
    position=50,
    title="By perceived gender",
    identity=("model", "name", "source", "gender", "variant", "measure"),
    numbers=NUMBERS,
    rows=_rows,
    views=lambda found: (
        View(
            "Accuracy on original minus counterfactual questions in points, on images of people perceived as male or "
            f"as female (C-VQA Figure 5), with {found.level} intervals by image and a permutation test of the gap.",
            _SYSTEM,
            (
                *(Column(f"Drop ({name})", DROP, {"gender": name}, interval=True) for name in NAMES),
                Column("Gap", "gap", write=signed(1), interval=True),
                Column("Holm p", "gap", number="p_holm"),
                *(Column(f"Images ({name})", DROP, {"gender": name}, number="n") for name in NAMES),
            ),
            _note(found),
        ),
        View(
            "Accuracy on the images of both genders together, and how responses were read, in percent.",
            {**_SYSTEM, "variant": "Variant"},
            (Column("Accuracy", "accuracy", interval=True), *DETAILS),
            READING,
        ),
    ),
)
