"""Parses YAML files of users, with a limit on the expansion of aliases."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped

LARGEST = 1024**2  # bytes of a file; params.yaml has about ten thousand
MOST_VALUES = 100_000  # values of a file with aliases expanded; params.yaml has some hundreds
_DEEPEST = 100  # levels of nesting; params.yaml has eight
# Numbers of YAML 1.1 that look like others: `010` is 8, and `1:30` is 90.
_MISLEADING = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_TEXTS = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge", "tag:yaml.org,2002:value")
_ENTRY = re.compile(r"\s*(?:- )?([\w-]+):[ \t]+(.*)")
_BRACES_FIRST = re.compile(r"\{[^{}:]*\}\s*\S")  # `{colour} things`, which begins a mapping
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")  # neither a file name nor UTF-8 can contain them


def parse_yaml(text: str, path: Path) -> tuple[Any, yaml.Node | None]:
    """The values of a file, and its YAML nodes, which have line numbers.

    Raises WhatifError, naming the file and if possible the line, for invalid YAML, for aliases that expand to more than
    100,000 values or contain themselves, for duplicate keys, for text that no file can contain, and for numbers in
    base 8 or 60.
    """
    try:
        loader = _loader_for(text)
        tree = yaml.compose(text, Loader=loader)
        if tree is not None:
            _expanded(tree, path, {})
            _check_nodes(tree, path)
        return yaml.load(text, Loader=loader), tree
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise WhatifError(f"{path}:{line}: not valid YAML: {error.problem}{_remedy(text, line)}") from error
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        # A date such as 2001-99-99, or an escape beyond Unicode, raises an error of Python rather than of YAML.
        raise WhatifError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from error


def _remedy(text: str, number: int) -> str:
    """The line to write for the commonest mistakes: a tab, and a text that must be in quotes."""
    line = next(iter(text.split("\n")[number - 1 : number]), "").rstrip()
    entry = _ENTRY.fullmatch(line)
    key, value = entry.groups() if entry else ("", "")
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return f"; indent with spaces in place of tabs: `{line.expandtabs(2)}`"
    needs_quotes = _BRACES_FIRST.match(value) or (value[:1] not in ("{", "[", '"', "'") and ": " in value)
    if key and '"' not in value and (needs_quotes or value[:1] in ("@", "`", "%")):
        return f'; put the text in quotes: `{key}: "{value}"`'
    return ""


def _loader_for(text: str) -> type[yaml.SafeLoader]:
    """The parser in C for a valid and flat text; otherwise Python's, which names mistakes in better words.

    The parser in C needs a tenth of the time, which every job spends, but would overflow its stack in deep nesting. Not
    every build of PyYAML has it.
    """
    quick: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    try:
        for event in yaml.parse(text, Loader=quick):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                return yaml.SafeLoader
    except yaml.YAMLError:
        return yaml.SafeLoader
    return quick


def _expanded(node: yaml.Node, path: Path, known: dict[int, int | None]) -> int:
    """The number of values in a node with aliases expanded; `known` has the nodes that were already counted."""
    if id(node) in known:
        number = known[id(node)]
        if number is None:
            raise WhatifError(f"{path}:{_line(node)}: an alias contains itself; write out the values")
        return number
    known[id(node)] = None
    number = 1
    for child in _children(node):
        number += _expanded(child, path, known)
        if number > MOST_VALUES:
            raise WhatifError(
                f"{path}:{_line(node)}: with its aliases expanded, it has more than {MOST_VALUES:,} values; "
                "use fewer aliases"
            )
    known[id(node)] = number
    return number


def _check_nodes(node: yaml.Node, path: Path) -> None:
    """Raises WhatifError for what YAML readers accept, but hardly anybody means; see `parse_yaml`."""
    if isinstance(node, yaml.ScalarNode) and (found := _UNUSABLE.search(node.value)):
        raise WhatifError(
            f"{path}:{_line(node)}: {node.value!a:.60}: no file can contain the character {found.group()!a}; remove it"
        )
    if isinstance(node, yaml.ScalarNode) and node.tag in _NUMBERS and _MISLEADING.fullmatch(node.value):
        raise WhatifError(
            f"{path}:{_line(node)}: YAML reads {node.value} as {yaml.safe_load(node.value)}; "
            f'write it as a decimal number, or as a text: "{node.value}"'
        )
    if isinstance(node, yaml.MappingNode):
        seen: dict[Any, str] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise WhatifError(f"{path}:{_line(key)}: a key must be a word")
            for name in {key.value, _constructed(key)}:
                if name in seen:
                    same = f" (YAML reads {escaped(seen[name])} as the same)" if seen[name] != key.value else ""
                    raise WhatifError(f"{path}:{_line(key)}: {escaped(key.value)}: duplicate key{same}; keep one")
            seen |= dict.fromkeys((key.value, _constructed(key)), key.value)
    for child in _children(node):
        _check_nodes(child, path)


def _constructed(key: yaml.ScalarNode) -> Any:
    """The value of a key, by which Python tells keys apart: `yes` and `true` are one, and so are 1 and 1.0."""
    return key.value if key.tag in _TEXTS else yaml.SafeLoader("").construct_object(key)


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
