"""A static check of programs: what none of them needs ends them before they run.

It gives a program a clear reason. It is not what contains it: that is the operating system's part.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any

MODULES = frozenset(
    [
        "__future__",
        "bisect",
        "cmath",
        "collections",
        "collections.abc",
        "copy",
        "dataclasses",
        "decimal",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "heapq",
        "itertools",
        "math",
        "numbers",
        "operator",
        "random",
        "re",
        "statistics",
        "string",
        "textwrap",
        "typing",
    ]
)
BUILTINS = frozenset(
    [
        "__import__",
        "breakpoint",
        "compile",
        "copyright",
        "credits",
        "delattr",
        "dir",
        "eval",
        "exec",
        "exit",
        "getattr",
        "globals",
        "help",
        "input",
        "license",
        "locals",
        "memoryview",
        "open",
        "quit",
        "setattr",
        "vars",
    ]
)
_FRAMES = frozenset(
    [
        "ag_code",
        "ag_frame",
        "cr_code",
        "cr_frame",
        "f_back",
        "f_builtins",
        "f_code",
        "f_globals",
        "f_locals",
        "gi_code",
        "gi_frame",
        "gi_yieldfrom",
        "tb_frame",
        "tb_next",
    ]
)
_SPECIAL = re.compile(r"__\w+__")


class ForbiddenError(Exception):
    """A program that uses what no program may use."""


def check(tree: ast.AST) -> None:
    """Raises ForbiddenError with the line of the first thing that no program may use."""
    found = [(getattr(node, "lineno", 0), reason) for node in ast.walk(tree) if (reason := _finding(node))]
    if found:
        line, reason = min(found)
        raise ForbiddenError(f"line {line}: {reason}")


def _finding(node: ast.AST) -> str | None:
    found: str | None = None
    match node:
        case ast.Import(names=names):
            found = next((f"import of {one.name}" for one in names if one.name not in MODULES), None)
        case ast.ImportFrom(module=module, level=level) if level or module not in MODULES:
            found = f"import of {'.' * level}{module or ''}"
        case ast.ImportFrom(names=names):
            found = next((f"import of {one.name}" for one in names if one.name.startswith("_")), None)
        case ast.Name(id=name) if name in BUILTINS or (_SPECIAL.fullmatch(name) and name != "__name__"):
            found = f"use of {name}"
        case ast.Attribute(attr=name) if name in _FRAMES or _SPECIAL.fullmatch(name):
            found = None if name == "__init__" and _is_super(node) else f"use of the attribute {name}"
        case ast.Constant(value=str(text)) if (special := _SPECIAL.search(text)) and text != "__main__":
            found = f"use of {special.group()} in a text"
    return found


def _is_super(node: ast.Attribute) -> bool:
    """Whether the attribute is that of `super()`, as in `super().__init__()`."""
    return isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name) and node.value.func.id == "super"


def reduced_builtins() -> dict[str, Any]:
    """The built-in names without those that no program may use, and with an import of the listed modules alone."""
    kept = {name: value for name, value in vars(builtins).items() if name not in BUILTINS}
    return {**kept, "__import__": _import}


def _import(
    name: str,
    namespace: Mapping[str, object] | None = None,
    local: Mapping[str, object] | None = None,
    wanted: tuple[str, ...] = (),
    level: int = 0,
) -> ModuleType:
    if level or name not in MODULES:
        raise ForbiddenError(f"import of {name}")
    return builtins.__import__(name, namespace, local, wanted, level)
