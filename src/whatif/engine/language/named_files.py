"""Strategies, prompt forms and judge prompts: each is a YAML file in the folder of its package, named by the file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from whatif.engine.errors import WhatifError
from whatif.engine.files.yaml_values import parse_yaml

AnswerKind: TypeAlias = Literal["number", "boolean", "choice", "text"]
_NOT_BLANK = r"\S"
Text: TypeAlias = Annotated[str, Field(pattern=_NOT_BLANK)]
# A name in braces. After a letter it is an argument, as in LaTeX's `\boxed{answer}`.
_NAME_IN_BRACES = re.compile(r"(?<!\w)\{\s*[A-Za-z]\w*\s*\}")


class Entry(BaseModel):
    """The contents of a file, or a part of it: unknown keys and values of other types are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Contents = TypeVar("Contents", bound=Entry)


def names_in(folder: Traversable) -> list[str]:
    """The available names, sorted."""
    names = (entry.name for entry in folder.iterdir())
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))


def read_named(contents: type[Contents], folder: Traversable, what: str, name: str) -> Contents:
    """The contents of the file `name`; an error calls it `what` ("prompt form").

    Raises WhatifError, naming the entry, when there is no such file, when it cannot be read or when it is wrong.
    """
    known = names_in(folder)
    if name not in known:
        raise WhatifError(f"{what} {name}: is unknown; choose one of {', '.join(known)}")
    file = f"{name}.yaml"
    try:
        text = (folder / file).read_bytes().decode("utf-8")
    except OSError as error:
        raise WhatifError(f"{what} {name}: {file} cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{what} {name}: {file} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    values, _ = parse_yaml(text, Path(file))
    try:
        return contents.model_validate(values)
    except ValidationError as error:
        # An unknown key first: another key may be missing because this one is misspelt.
        first = min(error.errors(), key=lambda finding: finding["type"] != "extra_forbidden")
        place = ".".join(str(part) for part in first["loc"])
        raise WhatifError(f"{what} {name}: {f'{place}: ' if place else ''}{_reason(first, contents)}") from error


def unknown_placeholder(text: str, known: Collection[str]) -> str | None:
    """The first name in braces that is not one of the placeholders `known`; None if there is none.

    It would be sent as it is. Other braces, such as those of JSON, are text.
    """
    return next((found for found in _NAME_IN_BRACES.findall(text) if found not in known), None)


def _reason(finding: Any, contents: type[Entry]) -> str:
    """What one of pydantic's findings says is wrong, and what would be right."""
    kind = finding["type"]
    if kind == "extra_forbidden":
        known = _keys_at(contents, finding["loc"][:-1])
        alike = difflib.get_close_matches(str(finding["loc"][-1]), known, n=1)
        return "unknown key; " + (f"did you mean `{alike[0]}`?" if alike else f"it must be one of {', '.join(known)}")
    if kind == "string_pattern_mismatch" and finding["ctx"]["pattern"] == _NOT_BLANK:
        return "must not be empty"
    told = {"missing": "is missing", "model_type": "must contain keys and values"}
    return told.get(kind) or str(finding["msg"]).removeprefix("Value error, ")


def _keys_at(contents: type[Entry], place: Sequence[int | str]) -> list[str]:
    """The keys of the class that is read at a place in a file."""
    for part in place:
        if part in contents.model_fields:
            annotation = contents.model_fields[str(part)].annotation
            inner = [one for one in get_args(annotation) if isinstance(one, type) and issubclass(one, Entry)]
            contents = inner[0] if inner else contents
    return sorted(contents.model_fields)
