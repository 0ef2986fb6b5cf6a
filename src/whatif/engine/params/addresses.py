"""Where an endpoint is, and the name of the environment variable with its key."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#@]*)?")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")


def _url(address: str) -> str:
    if not _URL.fullmatch(address):
        raise ValueError(
            "it must be a URL such as http://localhost:8000/v1, without a user name, a query or a fragment"
        )
    return address


def _variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError("it must be the name of an environment variable, such as OPENAI_API_KEY, not the key itself")
    return name


BaseUrl = Annotated[str, AfterValidator(_url)]
KeyVariable = Annotated[str, AfterValidator(_variable)]
