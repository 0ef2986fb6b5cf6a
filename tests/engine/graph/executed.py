"""Which top-level definitions of whatif the function of a job's step executes, for comparison with its code version."""

from __future__ import annotations

import ast
import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import whatif
from whatif.engine.graph.code_version import reached
from whatif.engine.graph.jobs import Job

_ROOT = Path(whatif.__file__).parent


def traced(job: Job, found: set[CodeType]) -> Job:
    """The same job, which notes in `found` the code objects that its step executes in this process."""
    function = job.step.function

    return replace(
        job, step=replace(job.step, function=functools.update_wrapper(partial(_call, found, function), function))
    )


def _call(found: set[CodeType], function: Callable[[Any], None], task: Any) -> None:
    with _noting(found):
        function(task)


_CALL = _call.__code__


@contextmanager
def _noting(found: set[CodeType]) -> Iterator[None]:
    # Only calls are traced, not lines: the trace of each frame is None.
    def note(frame: FrameType, event: str, argument: Any) -> None:
        if frame.f_code not in found and not _is_import(frame):
            found.add(frame.f_code)

    before = sys.gettrace()
    sys.settrace(note)
    threading.settrace(note)
    try:
        yield
    finally:
        sys.settrace(before)
        threading.settrace(before)  # type: ignore[arg-type]


def _is_import(frame: FrameType) -> bool:
    """Whether a call belongs to the import of a module, which executes definitions but does no work of the job."""
    one: FrameType | None = frame
    while one is not None and one.f_code is not _CALL:
        if one.f_code.co_name == "<module>":
            return True
        one = one.f_back
    return False


def escaped(job: Job, found: set[CodeType]) -> set[str]:
    """The executed definitions, as `module:name`, that the code version of a job does not cover."""
    covered = reached(job.code_roots)
    executed = {place for code in found if (place := _definition(code))}
    return {f"{module}:{name}" for module, name in executed if (module, name) not in covered}


def _definition(code: CodeType) -> tuple[str, str] | None:
    path = Path(code.co_filename)
    if not path.is_relative_to(_ROOT) or code.co_name == "<module>":
        return None
    parts = [_ROOT.name, *path.relative_to(_ROOT).with_suffix("").parts]
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    name = next((name for first, last, name in _spans(path) if first <= code.co_firstlineno <= last), None)
    return (module, name) if name else None


@cache
def _spans(path: Path) -> tuple[tuple[int, int, str], ...]:
    """First line, last line and name of each top-level function, class and assignment."""
    spans = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        last = node.end_lineno or node.lineno
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            spans.append((min([node.lineno, *(one.lineno for one in node.decorator_list)]), last, node.name))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            spans.append((node.lineno, last, ast.unparse(target)))
    return tuple(spans)
