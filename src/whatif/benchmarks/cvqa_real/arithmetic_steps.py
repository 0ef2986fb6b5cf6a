"""Examples from counterfactual questions that people wrote; the steps of numerical ones are computed if they lack them.

People write a question and its answer, and may write steps. An example in a prompt has the two steps of C-VQA B: for
numbers these follow from the if clause and the two answers, for yes-or-no questions they do not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.cvqa_real.schemas import BOOLEAN
from whatif.benchmarks.cvqa_real.written_rules import fault_of, steps_fault

Row = Mapping[str, Any]
_CLAUSE = re.compile(r"\bif\s+(?P<clause>[^,?]+?)\s*(?:,.*)?\?*\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}")


@dataclass(frozen=True)
class SeedOfPeople:
    """An example about the source question `source_id`; `seed_id` is the id of the counterfactual question."""

    seed_id: str
    source_id: str
    question: str
    answer: str
    step1: str
    step2: str
    new_question: str
    new_answer: str


def seed_of_people(row: Row, original: Row) -> SeedOfPeople | None:
    """The example that a row of `WRITTEN` makes with the original question.

    None if its steps are not known, and if the filter would reject it. Steps that people wrote in another form than
    models are asked for, such as without a calculation, are computed.
    """
    if fault_of(row, original) is not None:
        return None
    steps = row["step1"], row["step2"]
    if not all(steps) or steps_fault(row, original["answer"], needed=True) is not None:
        computed = arithmetic_steps(row["group"], original["answer"], row["question"], row["answer"])
        if computed is None:
            return None
        steps = computed
    return SeedOfPeople(
        seed_id=row["written_id"],
        source_id=row["source_id"],
        question=original["question"],
        answer=original["answer"],
        step1=steps[0],
        step2=steps[1],
        new_question=row["question"],
        new_answer=row["answer"],
    )


def arithmetic_steps(group: str, answer: str, new_question: str, new_answer: str) -> tuple[str, str] | None:
    """Step1 and Step2 of a numerical question: its if clause, and the sum or difference that gives its answer.

    None for other questions, without an if clause, and for answers that are no whole numbers.
    """
    clause = _CLAUSE.search(new_question)
    if group == BOOLEAN or clause is None or not (_NUMBER.fullmatch(answer) and _NUMBER.fullmatch(new_answer)):
        return None
    before, after = int(answer), int(new_answer)
    calculation = f"{before}-{before - after}" if after < before else f"{before}+{after - before}"
    return f"Suppose that {clause['clause']}.", f"The answer would be {calculation}={after}"
