"""The adapters of models that answer by programs: ViperGPT's way, in Python, and VisProg's, in steps (C-VQA 4.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from whatif.engine.params.programs import Limits, ViperGpt, VisProg
from whatif.models import Model
from whatif.models.depicted import Depicted
from whatif.models.programs.fallbacks import python_fallback, steps_fallback
from whatif.models.programs.interfaces import Finished, Toolset
from whatif.models.programs.program_model import ProgramModel, Way
from whatif.models.programs.sandbox.pool import Sandbox
from whatif.models.programs.tool_calls import ToolCalls
from whatif.models.programs.tools.loading import load_tools
from whatif.models.programs.viper_source import interface_source
from whatif.models.programs.writers.loading import load_writer

VERSION = 1  # of what becomes of a program's value; increase it when a change alters answers


def vipergpt(settings: ViperGpt, seed: int) -> Model:
    """A model that answers by programs in Python over image patches, which run in a sandbox.

    Raises WhatifError when the writer or a tool cannot be loaded (see `load_writer`, `load_tools`). Where bubblewrap is
    not installed, the first program raises it.
    """
    interface = interface_source()
    sandbox = Sandbox(settings.sandbox, settings.limits, interface)

    def run(code: str, calls: ToolCalls) -> Finished:
        return sandbox.run(code, calls)

    identity = {
        **_identity("vipergpt", settings.limits),
        "interface": hashlib.sha256(interface.encode()).hexdigest(),
        "sandbox": settings.sandbox,
    }
    way = Way(run, python_fallback, settings.sandbox, identity, sandbox.close)
    writer = load_writer(settings.writer, "python", settings.interface_file, seed)
    return ProgramModel(writer, _tools(settings), way, drawn_only=settings.tools.kind == "oracle")


def visprog(settings: VisProg, seed: int) -> Model:
    """A model that answers by programs of steps, which an interpreter runs.

    Raises WhatifError when the writer or a tool cannot be loaded (see `load_writer`, `load_tools`).
    """
    from whatif.models.programs.steps import run_steps  # programs in Python need no interpreter of steps

    def run(code: str, calls: ToolCalls) -> Finished:
        return run_steps(code, calls, settings.limits)

    way = Way(run, steps_fallback, "interpreter", _identity("visprog", settings.limits), lambda: None)
    writer = load_writer(settings.writer, "steps", settings.examples_file, seed)
    return ProgramModel(writer, _tools(settings), way, drawn_only=settings.tools.kind == "oracle")


def _identity(adapter: str, limits: Limits) -> Mapping[str, Any]:
    return {"adapter": adapter, "version": VERSION, "limits": limits.model_dump(mode="json")}


def _tools(settings: ViperGpt | VisProg) -> Callable[[Callable[[str], Depicted | None]], Toolset]:
    return partial(load_tools, settings.tools)
