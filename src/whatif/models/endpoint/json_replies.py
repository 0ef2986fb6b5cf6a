"""Replies in JSON: what an endpoint is asked for, and whether its reply fits the schema."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NoReturn

from whatif.engine.errors import WhatifError
from whatif.engine.params.endpoints import JsonMode

_LONGEST = 200  # characters of a reason


def response_format(schema: str, mode: JsonMode) -> dict[str, Any]:
    """The fields of a request that ask for JSON of a schema (a JSON text) in the way that the endpoint knows.

    Raises WhatifError when the schema is invalid.
    """
    _validator(schema)
    if mode == "none":
        return {}
    if mode == "object":
        return {"response_format": {"type": "json_object"}}
    named = {"name": "answer", "schema": json.loads(schema), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def json_fault(text: str, schema: str) -> str | None:
    """Why a text is not JSON of a schema; None if it is. Raises WhatifError when the schema itself is invalid."""
    validator = _validator(schema)
    try:
        value = json.loads(text, parse_constant=_reject)
    except (ValueError, RecursionError) as error:
        return f"the response is not JSON: {_line(error)}"
    from jsonschema.exceptions import best_match
    from referencing.exceptions import Unresolvable

    try:
        fault = best_match(validator.iter_errors(value))
    except Unresolvable as error:
        raise WhatifError(f"json_schema: refers to something that it does not contain ({_line(error)})") from None
    return None if fault is None else f"the response does not fit the JSON schema: {_line(fault)}"


@lru_cache(maxsize=16)
def _validator(schema: str) -> Any:
    import jsonschema
    from referencing import Registry

    try:
        described = json.loads(schema)
        kind = jsonschema.validators.validator_for(described, default=jsonschema.Draft202012Validator)
        kind.check_schema(described)
    except (ValueError, jsonschema.SchemaError) as error:
        raise WhatifError(f"json_schema: is not a JSON schema ({_line(error)})") from None
    return kind(described, registry=Registry())  # an empty registry: nothing is looked up on the network


def _reject(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _line(said: object) -> str:
    text = " ".join(str(getattr(said, "message", said)).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
