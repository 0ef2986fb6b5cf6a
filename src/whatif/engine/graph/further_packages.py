"""Packages that are not followed by name: those of the project that count whole, and installed ones."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
import sysconfig
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from whatif.engine.files.stamps import package_files
from whatif.engine.graph.source_lines import without_comments

PACKAGE = "whatif"
WHOLE = "*"  # instead of a name: all of a package of the project
DATA = "+"  # instead of a name: the files of a package that are no Python
LIBRARY = "-"  # instead of a name: an installed package

Definition = tuple[str, str]  # (module, name); the name "" means the whole module
_NONE = ("", "")


def kind_of(module: str) -> Definition | None:
    """A package that is not followed: whether it belongs to the project or is installed; None for Python's own."""
    package = module.partition(".")[0]
    if package in sys.stdlib_module_names and _is_pythons(package):
        return None
    return (package, LIBRARY if _is_installed(package) else WHOLE)


@cache
def _is_pythons(package: str) -> bool:
    """Whether a package of Python's own name is Python's own; a project may have a module of the same name."""
    own = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}
    return all(not own.isdisjoint(place.resolve().parents) for place in folders(package) if place.exists())


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
    """The files of a package, by their names in it, sorted."""
    for place in folders(package):
        for path in package_files(place):
            yield path.relative_to(place.parent).as_posix(), path


def _parsed(path: Path) -> tuple[str, ast.Module]:
    """The source of a module; a file that is no Python, such as a template or a compiled module, is its hash."""
    try:
        with tokenize.open(path) as file:
            source = file.read()
        return source, ast.parse(source)
    except (SyntaxError, ValueError):
        source = repr(_hash(path))
        return source, ast.parse(source)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def met_in(package: str) -> tuple[Definition, ...]:
    """What any module of a package imports from elsewhere, sorted: packages that are not followed, and whatif's code.

    Of whatif, it is (module, name), or (module, "") for a module of which anything may be used.
    """
    found: set[Definition] = set()
    for _, path in _files(package):
        for node in ast.walk(_parsed(path)[1]) if path.suffix == ".py" else ():
            if isinstance(node, ast.ImportFrom) and not node.level:
                source = node.module or ""
                names = {"" if alias.name == "*" else alias.name for alias in node.names}
                found |= {(source, name) for name in names} if _is_whatif(source) else {kind_of(source) or _NONE}
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    found.add((alias.name, "") if _is_whatif(alias.name) else kind_of(alias.name) or _NONE)
    return tuple(sorted(one for one in found if one != _NONE and one[0] != package))


def _is_whatif(module: str) -> bool:
    return module.partition(".")[0] == PACKAGE


@cache
def digest_of(package: str) -> str:
    """The hash of everything in a package: its code without comments, and its other files."""
    lines: list[str] = []
    for name, path in _files(package):
        if path.suffix == ".py":
            lines += [name, *filter(None, without_comments(*_parsed(path)))]
    return hashlib.sha256("\n".join([*lines, data_digest(package)]).encode()).hexdigest()


@cache
def data_digest(package: str) -> str:
    """The hash of the files of a package that are no Python; empty if it has none."""
    lines = [f"{name} {_hash(path)}" for name, path in _files(package) if path.suffix != ".py"]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest() if lines else ""
