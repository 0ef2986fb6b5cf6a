"""What galleries show of programs (C-VQA Figure 9): twins whose programs are right, and twins whose are wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from whatif.benchmarks.shared.pair_panels import evenly
from whatif.reporting.gallery import Program, Reply
from whatif.reporting.program_categories import CAUSES, FAILING_TOOL, IGNORED, NOT_CLASSIFIED, RIGHT

Row: TypeAlias = Mapping[str, Any]
Twins: TypeAlias = tuple[Row, Row]  # an original question and its counterfactual
WRONG_NAME, RIGHT_NAME = "programs-wrong", "programs-right"
WRONG_HEADING, RIGHT_HEADING = "Programs that are logically wrong", "Programs that are logically right"
WRONG_TEXT = (
    "At least one program for the counterfactual question is wrong, most often because it ignores the presupposition "
    "(C-VQA Figure 9). The category of each answer stands above its program."
)
RIGHT_TEXT = (
    "At least one program for the counterfactual question is right: with tools that know the image, it gives the right "
    "answer (C-VQA Figure 9). The tools of its own model may fail all the same."
)
_LONGEST = 120  # characters of the arguments and of the value of a call
_SHOWN_CALLS = 12


@dataclass(frozen=True)
class ProgramTwins:
    """Twins whose programs are shown: some whose counterfactual question has a wrong program, some with a right one."""

    wrong: tuple[Twins, ...]
    right: tuple[Twins, ...]

    @property
    def question_ids(self) -> set[str]:
        """The ids of all questions that are shown."""
        return {row["question_id"] for twins in (*self.wrong, *self.right) for row in twins}


def program_twins(every: Iterable[Twins], findings: Iterable[Row], number: int) -> ProgramTwins:
    """At most `number` twins of either kind, evenly spaced over all of them; none is in both.

    `findings` are rows of `program-findings`, of which `question_id`, `category` and `program_right` are used. Of
    wrong programs, those that ignore the presupposition come first.
    """
    categories: dict[str, set[str]] = {}
    right_ids: set[str] = set()
    for row in findings:
        categories.setdefault(row["question_id"], set()).add(row["category"])
        if row["program_right"] or row["category"] in (RIGHT, FAILING_TOOL):
            right_ids.add(row["question_id"])
    twins = [one for one in every if one[1]["question_id"] in categories]

    def with_any(wanted: Collection[str]) -> list[Twins]:
        return [one for one in twins if categories[one[1]["question_id"]] & set(wanted)]

    wrong = evenly(with_any([IGNORED]), number)
    others = [*(one for one in CAUSES if one not in (IGNORED, FAILING_TOOL)), NOT_CLASSIFIED]
    wrong += evenly([one for one in with_any(others) if one not in wrong], number - len(wrong))
    right = evenly([one for one in twins if one[1]["question_id"] in right_ids and one not in wrong], number)
    return ProgramTwins(tuple(wrong), tuple(right))


def program_reply(said: str | None, prediction: Row, category: str) -> Reply:
    """The answer `said` by a prediction with its program, the category of the answer, and the calls of tools."""
    program = prediction["program"]
    if program is None:
        return Reply(said, prediction["correct"])
    about = category if category == RIGHT or program["reason"] is None else f"{category}: {program['reason']}"
    fallback = "; a fallback program" if program["fallback"] else ""
    calls = [_line(call) for call in program["calls"][:_SHOWN_CALLS]]
    left_out = len(program["calls"]) - len(calls)
    if left_out:
        calls.append(f"and {left_out:,} more")
    return Reply(said, prediction["correct"], program=Program(program["code"], f"{about}{fallback}", tuple(calls)))


def _line(call: Row) -> str:
    return f"{call['tool']} {_cut(call['arguments'])}: {_cut(call['value'])}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def categories_of(findings: Sequence[Row]) -> dict[tuple[str, str], str]:
    """The category of each answer, by question and model."""
    return {(row["question_id"], row["model"]): row["category"] for row in findings}
