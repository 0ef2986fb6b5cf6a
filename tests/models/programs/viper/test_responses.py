"""Values of programs as responses."""

from __future__ import annotations

import math
from typing import Any

import pytest

from whatif.models.programs.responses import WrongTypeError, response_of


@pytest.mark.parametrize(
    ("value", "response"),
    [
        (True, "yes"),
        (False, "no"),
        (3, "3"),
        (3.0, "3"),
        (-0.0, "0"),
        (2.5, "2.5"),
        (1e20, "1e+20"),
        (" a red bus\n", "a red bus"),
        ("half of a pair: \ud800", "half of a pair: \ufffd"),
        (["cat", 2, True], "cat, 2, yes"),
        ("", ""),
    ],
)
def test_a_value_becomes_text(value: Any, response: str) -> None:
    assert response_of(value) == response


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "returned nothing"),
        ([], "empty list"),
        ([["a"]], "a list within"),
        ({"a": 1}, "a dict within"),
        ([None], "returned nothing"),
        (math.nan, "nan"),
        (math.inf, "inf"),
    ],
)
def test_any_other_value_is_of_the_wrong_type(value: Any, words: str) -> None:
    with pytest.raises(WrongTypeError, match=words):
        response_of(value)


def test_a_number_that_cannot_be_printed_is_of_the_wrong_type() -> None:
    with pytest.raises(WrongTypeError, match="too many digits"):
        response_of(10**5000)
