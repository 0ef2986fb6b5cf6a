"""Packages beside whatif and a benchmark's own: further ones of the project, which count whole, and installed ones."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from whatif.graph.source_lines import without_comments

PACKAGE = "whatif"
WHOLE = "*"  # instead of a name: all of a further package of the project
LIBRARY = "-"  # instead of a name: an installed package

Definition = tuple[str, str]  # (module, name); the name "" means the whole module


def kind_of(module: str) -> Definition | None:
    """A package that is not followed: whether it belongs to the project or is installed; None for Python's own."""
    package = module.partition(".")[0]
    if package in sys.stdlib_module_names:
        return None
    return (package, LIBRARY if _is_installed(package) else WHOLE)


@cache
def _is_installed(package: str) -> bool:
    """Whether a package lies where installers put packages, and not in a project or a checkout."""
    return all(
        {"site-packages", "dist-packages"} & set(place.parts) or any(place.parent.glob("*.dist-info"))
        for place in folders(package)
    )


@cache
def folders(package: str) -> tuple[Path, ...]:
    """The folders of a package, or the file of a module; none if it is not there."""
    try:
        found = importlib.util.find_spec(package)
    except (ImportError, ValueError):  # a module without a specification, such as `__main__`
        return ()
    if found is None:
        return ()
    inside = found.submodule_search_locations
    return tuple(map(Path, inside or ([found.origin] if found.has_location and found.origin else [])))


def _files(package: str) -> Iterator[tuple[str, Path]]:
    """The Python files of a package, by their names in it, sorted."""
    for place in folders(package):
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            yield path.relative_to(place.parent).as_posix(), path


def _read(path: Path) -> tuple[str, ast.Module]:
    """The source of a module; a file that is no Python, such as a template or a compiled module, is its hash."""
    try:
        with tokenize.open(path) as file:
            source = file.read()
        return source, ast.parse(source)
    except (SyntaxError, ValueError):
        source = repr(hashlib.sha256(path.read_bytes()).hexdigest())
        return source, ast.parse(source)


@cache
def met_in(package: str) -> tuple[Definition, ...]:
    """The packages that any module of a package imports and that are not followed, sorted."""
    found: set[Definition] = set()
    for _, path in _files(package):
        for node in ast.walk(_read(path)[1]):
            if isinstance(node, ast.ImportFrom) and not node.level:
                found.add(kind_of(node.module or "") or (package, WHOLE))
            elif isinstance(node, ast.Import):
                found |= {kind_of(alias.name) or (package, WHOLE) for alias in node.names}
    return tuple(sorted(one for one in found if one[0] not in (package, PACKAGE)))


def digest_of(package: str) -> str:
    """The hash of all code of a package, without comments."""
    lines: list[str] = []
    for name, path in _files(package):
        lines += [name, *filter(None, without_comments(*_read(path)))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
