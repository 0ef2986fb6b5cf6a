"""The reference pages that are written from the code: commands, `params.yaml`, adapters and tables of artifacts."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from click.formatting import HelpFormatter
from pydantic_core import PydanticUndefined

ROOT = Path(__file__).parents[2]
_WORDS = {"NoneType": "null", "str": "text", "int": "whole number", "float": "number", "bool": "true or false"}
_WIDTH = 80  # as in a terminal; wider lines would be cut off beside the navigation


def command_line() -> str:
    """What `--help` prints for each command and subcommand, as one page."""
    from whatif.commands.cli import main

    parts = [
        "# Command line",
        "The text of `whatif --help`, and of `--help` of each command. A command that fails for a reason that you can"
        " fix prints one line that begins with `whatif: `, and ends with exit code 2.",
        *_of_command(main, ["whatif"], None),
    ]
    return "\n\n".join(parts) + "\n"


def _of_command(command: click.Command, words: list[str], parent: click.Context | None) -> Iterator[str]:
    context = click.Context(command, parent, info_name=words[-1], **command.context_settings)
    formatter = HelpFormatter(width=_WIDTH)
    command.format_help(context, formatter)
    yield f"{'#' * min(1 + len(words), 4)} {' '.join(words)}"
    yield f"```text\n{formatter.getvalue().rstrip()}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None and not found.hidden:
                yield from _of_command(found, [*words, name], context)


def parameters() -> str:
    """`params.yaml` section by section, and the fields of each adapter of models."""
    from whatif.commands.params import settings_text

    lines = settings_text(None).splitlines()
    parts = [
        "# params.yaml",
        "All settings of a project and of every benchmark, with their defaults: what `whatif params` prints outside a"
        " project. `params.yaml` sets the seed, the benchmarks and the models, and what else differs from the defaults."
        " Unknown keys are refused, with the key that was probably meant.",
    ]
    for name, section in _sections(lines):
        text = "\n".join(section).strip("\n")
        parts += [f"## {name}", f"```yaml\n{text}\n```"]
    parts += ["## Fields of a model", "An entry of `models` has the field `adapter`, and the fields of that adapter."]
    parts += list(_adapters())
    return "\n\n".join(parts) + "\n"


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The top-level keys of a YAML file in their order, each with its lines and the comment above it."""
    name, section = "", list[str]()
    for line in lines:
        key = re.match(r"([a-z_]+):", line)
        if not key:
            section.append(line)
            continue
        above: list[str] = []
        while section and section[-1].startswith("#"):
            above.insert(0, section.pop())
        if name:
            yield name, section
        name, section = key[1], [*above, line]
    yield name, section


def _adapters() -> Iterator[str]:
    from whatif.engine.params.models import ModelSettings

    union = typing.get_args(ModelSettings)[0]
    for settings in typing.get_args(union):
        names = typing.get_args(settings.model_fields["adapter"].annotation)
        yield f"### {', '.join(names)}"
        yield _sentence(inspect.getdoc(settings) or "")
        fields = [(key, field) for key, field in settings.model_fields.items() if key != "adapter"]
        rows = [(f"`{key}`", _type(field.annotation), _default(field)) for key, field in fields]
        yield _table(("field", "type", "default"), rows)


def _type(annotation: object) -> str:
    """An annotation in words of YAML: what is behind constraints, and `null` for None."""
    if typing.get_origin(annotation) is typing.Annotated:
        return _type(typing.get_args(annotation)[0])
    arguments, origin = typing.get_args(annotation), typing.get_origin(annotation)
    if origin is typing.Literal:
        return " or ".join(f"`{value}`" for value in arguments)
    if not arguments:
        name = getattr(annotation, "__name__", str(annotation))
        return _WORDS.get(name, name)
    if origin in (list, tuple, set, frozenset):
        return f"list of {_type(arguments[0])}"
    if origin is dict:
        return f"mapping to {_type(arguments[1])}"
    return " or ".join(dict.fromkeys(_type(one) for one in arguments))


def _default(field: typing.Any) -> str:
    if field.is_required():
        return "required"
    value = field.default
    if value is PydanticUndefined or not isinstance(value, str | int | float | bool | None):
        return "see [models](../models.md)" if value is PydanticUndefined or value else "none"
    return "null" if value is None else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def file_formats() -> str:
    """The tables of artifacts with their columns, as the schemas declare and explain them."""
    from whatif import benchmarks
    from whatif.engine.artifacts.schemas import TABLES

    benchmarks.installed()
    comments = _comments_of_columns()
    parts = [
        "# File formats",
        "Every artifact in `data/` is a Parquet file with one of these tables, sorted by its key. The footer records"
        " what it was made from ([freshness](../freshness.md#what-an-artifact-was-made-from)). A change of columns"
        " raises the version after the slash, and artifacts of other versions are refused."
        " `whatif.load(benchmark, name)` reads one.",
        "Files for exchange with other tools are described where they are used: labels in [labels](../labels.md),"
        " predictions in [models](../models.md), results in [Python](../python.md).",
    ]
    for label, table in sorted(TABLES.items()):
        rows = []
        for column in table.schema:
            explained = comments.get((table.name, column.name), "")
            rows.append((f"`{column.name}`", _arrow(str(column.type)), "yes" if column.nullable else "", explained))
        key = ", ".join(f"`{name}`" for name in table.key)
        parts += [f"## {label}", f"Key: {key}", _table(("column", "type", "may be null", "meaning"), rows)]
    return "\n\n".join(parts) + "\n"


def _arrow(name: str) -> str:
    """The name of an Arrow type; of a struct only that it is one."""
    short = re.sub(r"struct<.*>", "struct", name.replace("list<element: ", "list<").replace(" not null", ""))
    return f"`{short}`" if "struct" not in short or short == "struct" else "`list<struct>`"


def _comments_of_columns() -> dict[tuple[str, str], str]:
    """(table, column) -> the comment beside the column in the module that declares the table."""
    found: dict[tuple[str, str], str] = {}
    for path in sorted((ROOT / "src" / "whatif").rglob("*schemas.py")):
        table = column = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if name := re.match(r'    name="([^"]+)"', line):
                table = name[1]
            if declared := re.match(r' {8}\("(\w+)", .*?\),\s*(?:# (.*))?$', line):
                column = declared[1]
                found[table, column] = declared[2] or ""
            elif (more := re.match(r"\s+# (.*)", line)) and column:
                found[table, column] = f"{found[table, column]} {more[1]}".strip()
            else:
                column = ""
    return found


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    cells = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in cells)


def _sentence(text: str) -> str:
    return " ".join(text.split())
