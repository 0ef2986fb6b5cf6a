"""Regular expressions that every supported Python reads alike."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import whatif

# Python 3.11.0 to 3.11.4 match such a group otherwise (CPython issue 106052), and Debian 12 has 3.11.2.
_POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+")


def test_no_pattern_repeats_a_group_possessively() -> None:
    sources = sorted(Path(whatif.__file__).parent.rglob("*.py"))
    assert len(sources) > 100
    found = [
        f"{source}:{node.lineno}: {node.value}"
        for source in sources
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _POSSESSIVE_GROUP.search(node.value)
    ]
    assert not found


def test_the_search_itself_finds_one() -> None:
    assert all(map(_POSSESSIVE_GROUP.search, (r"(?:[, ]\d{3})++(?!\d)", r"(a|b)*+", r"(?:x){1,3}+")))
    assert not any(map(_POSSESSIVE_GROUP.search, (r"\d++", r"\W*+(?:a)+", r"\)*+")))
