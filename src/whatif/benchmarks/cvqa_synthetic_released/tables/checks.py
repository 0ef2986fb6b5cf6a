"""What could be checked in the released puzzles without their scenes, by template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.benchmarks.cvqa_synthetic_released.text_checks import CHECKS, EXACT, NOT_CHECKED, UNCHANGED
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count
from whatif.results.reporting.pair_measures import ALL
from whatif.results.reporting.table import Column, View

Row = Mapping[str, Any]

_NOTE = (
    "The scenes are unknown, so no answer is recounted. Options: four different numbers, and the letter of one. "
    "Wording: the template of the type, the same polygons in both questions. Answers: the original one minus N where N "
    f"is removed ({' and '.join(EXACT)}); in the other templates, only that the counterfactual one is not larger. "
    "Pairs that contradict this are rejected. Pairs that fit no template are not checked, and kept."
)


def _rows(found: Puzzles) -> Iterator[dict[str, Any]]:
    groups = {str(row["pair_id"]): str(row["group"]) for row in found.task.rows("filtered questions")}
    judgements = list(found.task.rows("judgements"))
    templates = [group for group in GROUPS if group in groups.values()]
    for template in (*templates, ALL):
        inside = {pair_id for pair_id, group in groups.items() if template in (group, ALL)}
        yield {"template": template, "measure": "pairs", "value": len(inside)}
        for check in CHECKS:
            of_check = [
                row for row in judgements if row["item_id"] in inside and row["annotator"] == f"automatic:{check}"
            ]
            counts = {
                "contradiction": sum(row["decision"] == "reject" for row in of_check),
                NOT_CHECKED: sum(_begins(row, NOT_CHECKED) for row in of_check),
                UNCHANGED: sum(_begins(row, UNCHANGED) for row in of_check),
            }
            for measure, value in counts.items():
                yield {"template": template, "check": check, "measure": measure, "value": value}


def _begins(row: Row, note: str) -> bool:
    return row["decision"] == "accept" and str(row["comment"]).startswith(f"{note}:")


TABLE: Declared[Puzzles] = Declared(
    position=35,
    title="Checks of the text",
    identity=("template", "check", "measure"),
    numbers=("value",),
    rows=_rows,
    views=lambda found: (
        View(
            f"{found.title}: pairs that could be checked by their text (C-VQA 3.3).",
            {"template": "Template"},
            (
                Column("Pairs", "pairs", write=count),
                *(Column(f"Bad {check}", "contradiction", {"check": check}, write=count) for check in CHECKS),
                Column("Wording not checked", NOT_CHECKED, {"check": "wording"}, write=count),
                Column("Answers not checked", NOT_CHECKED, {"check": "answers"}, write=count),
                Column("Equal answers", UNCHANGED, {"check": "answers"}, write=count),
            ),
            _NOTE,
        ),
    ),
)
