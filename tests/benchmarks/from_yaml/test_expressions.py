"""Expressions: what they can say, what they must not do, and their limits."""

from __future__ import annotations

import time

import pytest

from whatif.benchmarks.from_yaml.evaluation import evaluate
from whatif.benchmarks.from_yaml.expressions import (
    LARGEST_NUMBER,
    LONGEST,
    ExpressionError,
    Used,
    check,
    names_in,
    written,
)

ROW = {
    "objects": [
        {"noun": "ball", "colour": "red", "x": 0.2},
        {"noun": "box", "colour": "red", "x": 0.8},
        {"noun": "star", "colour": "blue", "x": 0.5},
    ],
    "tags": ["new", "old"],
    "number": 3,
    "colour": "green",
    "missing": None,
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("count(objects)", 3),
        ('count(objects, colour == "red" and noun != "box")', 1),
        ("values(objects, colour)", ["blue", "red"]),
        ("values(only(objects, x > 0.4), noun)", ["box", "star"]),
        ("total(objects, x) > 1.4", True),
        ("each(objects, colour)", ["red", "red", "blue"]),
        ('before("Which? A: left; B: right", "A:")', "Which?"),
        ('after("Which? A: left; B: right", "B:")', "right"),
        ('[before(colour, ";"), after(colour, ";")]', ["green", "green"]),
        ('the(objects, noun == "star", colour)', "blue"),
        ('some(tags, it == "new") and not every(tags, it == "new")', True),
        ('"new" in tags', True),
        ("number * 2 - 7 // 2 + number % 2", 4),
        ("1 < number <= 3", True),
        ('"there is no " + colour if count(objects, colour == "pink") == 0 else colour', "there is no green"),
        ("max(values(objects, x)) - min(1, number)", -0.19999999999999996),
        ("round(2.346, 2)", 2.35),
        ("missing == None", True),
        ("count(objects, count(only(objects, colour == 'red'), x > 0.1) == 2)", 3),
    ],
)
def test_an_expression_has_its_value(expression: str, value: object) -> None:
    assert evaluate(check(expression), ROW) == value


def test_the_fields_of_an_element_hide_other_names() -> None:
    assert evaluate('count(objects, colour == "green")', ROW) == 0
    assert evaluate('count(tags, colour == "green")', ROW) == 2


@pytest.mark.parametrize(
    "hostile",
    [
        "__import__('os').system('true')",
        "().__class__.__bases__[0].__subclasses__()",
        "objects.__class__",
        "colour.format(objects)",
        "objects[0]",
        "[x for x in objects]",
        "(lambda: 1)()",
        "eval('1')",
        "open('/etc/passwd')",
        "getattr(objects, 'x')",
        "count.__globals__",
        "f'{objects}'",
        "2 ** 1000000",
        "1 << 100000",
        "(x := 3)",
        "count(*objects)",
        "count(objects, condition=1)",
        "count(**objects)",
        "{'a': 1}",
        "{1, 2}",
        "b'bytes'",
        "1j",
        "...",
        "a; b",
        "import os",
        "objects is None",
        "~number",
        "await number",
        "yield",
        "",
        "count(",
        "count()",
        "print(1)",
        "text(1, 2)",
        "(count)(objects) if count else 1()",
        "10000000000000000000",
        "1e300",
    ],
)
def test_hostile_expressions_are_refused_before_anything_is_evaluated(hostile: str) -> None:
    with pytest.raises(ExpressionError):
        check(hostile)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("unknown", "the row has no such attribute"),
        ("count", "the row has no such attribute"),
        ("__builtins__", "the row has no such attribute"),
        ("number / 0", "divides by zero"),
        ("number % 0", "divides by zero"),
        ("number < colour", "not supported"),
        ("missing + 1", "nothing is no number"),
        ("colour * 3", "'green' is no number"),
        ("tags + tags", "is no number"),
        ("'%s' % colour", "is no number"),
        ("-colour", "is no number"),
        ("count(number)", "it needs a list"),
        ('the(objects, colour == "red", x)', "2 elements satisfy the condition"),
        ("max(values(only(objects, x > 5), x))", "the list is empty"),
        ("number in number", "it needs a list or a text"),
        ("round(2.5, 1000000000000)", "they must be 0 to 12"),
        ("round(number, -1000000000)", "they must be 0 to 12"),
        ("1000000000000 * 1000000000000", "becomes larger"),
        ("lower(number)", "it needs a text"),
        ('before(missing, "A")', "is given nothing; it needs a text"),
        ('after(colour, "")', "empty separator"),
        ("values(objects, tags)", "unhashable"),
    ],
)
def test_an_expression_without_a_value_says_why(expression: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        evaluate(expression, ROW)


def test_length_depth_and_steps_are_bounded() -> None:
    chains = ("1" + "+1" * LONGEST, "not " * 120 + "1", "-" * 400 + "1", "+".join("1" * 150))
    for long in (*chains, "count(" * 70 + "1" + ")" * 70):
        with pytest.raises(ExpressionError):
            check(long)
    many = {"many": list(range(1000))}
    began = time.process_time()
    with pytest.raises(ExpressionError, match="takes more than"):
        evaluate("count(many, count(many, count(many, it > 1) > 1) > 1)", many)
    assert time.process_time() - began < 30
    doubled = "+".join(["words"] * 40)
    with pytest.raises(ExpressionError, match="longer than"):
        evaluate(doubled, {"words": "a" * 100})
    assert evaluate(str(LARGEST_NUMBER), {}) == LARGEST_NUMBER


def test_values_in_rows_are_data_and_never_evaluated() -> None:
    row = {"colour": "__import__('os').system('false')"}
    assert evaluate("colour", row) == row["colour"]
    assert evaluate("'os' in colour", row) is True


def test_names_come_with_the_lists_over_which_they_are_evaluated() -> None:
    assert names_in("count(only(objects, a), b) > c") == [
        Used("objects"),
        Used("a", ("objects",)),
        Used("b", ("objects",)),
        Used("c"),
    ]


def test_answers_are_written_as_people_write_them() -> None:
    values = (True, False, 3, 2.50, "  two\n words ")
    assert [written(value) for value in values] == ["yes", "no", "3", "2.5", "two words"]
    numbers = (0.1 + 0.2, 1 / 3, -0.0, 1234567.0, 1234568.5, 299.99, -12.0, 1e15, 0.00001)
    texts = ["0.3", "0.333333", "0", "1234567", "1234568.5", "299.99", "-12", "1000000000000000", "1e-05"]
    assert [written(number) for number in numbers] == texts
    for value in (None, [], " ", float("nan"), float("inf")):
        with pytest.raises(ExpressionError):
            written(value)
