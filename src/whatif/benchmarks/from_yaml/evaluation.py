"""Evaluates expressions by the library simpleeval, with bounded steps and values, and with functions over lists."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simpleeval import InvalidExpression, SimpleEval  # type: ignore[import-untyped]

from whatif.benchmarks.from_yaml.expressions import (
    ELEMENT,
    LARGEST_NUMBER,
    LONGEST_TEXT,
    MOST_DIGITS,
    MOST_STEPS,
    PLAIN,
    ExpressionError,
    parsed,
    readable,
    shown,
    written,
)


def evaluate(source: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression, where `names` are the attributes of a row and the blanks of a template.

    Raises ExpressionError, with the reason, when it has no value or takes too long.
    """
    evaluator = _Evaluator(names)
    try:
        return evaluator.eval(source, previously_parsed=parsed(source).body)
    except ExpressionError:
        raise
    except (InvalidExpression, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise ExpressionError(_reason(error)) from None


class _Evaluator(SimpleEval):  # type: ignore[misc]
    """simpleeval with bounded steps and values, without its functions, and with those over lists."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        operators: dict[Any, Callable[..., Any]] = {
            ast.Add: _add,
            ast.Sub: _arithmetic(operator.sub),
            ast.Mult: _arithmetic(operator.mul),
            ast.Div: _arithmetic(operator.truediv),
            ast.FloorDiv: _arithmetic(operator.floordiv),
            ast.Mod: _arithmetic(operator.mod),
            ast.USub: lambda value: _arithmetic(operator.sub)(0, value),
            ast.Not: operator.not_,
            ast.Eq: operator.eq,
            ast.NotEq: operator.ne,
            ast.Lt: operator.lt,
            ast.LtE: operator.le,
            ast.Gt: operator.gt,
            ast.GtE: operator.ge,
            ast.In: _contains,
            ast.NotIn: lambda element, of: not _contains(element, of),
        }
        super().__init__(operators=operators, functions={}, names={})
        self.names: dict[str, Any] = dict(names)
        self.nodes = {
            ast.Name: self._eval_name,
            ast.Constant: self._eval_constant,
            ast.Compare: self._eval_compare,
            ast.BoolOp: self._eval_boolop,
            ast.UnaryOp: self._eval_unaryop,
            ast.BinOp: self._eval_binop,
            ast.IfExp: self._eval_ifexp,
            ast.Call: self._eval_call,
            ast.List: self._eval_sequence,
            ast.Tuple: self._eval_sequence,
        }
        self._steps = 0

    def _eval(self, node: ast.AST) -> Any:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise ExpressionError(f"takes more than {MOST_STEPS:,} steps")
        return self.nodes[type(node)](node)  # values are plain data, so there is nothing to check in them

    def _eval_name(self, node: ast.Name) -> Any:
        if node.id not in self.names:
            raise ExpressionError(f"{node.id}: the row has no such attribute")
        try:
            return readable(self.names[node.id])
        except ExpressionError as error:
            raise ExpressionError(f"{node.id}: {error}") from None

    def _eval_sequence(self, node: ast.List | ast.Tuple) -> list[Any]:
        return [self._eval(element) for element in node.elts]

    def _eval_call(self, node: ast.Call) -> Any:
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if name in PLAIN:
            return _plain(name, [self._eval(argument) for argument in node.args])
        elements = self._eval(node.args[0])
        if not isinstance(elements, list):
            raise ExpressionError(f"{name}: is given {shown(elements)}; it needs a list")
        return self._over(name, elements, node.args[1:])

    def _over(self, name: str, elements: Sequence[Any], inner: Sequence[ast.AST]) -> Any:
        if name == "count" and not inner:
            return len(elements)
        if name in ("values", "total", "each"):
            found = [self._for(element, inner[0]) for element in elements]
            if name == "each":
                return found
            if name == "total":
                return sum(map(_number, found))
            return sorted(set(found), key=lambda value: (isinstance(value, str), value))
        kept = [element for element in elements if self._for(element, inner[0])]
        if name == "the":
            if len(kept) != 1:
                raise ExpressionError(f"the: {len(kept)} elements satisfy the condition; there must be exactly one")
            return self._for(kept[0], inner[1])
        results = {"count": len(kept), "some": bool(kept), "every": len(kept) == len(elements), "only": kept}
        return results[name]

    def _for(self, element: Any, node: ast.AST) -> Any:
        """The value of a condition for an element, whose fields hide other names."""
        outer = self.names
        self.names = {**outer, **element} if isinstance(element, dict) else {**outer, ELEMENT: element}
        try:
            return self._eval(node)
        finally:
            self.names = outer


def _plain(name: str, given: Sequence[Any]) -> Any:
    if name == "text":
        return written(given[0])
    if name in ("lower", "before", "after"):
        if others := [value for value in given if not isinstance(value, str)]:
            raise ExpressionError(f"{name}: is given {shown(others[0])}; it needs a text")
        if name == "lower":
            return given[0].lower()
        first, mark, rest = given[0].partition(given[1])
        return (first if name == "before" or not mark else rest).strip()
    numbers = given[0] if name in ("min", "max") and isinstance(given[0], list) else given
    if name in ("min", "max"):
        if not numbers:
            raise ExpressionError(f"{name}: the list is empty")
        return (min if name == "min" else max)(map(_number, numbers))
    if name == "abs":
        return abs(_number(given[0]))
    digits = given[1] if len(given) > 1 else 0
    if digits not in range(MOST_DIGITS + 1):
        raise ExpressionError(f"round: to {shown(digits)} digits; they must be 0 to {MOST_DIGITS}")
    return round(_number(given[0]), int(digits)) if digits else round(_number(given[0]))


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ExpressionError(f"{shown(value)} is no number")
    return value


def _arithmetic(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def of_numbers(first: Any, second: Any) -> Any:
        found = function(_number(first), _number(second))
        if abs(found) > LARGEST_NUMBER:
            raise ExpressionError(f"a number becomes larger than {LARGEST_NUMBER:,}")
        return found

    return of_numbers


def _add(first: Any, second: Any) -> Any:
    if isinstance(first, str) and isinstance(second, str):
        if len(first) + len(second) > LONGEST_TEXT:
            raise ExpressionError(f"a text becomes longer than {LONGEST_TEXT:,} characters")
        return first + second
    return _arithmetic(operator.add)(first, second)


def _contains(element: Any, of: Any) -> bool:
    if not isinstance(of, list | str):
        raise ExpressionError(f"in: is given {shown(of)}; it needs a list or a text")
    return element in of


def _reason(error: BaseException) -> str:
    if isinstance(error, ZeroDivisionError):
        return "divides by zero"
    return " ".join(str(error).split())[:200] or type(error).__name__
