"""The lines of a source file without comments and docstrings, which have no effect on the version of the code."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")  # fields that hold statements


def without_comments(source: str, tree: ast.Module) -> list[str | None]:
    """The lines of a module without comments and docstrings, None for blank lines; other strings are left unchanged."""
    lines = source.split("\n")
    kept: set[int] = set()  # rows that end inside a string
    depth = began = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (row, column), (end_row, _) = token.start, token.end
        kind = tokenize.tok_name[token.type]
        if kind == "COMMENT":
            lines[row - 1] = lines[row - 1][:column]
        elif kind == "STRING":
            kept.update(range(row, end_row))
        elif kind == "FSTRING_START":  # from Python 3.12 on, an f-string is several tokens
            depth, began = depth + 1, row if depth == 0 else began
        elif kind == "FSTRING_END":
            depth -= 1
            kept.update(range(began, end_row) if depth == 0 else ())
    for node in _statements(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(node, False):
            kept -= _blank_out(node.body[0], lines)
    return [line if row in kept else line.rstrip() or None for row, line in enumerate(lines, start=1)]


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements of a module and what holds statements in them (`except`, `case`), but no expressions."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for field in _BODIES:
            waiting += getattr(node, field, ())


def _blank_out(remark: ast.stmt, lines: list[str]) -> set[int]:
    """Removes a docstring from its lines and returns their row numbers."""
    last = remark.end_lineno or remark.lineno
    before = lines[remark.lineno - 1].encode()[: remark.col_offset].decode()
    after = lines[last - 1].encode()[remark.end_col_offset :].decode()
    for row in range(remark.lineno, last + 1):
        lines[row - 1] = ""
    lines[remark.lineno - 1] = (before + after).rstrip()
    return set(range(remark.lineno, last + 1))
