"""Writes programs by rules, from the text of a question alone, without a model.

The rules understand counting and yes-or-no questions in the style of VQAv2 and the presuppositions that counterfactual
questions add to them, and puzzles of things inside outlines or in circles (C-VQA 3). The literal writer ignores every
presupposition: the gap between the two is what ignoring it costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from whatif.models import Model, Question
from whatif.models.programs.interfaces import Language, Written
from whatif.models.programs.writers.rules_changes import NotUnderstoodError
from whatif.models.programs.writers.rules_puzzle_programs import puzzle_in_python, puzzle_in_steps
from whatif.models.programs.writers.rules_puzzles import read_puzzle
from whatif.models.programs.writers.rules_python import python_program
from whatif.models.programs.writers.rules_questions import parts_of, read_question
from whatif.models.programs.writers.rules_steps import steps_program

VERSION = 1  # part of the key of stored answers; increase it when a change alters programs


class RulesWriter:
    """Writes a program for each question that the rules understand.

    `literal` writes the program of a question as if it presupposed nothing.
    """

    def __init__(self, language: Language, literal: bool) -> None:
        self._language: Language = language
        self._literal = literal

    @property
    def identity(self) -> Mapping[str, Any]:
        """The language, the kind of rules and their version."""
        return {"writer": "literal" if self._literal else "rules", "language": self._language, "version": VERSION}

    def write(self, questions: Sequence[Question]) -> Iterator[Written]:
        """One program for each question, in the same order; without one, the reason why not."""
        for question in questions:
            try:
                yield Written(program_of(question.text, self._language, literal=self._literal))
            except NotUnderstoodError as error:
                yield Written(None, reason=str(error))

    def store_parts(self, keep: Callable[[Model], Model]) -> None:
        """Rules have no model that a store could keep answers of."""


def program_of(question: str, language: Language, *, literal: bool = False) -> str:
    """The program of a question, ending with a line break. Raises NotUnderstoodError with the reason."""
    main, clause = parts_of(question)
    clause = "" if literal else clause
    puzzle = read_puzzle(main, clause)
    if puzzle is not None:
        return puzzle_in_python(puzzle, clause) if language == "python" else puzzle_in_steps(puzzle)
    read = read_question(question, literal=literal)
    return python_program(read) if language == "python" else steps_program(read)
