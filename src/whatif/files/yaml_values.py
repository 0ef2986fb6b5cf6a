"""YAML that a user writes, parsed with a bound on what its aliases expand to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from whatif.errors import WhatifError
from whatif.files.well_formed import escaped

LARGEST = 1024**2  # bytes of a file; params.yaml has some ten thousand
MOST_VALUES = 100_000  # values of a file with its aliases written out; params.yaml has some hundreds
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")  # in no file name and in no UTF-8


def parse_yaml(text: str, path: Path) -> tuple[Any, yaml.Node | None]:
    """The values of a file, and the file as nodes, which know their lines.

    Raises WhatifError naming the file and, where it is known, the line: for what is no YAML, aliases that expand to
    more than 100,000 values or to themselves, a key that stands twice, and text that no file can hold.
    """
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        if tree is not None:
            _expanded(tree, path, {})
            _check_nodes(tree, path)
        return yaml.safe_load(text), tree
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise WhatifError(f"{path}:{line}: not valid YAML: {error.problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        # A date such as 2001-99-99, or an escape beyond Unicode, is an error of Python's and not of YAML's.
        raise WhatifError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from error


def _expanded(node: yaml.Node, path: Path, known: dict[int, int | None]) -> int:
    """The number of values in a node with its aliases written out; `known` has the nodes that were counted."""
    if id(node) in known:
        number = known[id(node)]
        if number is None:
            raise WhatifError(f"{path}:{_line(node)}: an alias holds itself; write the values out")
        return number
    known[id(node)] = None
    number = 1
    for child in _children(node):
        number += _expanded(child, path, known)
        if number > MOST_VALUES:
            raise WhatifError(
                f"{path}:{_line(node)}: with its aliases written out it has more than {MOST_VALUES:,} values; "
                "use fewer aliases"
            )
    known[id(node)] = number
    return number


def _check_nodes(node: yaml.Node, path: Path) -> None:
    """Raises WhatifError for a key that stands twice, which YAML readers pass over, and for text no file can hold."""
    if isinstance(node, yaml.ScalarNode) and (found := _UNUSABLE.search(node.value)):
        raise WhatifError(
            f"{path}:{_line(node)}: {node.value!a:.60}: {found.group()!a} is no character that a file can hold"
        )
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise WhatifError(f"{path}:{_line(key)}: a key must be a word")
            if key.value in seen:
                raise WhatifError(f"{path}:{_line(key)}: {escaped(key.value)}: stands twice; keep one")
            seen.add(key.value)
    for child in _children(node):
        _check_nodes(child, path)


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
