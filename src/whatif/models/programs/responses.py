"""What the value of a program is as a response: text that is compared with the correct answer."""

from __future__ import annotations

import math
from typing import Any

from whatif.engine.files.well_formed import well_formed


class WrongTypeError(Exception):
    """A value that is no answer; the message says which."""


def response_of(value: Any) -> str:
    """The response that a program's value stands for.

    `True` is `yes` and `False` is `no`; numbers are figures, 3.0 is `3`; text stays as it is, without surrounding
    space; the elements of a list are joined by commas. Raises WrongTypeError for anything else: None, an empty list, a
    list in a list, a number that is not finite.
    """
    if isinstance(value, list):
        if not value:
            raise WrongTypeError("the program returned an empty list")
        return ", ".join(_one(element) for element in value)
    return _one(value)


def _one(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        try:
            return str(value)
        except ValueError:  # Python refuses to print numbers of more than 4,300 digits
            raise WrongTypeError("the program returned a number with too many digits") from None
    if isinstance(value, float):
        if not math.isfinite(value):
            raise WrongTypeError(f"the program returned {value}, which is not a number")
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else str(value)
    if isinstance(value, str):
        return well_formed(value).strip()
    if value is None:
        raise WrongTypeError("the program returned nothing")
    raise WrongTypeError(f"the program returned a {type(value).__name__} within its result")
