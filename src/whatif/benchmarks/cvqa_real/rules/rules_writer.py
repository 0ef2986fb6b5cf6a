"""Writes counterfactual questions by rules, from the text of the question and its answer alone (C-VQA 3.1).

As ChatGPT in the paper, the rules do not see the image. They change what their grammar understands, and say why they
cannot change the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whatif.benchmarks.cvqa_real.rules import boolean_rules, indirect_rules, numerical_rules
from whatif.benchmarks.cvqa_real.rules.numerical_grammar import Counted, parsed
from whatif.benchmarks.cvqa_real.rules.question_words import cleaned

NO_OTHER = "every change would put the answer into the question"
DIRECT, INDIRECT, BOOLEAN = "direct", "indirect", "boolean"


class Rewritten(NamedTuple):
    """A counterfactual question with its answer, and the two written steps that lead to them (C-VQA supplement B)."""

    question: str
    answer: str
    step1: str
    step2: str


def rewrite(group: str, question: str, answer: str, generator: np.random.Generator) -> Rewritten | str:
    """The counterfactual question of a group for an original question and its answer, or why there is none.

    `direct` changes how many there are, and computes the new answer. `boolean` flips the answer first, then finds a
    presupposition that makes it true. `indirect` changes something else, and only where the new answer follows with
    certainty from the text. The reason is one short phrase, the same for every question that it concerns.
    """
    if not cleaned(question):
        return "the question is empty"
    if group == BOOLEAN:
        return _boolean(question, answer, generator)
    if group not in {DIRECT, INDIRECT}:
        raise ValueError(f"unknown group {group!r}")
    number = _number(answer)
    if isinstance(number, str):
        return number
    return _direct(question, number, generator) if group == DIRECT else _indirect(question, number, generator)


def open_rewrites(question: str, answer: str, generator: np.random.Generator) -> list[Rewritten] | str:
    """Every direct counterfactual whose words leave the answer to the image, in random order, or why there is none.

    `rewrite` also takes all things away, and then the words alone give the answer.
    """
    number = _number(answer)
    if isinstance(number, str):
        return number
    counted = parsed(question)
    if isinstance(counted, str):
        return counted
    changes = numerical_rules.open_changes(counted, number, generator)
    made = (_changed(counted, number, change) for change in changes)
    return [one for one in made if one is not None] or NO_OTHER


def _number(answer: str) -> int | str:
    """The original answer as a number, or why it cannot be changed."""
    if not answer.strip().isdecimal():
        return "the answer is not a whole number"
    return int(answer) if int(answer) <= numerical_rules.LARGEST else f"the answer is above {numerical_rules.LARGEST}"


def _direct(question: str, number: int, generator: np.random.Generator) -> Rewritten | str:
    counted = parsed(question)
    if isinstance(counted, str):
        return counted
    for change in numerical_rules.changes(counted, number, generator):
        if (made := _changed(counted, number, change)) is not None:
            return made
    if number == 0 and counted.addition not in {None, "were there"}:
        return "there is none, and the rules do not know what would make some"
    return NO_OTHER


def _changed(counted: Counted, number: int, change: numerical_rules.Change) -> Rewritten | None:
    """The question under a change; None if the answer stays the same, or would be in the question."""
    new = numerical_rules.new_question(counted, change)
    if change.answer == number or not numerical_rules.is_allowed(new, change.answer):
        return None
    return Rewritten(
        new, str(change.answer), change.step, f"The answer would be {change.calculation} = {change.answer}."
    )


def _indirect(question: str, number: int, generator: np.random.Generator) -> Rewritten | str:
    counted = parsed(question)
    if isinstance(counted, str):
        return counted
    for change in indirect_rules.indirect_changes(counted, number, generator):
        new = numerical_rules.new_question(counted, change)
        if numerical_rules.is_allowed(new, change.answer):
            calculation = f"The answer would be {change.calculation} = {change.answer}."
            return Rewritten(new, str(change.answer), change.step, calculation)
    return "no certain change follows from the text; it needs the image"


def _boolean(question: str, answer: str, generator: np.random.Generator) -> Rewritten | str:
    if answer.strip().lower() not in {"yes", "no"}:
        return "the answer is neither yes nor no"
    yes = answer.strip().lower() == "yes"
    made = boolean_rules.flipped(question, yes, generator)
    if isinstance(made, str):
        return made
    new = "no" if yes else "yes"
    step1 = f"The new answer should be {new}, so {made.situation}."
    step2 = f"How to make this true: suppose that {made.condition}."
    return Rewritten(f"{made.frame} if {made.condition}?", new, step1, step2)
