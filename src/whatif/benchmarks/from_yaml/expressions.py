"""Expressions in the files of benchmarks: comparisons, arithmetic and counts over the attributes of a row.

An expression is data, so it can do little: names of attributes and blanks, numbers, texts, `+ - * / // %`, comparisons,
`and`, `or`, `not`, `a if b else c`, lists, and the functions below. There are no attributes of Python objects, no
indices, no comprehensions, no keyword arguments, no powers and no repetition of texts. Its length, its steps and the
size of its values are bounded. `evaluation.py` evaluates it.

| function | value |
|---|---|
| `count(list)`, `count(list, condition)` | number of elements, or of those that satisfy the condition |
| `some(list, condition)`, `every(list, condition)` | whether some, or all, elements satisfy it |
| `only(list, condition)` | the elements that satisfy it |
| `values(list, value)` | the different values of the elements, sorted |
| `total(list, value)` | the sum of the values |
| `the(list, condition, value)` | the value of the only element that satisfies it; fails unless there is exactly one |
| `each(list, value)` | the value of every element, in their order |
| `before(text, mark)`, `after(text, mark)` | what is before or after the first mark; all, without one |
| `abs`, `min`, `max`, `round`, `lower`, `text` | as their names say; `text` writes a value as an answer is written |

In a condition or value, the names of the element's fields come first; `it` is an element without fields.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

LONGEST = 500  # characters of an expression
MOST_NODES = 200  # of its syntax tree
MOST_STEPS = 50_000  # of one evaluation
LONGEST_TEXT = 1_000  # characters of a text value
LONGEST_LIST = 1_000  # elements of a list
LARGEST_NUMBER = 10**15
MOST_DIGITS = 12  # that `round` keeps
ELEMENT = "it"
NO_VALUE = "no value"  # key of the attribute of a row whose cell cannot be read, and says why

# Function -> the fewest and the most arguments; the arguments after the list are evaluated for each of its elements.
OVER_LISTS: Mapping[str, tuple[int, int]] = {
    "count": (1, 2),
    "some": (2, 2),
    "every": (2, 2),
    "only": (2, 2),
    "values": (2, 2),
    "total": (2, 2),
    "the": (3, 3),
    "each": (2, 2),
}
PLAIN: Mapping[str, tuple[int, int]] = {
    "abs": (1, 1),
    "min": (1, 20),
    "max": (1, 20),
    "round": (1, 2),
    "lower": (1, 1),
    "before": (2, 2),
    "after": (2, 2),
    "text": (1, 1),
}
FUNCTIONS = (*OVER_LISTS, *PLAIN)
_NODES = (
    ast.Expression,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.Compare,
    ast.BoolOp,
    ast.UnaryOp,
    ast.BinOp,
    ast.IfExp,
    ast.Call,
    ast.List,
    ast.Tuple,
)
_OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
    *(ast.And, ast.Or, ast.Not, ast.USub),
)
_ALLOWED = "names, numbers, texts, + - * / // %, comparisons, and, or, not, `a if b else c`, lists, and " + ", ".join(
    FUNCTIONS
)

# Operators of other languages, and what to write for them.
_OPERATOR_OF = {"&&": "and", "||": "or", "<>": "!=", "=": "==", "!": "not"}
_OTHER_OPERATORS = re.compile(r"&&|\|\||<>|(?<![=!<>])=(?!=)|!(?!=)")
_TEXTS = re.compile(r"'[^']*'|\"[^\"]*\"")


class ExpressionError(ValueError):
    """An expression that is not allowed, or that has no value for a row; the text says why."""


@dataclass(frozen=True)
class Used:
    """A name in an expression; `lists` are the names of the lists over whose elements it is evaluated."""

    name: str
    lists: tuple[str, ...] = field(default=())


def names_in(source: str) -> list[Used]:
    """The names that an expression uses, without those of functions. Raises ExpressionError as `check`."""
    return list(dict.fromkeys(_names(parsed(source).body, ())))


def check(source: str) -> str:
    """The expression itself. Raises ExpressionError when it is not one, or uses something that is not allowed."""
    parsed(source)
    return source


def written(value: Any) -> str:
    """A value as the text of an answer: `yes` or `no`, a number with at most six decimals, or the text itself.

    Raises ExpressionError for anything else, such as a list or nothing.
    """
    value = readable(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and math.isfinite(value):
        value += 0.0  # no minus before zero
        if 1 <= abs(value) <= LARGEST_NUMBER:
            return f"{value:.6f}".rstrip("0").rstrip(".")
        return f"{value:.6g}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str) and value.strip():
        return " ".join(value.split())
    raise ExpressionError(f"is {shown(value)}; an answer must be a number, a text that is not empty, or true or false")


def readable(value: Any) -> Any:
    """The value of an attribute. Raises ExpressionError when its cell cannot be read."""
    if isinstance(value, dict) and NO_VALUE in value:
        raise ExpressionError(value[NO_VALUE])
    return value


@lru_cache(maxsize=4096)
def parsed(source: str) -> ast.Expression:
    """The syntax tree of an expression, which uses nothing but what is allowed. Raises ExpressionError."""
    if len(source) > LONGEST:
        raise ExpressionError(f"has {len(source):,} characters; the most are {LONGEST}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's remarks about texts such as "\\d"
            tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "it is nested too deeply"
        raise ExpressionError(f"is no expression: {reason}{_in_other_languages(source)}") from None
    nodes = list(ast.walk(tree))
    if len(nodes) > MOST_NODES:
        raise ExpressionError(f"has {len(nodes)} parts; the most are {MOST_NODES}")
    for node in nodes:
        _check_node(node)
    return tree


def _in_other_languages(source: str) -> str:
    """What to write for an operator of another language; empty if there is none outside texts."""
    found = _OTHER_OPERATORS.search(_TEXTS.sub("", source))
    return f"; write `{_OPERATOR_OF[found.group()]}` for `{found.group()}`" if found else ""


def _check_node(node: ast.AST) -> None:
    if isinstance(node, ast.operator | ast.unaryop | ast.boolop | ast.cmpop):
        if not isinstance(node, _OPERATORS):
            raise ExpressionError(f"uses {type(node).__name__}; allowed are {_ALLOWED}")
    elif not isinstance(node, _NODES):
        raise ExpressionError(f"uses {type(node).__name__}; allowed are {_ALLOWED}")
    elif isinstance(node, ast.Constant) and not isinstance(node.value, int | float | str | None):
        raise ExpressionError(f"contains {node.value!r:.40}; a value must be a number or a text")
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float) and abs(node.value) > LARGEST_NUMBER:
        raise ExpressionError(f"contains a number above {LARGEST_NUMBER:,}")
    elif isinstance(node, ast.Call):
        _check_call(node)


def _check_call(node: ast.Call) -> None:
    if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
        name = node.func.id if isinstance(node.func, ast.Name) else "something that is no name"
        raise ExpressionError(f"calls {name}; the functions are {', '.join(FUNCTIONS)}")
    if node.keywords:
        raise ExpressionError(f"{node.func.id}: has a named argument; write `==` to compare")
    fewest, most = {**OVER_LISTS, **PLAIN}[node.func.id]
    if not fewest <= len(node.args) <= most:
        wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise ExpressionError(f"{node.func.id}: has {len(node.args)} arguments; it takes {wanted}")


def _names(node: ast.AST, lists: tuple[str, ...]) -> Iterator[Used]:
    if isinstance(node, ast.Name):
        yield Used(node.id, lists)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        inner = lists
        if node.func.id in OVER_LISTS:
            inner = (*lists, _list_of(node.args[0]))
        for number, argument in enumerate(node.args):
            yield from _names(argument, inner if number else lists)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _names(child, lists)


def _list_of(node: ast.AST) -> str:
    """The name of the list that an expression takes elements of; empty if that is not known."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "only":
        node = node.args[0]
    return node.id if isinstance(node, ast.Name) else ""


def shown(value: Any) -> str:
    """A value as errors show it."""
    if value is None:
        return "nothing"
    return f"the list {value!r:.60}" if isinstance(value, list) else f"{value!r:.60}"
