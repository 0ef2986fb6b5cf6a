"""Strategies, prompt forms and judge prompts: each is a YAML file in the folder of its package, named by the file."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from whatif.errors import WhatifError
from whatif.files.yaml_values import parse_yaml

AnswerKind: TypeAlias = Literal["number", "boolean", "choice", "text"]
Text: TypeAlias = Annotated[str, Field(pattern=r"\S")]


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

    Raises WhatifError, naming the entry, when there is no such file or when it is wrong.
    """
    known = names_in(folder)
    if name not in known:
        raise WhatifError(f"{what} {name}: is unknown; choose one of {', '.join(known)}")
    file = f"{name}.yaml"
    values, _ = parse_yaml((folder / file).read_text(encoding="utf-8"), Path(file))
    try:
        return contents.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        raise WhatifError(f"{what} {name}: {f'{place}: ' if place else ''}{reason}") from error
