"""Arguments that are paths: relative to the folder where the user typed them, also below the project's folder."""

from __future__ import annotations

import os
from typing import Any

import click
from click.core import ParameterSource

from whatif.engine.files.project_folder import typed_path


class TypedPath(click.Path):
    """The type of a path argument; a default stays relative to the project's folder."""

    def __init__(self, kind: click.Path) -> None:
        self.__dict__.update(kind.__dict__)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, checked as by click.Path; a message has it as it was typed."""
        source = ctx.get_parameter_source(param.name) if ctx and param and param.name else None
        if source is not ParameterSource.COMMANDLINE:
            return super().convert(value, param, ctx)
        path = os.fspath(typed_path(value))
        try:
            return super().convert(path, param, ctx)
        except click.BadParameter as error:
            raise click.BadParameter(error.message.replace(f"'{path}'", f"'{os.fspath(value)}'"), ctx, param) from error


def with_typed_paths(command: click.Command) -> click.Command:
    """The command, and those below it, with this type for each argument and option that is a path."""
    for param in command.params:
        if isinstance(param.type, click.Path) and not isinstance(param.type, TypedPath):
            param.type = TypedPath(param.type)
    if isinstance(command, click.Group):
        for below in command.commands.values():
            with_typed_paths(below)
    return command
