"""The expressions of the step EVAL: arithmetic, comparisons, conditions and texts, over the values of earlier steps.

Expressions are never given to Python: they are read here, and what they can cost is bounded.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Value: TypeAlias = bool | int | float | str
# A value, or an operation with its operands.
_Node: TypeAlias = tuple[Any, ...]

LONGEST = 1_000  # characters of an expression, and of a text that it makes
_LARGEST = 10**15  # magnitude of a number
_DEEPEST = 30
_MOST_TOKENS = 200  # a chain of operations is as deep as it is long
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<text>'[^']*'|\"[^\"]*\")|\{(?P<place>[A-Za-z_]\w*)\}"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<sign>//|==|!=|<=|>=|[-+*/%<>(),]))"
)
_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")
_NUMBER = re.compile(r"[-+]?[0-9]{1,15}(?:\.[0-9]{1,15})?")


class ExpressionError(Exception):
    """An expression that cannot be read."""


class ValueTypeError(Exception):
    """Operands of the wrong type, or a result beyond the limits."""


def evaluate(expression: str, values: Mapping[str, Value]) -> Value:
    """The value of an expression; `{NAME}` stands for the value of an earlier step, also inside a text.

    A text that is a number counts as one where a number is needed, as in `{ANSWER0} + 1` for the answer `3`.

    Raises ExpressionError when it cannot be read or names a value that is not there, ValueTypeError for operands of the
    wrong type, division by zero and results beyond the limits.
    """
    if len(expression) > LONGEST:
        raise ExpressionError(f"the expression has {len(expression):,} characters; it may have {LONGEST:,}")
    return _value(_Reader(_tokens(expression)).whole(), values)


def _tokens(expression: str) -> list[tuple[str, str]]:
    """The kind and the text of each token."""
    found, place = [], 0
    text = expression.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ExpressionError(f"cannot read the expression at `{text[place : place + 20]}`")
        kind = str(match.lastgroup)
        found.append((kind, match[kind]))
        place = match.end()
    if len(found) > _MOST_TOKENS:
        raise ExpressionError(f"the expression has {len(found)} parts; it may have {_MOST_TOKENS}")
    return found


class _Reader:
    """Reads tokens by precedence: `if`, `or`, `xor`, `and`, `not`, comparison, sum, product, sign."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = [*tokens, ("end", "")]
        self._place = 0
        self._depth = 0

    def whole(self) -> _Node:
        node = self._condition()
        if self._tokens[self._place][0] != "end":
            raise ExpressionError(f"`{self._tokens[self._place][1][:20]}` is not expected there")
        return node

    def _take(self, *texts: str) -> str | None:
        kind, text = self._tokens[self._place]
        if kind in ("word", "sign") and text in texts:
            self._place += 1
            return text
        return None

    def _need(self, text: str) -> None:
        if self._take(text) is None:
            raise ExpressionError(f"`{text}` is missing before `{self._tokens[self._place][1][:20]}`")

    def _condition(self) -> _Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ExpressionError(f"the expression is nested more than {_DEEPEST} deep")
        node = self._joined(0)
        if self._take("if"):
            condition = self._joined(0)
            self._need("else")
            node = ("if", condition, node, self._condition())
        self._depth -= 1
        return node

    def _joined(self, level: int) -> _Node:
        """`or`, `xor` and `and`, from the weakest on."""
        if level == len(_JOINING):
            return self._negated()
        node = self._joined(level + 1)
        while self._take(_JOINING[level]):
            node = (_JOINING[level], node, self._joined(level + 1))
        return node

    def _negated(self) -> _Node:
        negations = 0
        while self._take("not"):
            negations += 1
        node = self._compared()
        return ("not", node) if negations % 2 else node

    def _compared(self) -> _Node:
        """A comparison, or a chain such as `1 < {ANSWER0} < 4`."""
        first = self._sum()
        links: list[_Node] = []
        left = first
        while sign := self._comparison():
            right = self._sum()
            links.append(("compare", sign, left, right))
            left = right
        node = links[0] if links else first
        for link in links[1:]:
            node = ("and", node, link)
        return node

    def _comparison(self) -> str | None:
        if self._take("not"):
            self._need("in")
            return "not in"
        return self._take(*_COMPARISONS)

    def _sum(self) -> _Node:
        node = self._product()
        while sign := self._take("+", "-"):
            node = ("compute", sign, node, self._product())
        return node

    def _product(self) -> _Node:
        node = self._signed()
        while sign := self._take("*", "/", "//", "%"):
            node = ("compute", sign, node, self._signed())
        return node

    def _signed(self) -> _Node:
        negative = False
        while sign := self._take("-", "+"):
            negative ^= sign == "-"
        node = self._atom()
        return ("compute", "-", ("value", 0), node) if negative else node

    def _atom(self) -> _Node:
        kind, text = self._tokens[self._place]
        self._place += 1
        if kind == "number":
            return ("value", float(text) if "." in text else int(text))
        if kind == "text":
            return ("text", text[1:-1])
        if kind == "place":
            return ("place", text)
        if text == "(":
            node = self._condition()
            self._need(")")
            return node
        if kind == "word" and text in _CONSTANTS:
            return ("value", _CONSTANTS[text])
        if kind == "word" and text in _FUNCTIONS and self._take("("):
            return ("call", text, self._operands())
        raise ExpressionError(f"`{text[:20]}` is not expected there" if text else "the expression ends too early")

    def _operands(self) -> tuple[_Node, ...]:
        operands = [self._condition()]
        while self._take(","):
            operands.append(self._condition())
        self._need(")")
        return tuple(operands)


def _value(node: _Node, values: Mapping[str, Value]) -> Value:
    return _OPERATIONS[node[0]](values, *node[1:])


def _text(values: Mapping[str, Value], text: str) -> Value:
    return _bounded(_PLACE.sub(lambda found: str(_known(found[1], values)), text))


def _chosen(values: Mapping[str, Value], condition: _Node, yes: _Node, no: _Node) -> Value:
    return _value(yes if _truth(_value(condition, values)) else no, values)


def _and(values: Mapping[str, Value], first: _Node, second: _Node) -> Value:
    return _truth(_value(first, values)) and _truth(_value(second, values))


def _or(values: Mapping[str, Value], first: _Node, second: _Node) -> Value:
    return _truth(_value(first, values)) or _truth(_value(second, values))


def _known(name: str, values: Mapping[str, Value]) -> Value:
    if name not in values:
        raise ExpressionError(f"{{{name}}} is no value of an earlier step")
    return values[name]


def _truth(value: Value) -> bool:
    """`yes` and `True` are true, `no` and `False` false; numbers as usual. Other texts are neither."""
    if isinstance(value, str):
        word = value.strip().lower()
        if word in ("yes", "true"):
            return True
        if word in ("no", "false", ""):
            return False
        raise ValueTypeError(f"`{value[:40]}` is neither yes nor no")
    return bool(value)


def _compared(sign: str, first: Value, second: Value) -> bool:
    if sign in ("in", "not in"):
        return (str(first) in str(second)) == (sign == "in")
    numbers = _as_numbers(first, second)
    if numbers is not None:
        return bool(_COMPARISONS[sign](*numbers))
    if sign in ("==", "!="):
        return (str(first).strip().lower() == str(second).strip().lower()) == (sign == "==")
    raise ValueTypeError(f"`{str(first)[:40]}` and `{str(second)[:40]}` cannot be compared by {sign}")


def _computed(sign: str, first: Value, second: Value) -> Value:
    numbers = _as_numbers(first, second)
    if numbers is None:
        if sign == "+" and isinstance(first, str) and isinstance(second, str):
            return _bounded(first + second)
        raise ValueTypeError(f"`{str(first)[:40]}` {sign} `{str(second)[:40]}`: both must be numbers")
    if sign in ("/", "//", "%") and numbers[1] == 0:
        raise ValueTypeError("division by zero")
    return _bounded(_COMPUTING[sign](*numbers))


def _called(name: str, operands: list[Value]) -> Value:
    least, most, function = _FUNCTIONS[name]
    if not least <= len(operands) <= most:
        raise ValueTypeError(f"{name} takes {least} to {most} values; it was given {len(operands)}")
    if name in ("str", "len"):
        return _bounded(function(str(operands[0])))
    numbers = [_as_number(one) for one in operands]
    if any(number is None for number in numbers):
        raise ValueTypeError(f"{name} takes numbers; it was given {', '.join(str(one)[:20] for one in operands)}")
    return _bounded(function(*numbers))


def _as_numbers(first: Value, second: Value) -> tuple[int | float, int | float] | None:
    left, right = _as_number(first), _as_number(second)
    return None if left is None or right is None else (left, right)


def _as_number(value: Value) -> int | float | None:
    """A number, or a text that is one; None otherwise."""
    if isinstance(value, str):
        text = value.strip()
        if not _NUMBER.fullmatch(text):
            return None
        return float(text) if "." in text else int(text)
    return int(value) if isinstance(value, bool) else value


def _bounded(value: Value) -> Value:
    if isinstance(value, str):
        if len(value) > LONGEST:
            raise ValueTypeError(f"a text may have {LONGEST:,} characters")
    elif not abs(value) <= _LARGEST:  # also no number at all
        raise ValueTypeError("a number is too large")
    return value


_OPERATIONS: dict[str, Callable[..., Value]] = {
    "value": lambda values, value: _bounded(value),
    "text": _text,
    "place": lambda values, name: _known(name, values),
    "if": _chosen,
    "not": lambda values, operand: not _truth(_value(operand, values)),
    "and": _and,
    "or": _or,
    "xor": lambda values, first, second: _truth(_value(first, values)) != _truth(_value(second, values)),
    "compare": lambda values, sign, first, second: _compared(sign, _value(first, values), _value(second, values)),
    "compute": lambda values, sign, first, second: _computed(sign, _value(first, values), _value(second, values)),
    "call": lambda values, name, operands: _called(name, [_value(operand, values) for operand in operands]),
}
_JOINING = ("or", "xor", "and")
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "in": operator.contains,
}
_COMPUTING: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_CONSTANTS: dict[str, bool] = {"True": True, "False": False}
# The least and the most operands, and the function.
_FUNCTIONS: dict[str, tuple[int, int, Callable[..., Any]]] = {
    "min": (1, 20, lambda *numbers: min(numbers)),
    "max": (1, 20, lambda *numbers: max(numbers)),
    "abs": (1, 1, abs),
    "int": (1, 1, int),
    "float": (1, 1, float),
    "round": (1, 1, round),
    "len": (1, 1, len),
    "str": (1, 1, str),
}
