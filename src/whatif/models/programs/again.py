"""Runs programs that are there once more, with tools that know what a drawn image shows (C-VQA 4.2).

A program that gives the right answer with these tools is right, whatever its own tools made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from whatif.engine.params.programs import Limits, OracleTools
from whatif.models import Model, Question
from whatif.models.programs.fallbacks import python_fallback, steps_fallback
from whatif.models.programs.interfaces import Finished, Written
from whatif.models.programs.program_model import ProgramModel, Way
from whatif.models.programs.sandbox.pool import Sandbox
from whatif.models.programs.tool_calls import ToolCalls
from whatif.models.programs.tools.loading import load_tools
from whatif.models.programs.viper_source import interface_source


class GivenPrograms:
    """A writer of programs that are there already, by the id of the question."""

    def __init__(self, codes: Mapping[str, str]) -> None:
        self._codes = codes

    @property
    def identity(self) -> Mapping[str, Any]:
        """The programs themselves; nothing is stored under it."""
        return {"programs": dict(self._codes)}

    def write(self, questions: Sequence[Question]) -> Iterator[Written]:
        """The program of each question. Raises KeyError for a question without one."""
        for question in questions:
            yield Written(self._codes[question.question_id])

    def store_parts(self, keep: Callable[[Model], Model]) -> None:
        """There is no model that a store could keep answers of."""


def programs_again(adapter: str, sandbox: Any, limits: Limits, codes: Mapping[str, str]) -> ProgramModel:
    """A model that answers by given programs and oracle tools; set `depicted`, and close it at the end.

    adapter: `vipergpt` for programs in Python, `visprog` for steps. codes: the program of each question, by its id.

    Raises WhatifError when the sandbox is not installed.
    """
    way = _python(sandbox, limits) if adapter == "vipergpt" else _steps(limits)
    tools = OracleTools(kind="oracle")
    return ProgramModel(GivenPrograms(codes), lambda depicted: load_tools(tools, depicted), way, drawn_only=True)


def _python(kind: Any, limits: Limits) -> Way:
    sandbox = Sandbox(kind, limits, interface_source())

    def run(code: str, calls: ToolCalls) -> Finished:
        return sandbox.run(code, calls)

    return Way(run, python_fallback, kind, {}, sandbox.close)


def _steps(limits: Limits) -> Way:
    from whatif.models.programs.steps import run_steps  # programs in Python need no interpreter of steps

    def run(code: str, calls: ToolCalls) -> Finished:
        return run_steps(code, calls, limits)

    return Way(run, steps_fallback, "interpreter", {}, lambda: None)
