"""The answers of the numerical groups of each set (C-VQA Figure 3), original and counterfactual."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.schemas import DIRECT, INDIRECT, VARIANTS
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import decimal
from whatif.results.reporting.table import Column, View


def answer_counts(questions: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Counter[int]]]:
    """Numerical group -> variant -> answer -> number of questions."""
    counts: dict[str, dict[str, Counter[int]]] = {
        group: {variant: Counter() for variant in VARIANTS} for group in (DIRECT, INDIRECT)
    }
    for row in questions:
        if row["group"] in counts and row["answer"].isdecimal():
            counts[row["group"]][row["variant"]][int(row["answer"])] += 1
    return counts


def _rows(found: RealResults) -> Iterator[dict[str, Any]]:
    for name, questions in found.sets.items():
        for group, variants in answer_counts(questions).items():
            for answer in sorted(set().union(*variants.values())):
                for variant, of_variant in variants.items():
                    if total := of_variant.total():
                        of_answer = {"set": name, "group": group, "answer": answer, "variant": variant}
                        yield {**of_answer, "measure": "share", "value": 100 * of_variant[answer] / total, "n": total}


TABLE: Declared[RealResults] = Declared(
    position=70,
    title="Answers",
    identity=("set", "group", "answer", "variant", "measure"),
    numbers=("value", "n"),
    rows=_rows,
    views=lambda found: (
        View(
            "Answers of the numerical groups, in percent of their questions (C-VQA Figure 3).",
            {"set": "Set", "group": "Group", "answer": "Answer"},
            tuple(Column(v.capitalize(), "share", {"variant": v}, write=decimal(2)) for v in VARIANTS),
        ),
    ),
)
