"""Checks of a written question: its answer, its steps, and its text (C-VQA 3.1, B)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from whatif.benchmarks.cvqa_real.arithmetic import calculation
from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, DIRECT, PEOPLE, WHOLE_NUMBER
from whatif.benchmarks.cvqa_real.text_rules import Texts, text_fault

NO_NUMBER = "answer is no number"
NO_YES_OR_NO = "answer is not yes or no"
WRONG_ARITHMETIC = "wrong arithmetic"
OTHER_BEGINNING = "arithmetic begins with another number"
OTHER_RESULT = "steps give another answer"

_QUOTED = r"[\"'`*]*(yes|no)\b"
_ANSWER_SAID = [  # what a step says of the new answer, which may also name the original one
    re.compile(rf"\bnew answer\b(?: \w+){{0,3}}?[ :=]*{_QUOTED}", re.IGNORECASE),
    re.compile(rf"\bfrom [\"'`*]*(?:yes|no)[\"'`*]*,? to {_QUOTED}", re.IGNORECASE),
    re.compile(rf"\banswer (?:should|would|must|will)(?: \w+){{0,2}}? {_QUOTED}", re.IGNORECASE),
    re.compile(rf"(?<!original )\banswer(?: is|:)? {_QUOTED}", re.IGNORECASE),
]
_YES_OR_NO = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_ANSWER_NAMED = re.compile(r"\banswer\b.*?\b(yes|no)\b", re.IGNORECASE)


def fault_of(written: Mapping[str, Any], original: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first reason to reject a written question, with a detail; None if there is none.

    `written` is a row of the table `written-questions`, `original` the row of `questions` of its source.

    - `answer is no number`, `answer is not yes or no`: a non-negative whole number in figures, exactly `yes` or `no`;
    - `wrong arithmetic`: an equation of the second step is wrong, or a direct question's second step has none;
    - `arithmetic begins with another number` than the original answer;
    - `steps give another answer` than the new one: the arithmetic, or `yes` or `no` in the first step;
    - those of `whatif.benchmarks.cvqa_real.text_rules`.

    People write steps in their own words: theirs need no equation, and need not name the answer.
    """
    group, answer, before = written["group"], written["answer"], original["answer"]
    if group == BOOLEAN and answer not in ("yes", "no"):
        return NO_YES_OR_NO, f"the new answer is {answer!r}; it must be `yes` or `no`"
    if group != BOOLEAN and not WHOLE_NUMBER.fullmatch(answer):
        return NO_NUMBER, f"the new answer is {answer!r}; it must be a whole number from 0, in figures"
    steps = steps_fault(written, before, needed=written["writer"] != PEOPLE)
    return steps or text_fault(Texts(group, original["question"], before, written["question"], answer))


def steps_fault(written: Mapping[str, Any], before: str, *, needed: bool) -> tuple[str, str] | None:
    """What is wrong with the steps of a written question whose answers have the right form; None if nothing is.

    `before` is the original answer. With `needed`, the second step of a direct question has an equation, and the first
    of a yes-or-no question names its answer. A missing step is never wrong.
    """
    group, answer = written["group"], written["answer"]
    if group == BOOLEAN:
        return _named(written["step1"], answer, needed=needed)
    return _calculated(written["step2"], answer, before, needed=needed and group == DIRECT)


def _named(step: str | None, answer: str, *, needed: bool) -> tuple[str, str] | None:
    """What is wrong with the first step of a yes-or-no question, which says what the new answer should be.

    In people's own words `no` need not be the answer (`there is no wind`), unless the step speaks of the answer.
    """
    if step is None:
        return None
    found = (pattern.search(step) for pattern in (*_ANSWER_SAID, _YES_OR_NO if needed else _ANSWER_NAMED))
    named = next((one for one in found if one is not None), None)
    if named is None and not needed:
        return None
    if named is None:
        return OTHER_RESULT, f"step 1, {step!r}, names no answer; it must say that the new answer should be {answer}"
    if named[1].lower() != answer:
        return OTHER_RESULT, f"step 1 says {named[1].lower()}, the new answer is {answer}"
    return None


def _calculated(step: str | None, answer: str, before: str, *, needed: bool) -> tuple[str, str] | None:
    """What is wrong with the second step of a numerical question, which calculates the new answer from the original."""
    if step is None or (not needed and "=" not in step):
        return None
    try:
        found = calculation(step)
    except ValueError as error:
        return WRONG_ARITHMETIC, f"step 2: {error}"
    if found.first != int(before):
        return OTHER_BEGINNING, f"step 2, {step!r}, begins with {found.first}; the original answer is {before}"
    if found.result != int(answer):
        return OTHER_RESULT, f"step 2, {step!r}, gives {found.result}; the new answer is {answer}"
    return None
