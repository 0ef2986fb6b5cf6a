"""The arithmetic of written steps is recomputed, and never evaluated as code."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from whatif.benchmarks.cvqa_real.arithmetic import Calculation, calculation, value_of


@pytest.mark.parametrize(
    ("text", "first", "result"),
    [
        ("The answer would be 3+3=6", 3, 6),
        ("The answer would be 2-1+2=3.", 2, 3),
        ("2 x 3 = 6", 2, 6),
        ("2x3=6", 2, 6),
        ("2 × 3 = 6 dogs", 2, 6),
        ("8 ÷ 2 = 4", 8, 4),
        ("5 \N{MINUS SIGN} 2 = 3", 5, 3),
        ("10-2-3=5", 10, 5),
        ("2+3*4=14", 2, 14),
        ("12/2/3=2", 12, 2),
        ("(2+1)*2=6", 2, 6),
        ("((2+1))*(4-2)=6", 2, 6),
        ("2-1=1, then 1+2=3", 2, 3),
        ("3 + 2 = 4 + 1 = 5", 3, 5),
        ("1,000+24=1,024", 1000, 1024),
        ("8/3*3=8", 8, 8),
        ("2-5=-3", 2, -3),
        ("0+2=2", 0, 2),
        ("The answer would be 5 (3+2=5).", 3, 5),
        ("(3+2=5 dogs)", 3, 5),
        ("((3+2)*2=10)", 3, 10),
    ],
)
def test_what_is_right(text: str, first: int, result: int) -> None:
    assert calculation(text) == Calculation(Fraction(first), Fraction(result))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no calculation such as 3+2=5"),
        ("There would be five dogs.", "has no calculation"),
        ("The answer would be 3+2", "has no calculation"),
        ("=5", "has no calculation"),
        ("3+2=6", "'3+2=6' is wrong: 3+2 is 5, not 6"),
        ("2+3*4=20", "is wrong: 2+3*4 is 14, not 20"),
        ("10-2-3=11", "is wrong"),
        ("3+2=5=6", "is wrong: 3+2 is 5, not 6"),
        ("7/2=3", "is wrong: 7/2 is 7/2, not 3"),
        ("2-1=1, then 2+2=4", "'2+2=4' begins with 2, not with the 1 before it"),
        ("5=5", "'5=5' calculates nothing"),
        ("3/0=3", "divides by zero"),
        ("3/(2-2)=3", "divides by zero"),
        ("2.5+1=3.5", "'2.5' is no whole number"),
        ("(2+1*2=4", "a parenthesis is not closed"),
        ("2+1)*2=6", "')' is not expected"),
        ("1234567890+1=1234567891", "has more than 9 digits"),
        ("+".join("1" * 100) + "=100", "has 199 numbers and signs; at most 60"),
        ("1+" * 2000 + "1=2001", "characters; at most 2,000"),
    ],
)
def test_what_is_wrong_is_named(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        calculation(text)


@pytest.mark.parametrize("expression", ["", "2**3", "__import__('os')", "2+", "+2", "2 3", "1e5", "two", "2//3", "()"])
def test_nothing_but_the_four_operations_has_a_value(expression: str) -> None:
    with pytest.raises(ValueError, match=r"expected|missing|no expression|closed"):
        value_of(expression)
