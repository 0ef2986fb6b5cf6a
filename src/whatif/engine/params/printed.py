"""Settings as YAML with comments: those of the files of defaults, and the line of `params.yaml` that sets a value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

_WIDEST = 120

Place = tuple[str, ...]  # the keys of a value, from the outside


@dataclass(frozen=True)
class Source:
    """What a file says of its places: the comment above, the line, and whether the value is on lines of its own."""

    comments: Mapping[Place, Sequence[str]] = field(default_factory=dict)
    lines: Mapping[Place, int] = field(default_factory=dict)
    blocks: Collection[Place] = ()

    def __or__(self, other: Source) -> Source:
        """Both; what the other knows counts."""
        return Source({**self.comments, **other.comments}, {**self.lines, **other.lines}, {*self.blocks, *other.blocks})


def source_of(text: str, tree: yaml.Node | None, benchmark: str = "") -> Source:
    """The places of a file, given by its text and its YAML nodes; of the defaults of a benchmark, by stage."""
    rows = text.splitlines()
    comments: dict[Place, Sequence[str]] = {}
    lines: dict[Place, int] = {}
    blocks: set[Place] = set()
    for keys, key, value in _pairs(tree, ()):
        place = (keys[0], benchmark, *keys[1:]) if benchmark else keys
        row = key.start_mark.line
        lines[place] = row + 1
        if isinstance(value, yaml.MappingNode) and not value.flow_style:
            blocks.add(place)
        above = row
        while above and rows[above - 1].strip().startswith("#"):
            above -= 1
        begins_here = not rows[row][: key.start_mark.column].strip()
        if above < row and begins_here:
            comments[place] = [one.strip() for one in rows[above:row]]
    return Source(comments, lines, blocks)


def _pairs(node: yaml.Node | None, outer: Place) -> Iterator[tuple[Place, yaml.Node, yaml.Node]]:
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if key.tag == "tag:yaml.org,2002:merge":
            for merged in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                yield from _pairs(merged, outer)
        else:
            yield (*outer, str(key.value)), key, value
            yield from _pairs(value, (*outer, str(key.value)))


@dataclass(frozen=True)
class Printing:
    """What is printed of settings: all, or the values at some places and below; those that a file sets, or all.

    documented: the places of the files of defaults. given: those of the file named `name`.
    """

    documented: Source
    given: Source
    name: str
    only: Collection[Place] = ()
    changed: bool = False

    def text(self, values: Mapping[str, Any]) -> str:
        """The settings as YAML."""
        parts = ["\n".join(self._lines({key: value}, ())) for key, value in values.items()]
        return "".join(f"{part}\n\n" for part in parts if part).removesuffix("\n")

    def _lines(self, values: Mapping[str, Any], outer: Place) -> Iterator[str]:
        indent = "  " * len(outer)
        for key, value in values.items():
            place = (*outer, str(key))
            if not self._is_shown(place):
                continue
            if self._is_asked(place):
                comment = self.documented.comments.get(place, self.given.comments.get(place, ()))
                yield from (f"{indent}{line}" for line in comment)
            line = f"{indent}{_flow(key)}: {_flow(value)}"
            if isinstance(value, dict) and value and (self._is_block(place) or len(line) > _WIDEST):
                inner = list(self._lines(value, place))
                if inner or self._is_asked(place):
                    yield f"{indent}{_flow(key)}:" if inner else f"{indent}{_flow(key)}: {{}}{self._mark(place)}"
                yield from inner
            else:
                yield line + self._mark(place)

    def _is_asked(self, place: Place) -> bool:
        return not self.only or any(place[: len(one)] == one for one in self.only)

    def _is_shown(self, place: Place) -> bool:
        around = any(one[: len(place)] == place for one in self.only)
        return (self._is_asked(place) or around) and not (self.changed and place not in self.given.lines)

    def _is_block(self, place: Place) -> bool:
        commented = (*self.documented.comments, *self.given.comments, *self.only)
        inside = any(len(one) > len(place) and one[: len(place)] == place for one in commented)
        return inside or place in self.documented.blocks or place in self.given.blocks

    def _mark(self, place: Place) -> str:
        line = self.given.lines.get(place)
        return f"  # {self.name}:{line}" if line else ""


class _Dumper(yaml.SafeDumper):
    """Values on one line, without anchors."""

    def represent_scalar(self, tag: str, value: Any, style: str | None = None) -> yaml.ScalarNode:
        """A text with line breaks is quoted, and has escapes in their place."""
        return super().represent_scalar(tag, value, '"' if "\n" in str(value) else style)

    def ignore_aliases(self, data: Any) -> bool:
        """Each value is written out."""
        return True


def _flow(value: Any) -> str:
    dumped: str = yaml.dump(
        value, Dumper=_Dumper, default_flow_style=True, width=1e9, allow_unicode=True, sort_keys=False
    )
    return dumped.removesuffix("...\n").rstrip("\n")
