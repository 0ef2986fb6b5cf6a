"""Expressions of the step EVAL: their values, what cannot be read, and what would cost too much."""

from __future__ import annotations

import random

import pytest

from whatif.models.programs.steps.expressions import ExpressionError, Value, ValueTypeError, evaluate

VALUES: dict[str, Value] = {"ANSWER0": 3, "ANSWER1": "4", "ANSWER2": "yes", "ANSWER3": "Red ", "ANSWER4": 2.5}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("{ANSWER0} + 1", 4),
        ("{ANSWER1} + {ANSWER0} * 2", 10),
        ("-{ANSWER0} - -2", -1),
        ("({ANSWER0} + 1) // 2", 2),
        ("7 % {ANSWER0}", 1),
        ("{ANSWER0} / 2", 1.5),
        ("'yes' if {ANSWER0} > 0 else 'no'", "yes"),
        ("'a' if {ANSWER0} > 5 else 'b' if {ANSWER0} > 2 else 'c'", "b"),
        ("{ANSWER0} == 3 and not {ANSWER1} < 4", True),
        ("1 < {ANSWER0} <= 3", True),
        ("1 < {ANSWER0} < 3", False),
        ("{ANSWER2} == 'yes'", True),
        ("'{ANSWER2}' == 'no'", False),
        ("{ANSWER3} == 'red'", True),
        ("'x' if {ANSWER2} xor True else 'y'", "y"),
        ("'re' in 'red'", True),
        ("'q' not in 'red'", True),
        ("max({ANSWER0}, {ANSWER1}, 1) - min(2, 3) + abs(-1)", 3),
        ("int({ANSWER4}) + round(1.4) + len('abc')", 6),
        ("'{ANSWER0} dogs' + '!'", "3 dogs!"),
        ("True", True),
    ],
)
def test_values(expression: str, value: Value) -> None:
    found = evaluate(expression, VALUES)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "1 +",
        "{NOTHING}",
        "().__class__",
        "__import__('os')",
        "open('/etc/passwd')",
        "[1 for x in (1,)]",
        "lambda: 1",
        "1 if 2",
        "min 3",
        "'open",
        "3 4",
        "٣ + 1",
        "a := 1",
        "{ANSWER0.__class__}",
        "(" * 40 + "1" + ")" * 40,
        "+".join(["1"] * 400),
        "<".join(["1"] * 400),
        " and ".join(["True"] * 150),
        "1" * 2000,
        "x\x00y",
    ],
)
def test_what_cannot_be_read(expression: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(expression, VALUES)


@pytest.mark.parametrize(
    "expression",
    [
        "1 / 0",
        "5 % 0",
        "'red' + 1",
        "'red' < 'blue'",
        "9" * 400,
        "9" * 15 + " * " + "9" * 15,
        "'" + "x" * 600 + "' + '" + "y" * 300 + "' + '" + "z" * 0 + "' * 3",
        "'a' if 'maybe' else 'b'",
        "abs('red')",
        "abs(1, 2)",
        "-'red'",
    ],
)
def test_operands_of_a_wrong_type_and_results_beyond_the_limits(expression: str) -> None:
    with pytest.raises(ValueTypeError):
        evaluate(expression, VALUES)


def test_a_text_does_not_grow_beyond_its_limit() -> None:
    with pytest.raises(ValueTypeError, match="1,000 characters"):
        evaluate("'{LONG}{LONG}{LONG}'", {"LONG": "x" * 400})


def test_no_text_raises_anything_else() -> None:
    generator = random.Random(7)
    words = ("if", "else", "not", "in", "min", "é", "{ANSWER0}", "{X}", "'a'", "//", "==")
    parts = [*words, *"1\"'()+<,"]
    for _ in range(5000):
        text = " ".join(generator.choice(parts) for _ in range(generator.randrange(1, 12)))
        try:
            evaluate(text, VALUES)
        except (ExpressionError, ValueTypeError) as error:
            assert str(error)
