"""The sets of questions (C-VQA 3.4): their numbers beside the reported ones, and answers that presuppositions change.

Words are split on white space. The answer "no" is in percent of the questions of a variant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, COUNTERFACTUAL, GROUPS, ORIGINAL, VARIANTS
from whatif.benchmarks.cvqa_real.tables.table3 import REPORTED_GROUPS
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.pair_measures import ALL
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import PUBLISHED, REPORTED, Column, View

_REPORTED_MEASURES = {"questions": "questions", "mean_question_length": "mean words", "share_no": "answer no"}
_SET = {"set": "Set", "group": "Group"}
Row = Mapping[str, Any]


def _rows(found: RealResults) -> Iterator[Row]:
    for name, questions in found.sets.items():
        yield from ({"set": name, **row} for row in (*_numbers(questions), *_changes(questions)))
    yield from _reported()


def _numbers(questions: Sequence[Row]) -> Iterator[Row]:
    from whatif.scoring.statistics.question_sets import summary

    cells = summary(questions)
    for group in (ALL, *GROUPS):
        for variant in VARIANTS:
            if cell := cells.get(group, {}).get(variant):
                number = cell["number"]
                values = {"questions": number, "mean words": cell["mean_words"]}
                if group == BOOLEAN:
                    values["answer no"] = 100 * cell["answers"].get("no", 0) / number
                for name, value in values.items():
                    yield {"group": group, "variant": variant, "measure": name, "value": value, "n": number}


def _changes(questions: Sequence[Row]) -> Iterator[Row]:
    """For each group, the number of pairs whose answers are the same, and the share of the others in percent."""
    originals = {row["pair_id"]: row["answer"] for row in questions if row["variant"] == ORIGINAL}
    with_original = [row for row in questions if row["variant"] == COUNTERFACTUAL and row["pair_id"] in originals]
    for group in (ALL, *GROUPS):
        of_group = [row for row in with_original if group in (row["group"], ALL)]
        if of_group:
            total, same = len(of_group), sum(row["answer"] == originals[row["pair_id"]] for row in of_group)
            place = {"group": group, "variant": COUNTERFACTUAL, "n": total}
            yield {**place, "measure": "unchanged", "value": same}
            yield {**place, "measure": "changed", "value": 100 * (total - same) / total}


def _reported() -> list[Row]:
    """What C-VQA 3.4 reports about its set, in the order of the groups and variants."""
    groups = {ALL: ALL, **REPORTED_GROUPS}
    found = [
        {
            "set": REPORTED,
            "group": groups[row["group"]],
            "variant": row["variant"],
            "measure": _REPORTED_MEASURES[row["metric"]],
            "value": float(row["value"]),
            PUBLISHED: row["value"],
        }
        for row in published("whatif.benchmarks.cvqa_real", "text")
        if row["subset"] == "C-VQA-Real" and row["location"] == "sec3.4"
        if row["group"] in groups and row["metric"] in _REPORTED_MEASURES
    ]
    order = (ALL, *GROUPS)
    return sorted(found, key=lambda row: (order.index(row["group"]), VARIANTS.index(row["variant"])))


TABLE: Declared[RealResults] = Declared(
    position=60,
    title="The questions",
    identity=("set", "group", "variant", "measure", PUBLISHED),
    numbers=("value", "n"),
    rows=_rows,
    views=lambda found: (
        View(
            "The sets of questions (C-VQA 3.4). A released set is whole, whether its images are available or not.",
            {**_SET, "variant": "Variant"},
            (
                Column("Questions", "questions", write=count),
                Column("Mean words", "mean words", write=decimal(2)),
                Column("No (%)", "answer no", write=decimal(2)),
            ),
            "The reported mean of 13.15 words is 13.157 in the released file.",
        ),
        View(
            "Pairs whose answer the presupposition changes. In the group boolean, a changed answer is flipped.",
            _SET,
            (
                Column("Pairs", "changed", number="n"),
                Column("Unchanged", "unchanged", write=count),
                Column("Changed (%)", "changed", write=decimal(1)),
            ),
        ),
    ),
)
