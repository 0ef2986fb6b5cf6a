"""Views of programs (C-VQA Figure 9): pairs whose programs are wrong, and pairs whose are right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from whatif.benchmarks.shared.item_selection import Selection, evenly
from whatif.results.reporting.items import ItemView
from whatif.results.reporting.program_categories import CAUSES, FAILING_TOOL, IGNORED, NOT_CLASSIFIED, RIGHT

Row: TypeAlias = Mapping[str, Any]
QuestionPair: TypeAlias = tuple[Row, Row]  # an original question and its counterfactual
WRONG = ItemView(
    "figure-9-wrong",
    "Programs that are logically wrong (Figure 9)",
    "At least one program for the counterfactual question is wrong, most often because it ignores the presupposition "
    "(C-VQA Figure 9). The category of each answer is shown with its program.",
)
RIGHT_PROGRAMS = ItemView(
    "figure-9-right",
    "Programs that are logically right (Figure 9)",
    "At least one program for the counterfactual question is right: with tools that know the image, it gives the right "
    "answer (C-VQA Figure 9). The tools of its own model may fail all the same.",
)
NONE = "No model answers by programs."


@dataclass(frozen=True)
class ProgramPairs:
    """Pairs whose programs are shown: some whose counterfactual question has a wrong program, some with a right one."""

    wrong: tuple[QuestionPair, ...]
    right: tuple[QuestionPair, ...]


def program_pairs(every: Iterable[QuestionPair], findings: Iterable[Row], number: int) -> ProgramPairs:
    """At most `number` pairs of either kind, evenly spaced over all of them; none is in both.

    `findings` are rows of `program-findings`, of which `question_id`, `category` and `program_right` are used. Of
    wrong programs, those that ignore the presupposition come first.
    """
    categories: dict[str, set[str]] = {}
    right_ids: set[str] = set()
    for row in findings:
        categories.setdefault(row["question_id"], set()).add(row["category"])
        if row["program_right"] or row["category"] in (RIGHT, FAILING_TOOL):
            right_ids.add(row["question_id"])
    pairs = [one for one in every if one[1]["question_id"] in categories]

    def with_any(wanted: Collection[str]) -> list[QuestionPair]:
        return [one for one in pairs if categories[one[1]["question_id"]] & set(wanted)]

    wrong = evenly(with_any([IGNORED]), number)
    others = [*(one for one in CAUSES if one not in (IGNORED, FAILING_TOOL)), NOT_CLASSIFIED]
    wrong += evenly([one for one in with_any(others) if one not in wrong], number - len(wrong))
    right = evenly([one for one in pairs if one[1]["question_id"] in right_ids and one not in wrong], number)
    return ProgramPairs(tuple(wrong), tuple(right))


def select_programs(selection: Selection, every: Iterable[QuestionPair], findings: Iterable[Row], number: int) -> None:
    """Adds both views of programs to a selection; `findings` are those of the shown models (see `program_pairs`)."""
    chosen = program_pairs(every, findings, number)
    for view, shown in ((WRONG, chosen.wrong), (RIGHT_PROGRAMS, chosen.right)):
        selection.add(view, {str(pair[0]["pair_id"]): "" for pair in shown}, none=NONE)
