"""The version of the code behind a job: a hash of exactly those definitions that the job can reach.

Starting from a function, every name that it uses is followed through the modules of this package (and of the package
that contains the function), without importing them. Comments, docstrings and blank lines are not hashed, and names in
the annotations of functions are not followed. So editing a comment, or a type used only in annotations, causes no
recomputation. Code that is looked up by name at run time is given as an additional root (`whatif.engine.looked_up`).
The registries used for that lookup do not count; otherwise a new entry would make everything stale. In whatif itself,
code that cannot be followed (a star import, or a top-level statement that is neither an import nor a definition) raises
an error and is never ignored. The package of a benchmark counts whole where a module is not plain
(`whatif.engine.graph.plain_modules`), and its files that are no Python always count. So does a further package of the
project that it imports, because it may be written in any manner. Installed packages are not followed: those that are
met are the libraries of the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from whatif.engine.graph.further_packages import (
    DATA,
    LIBRARY,
    PACKAGE,
    WHOLE,
    Definition,
    data_digest,
    digest_of,
    met_in,
)
from whatif.engine.graph.module_source import Defined, is_module, joined, module_source, sha256
from whatif.engine.graph.plain_modules import not_plain

REGISTRIES = frozenset({("whatif.models", "ADAPTERS"), ("whatif.benchmarks.discovery", "modules")})


@dataclass(frozen=True)
class Followed:
    """What is reached from some roots: a hash for each module of code, and the names of the installed packages."""

    code: dict[str, str]
    libraries: tuple[str, ...]


def code_version(roots: Iterable[str]) -> dict[str, str]:
    """Hashes of the code reached from roots given as `module:name`, one hash per module.

    Raises KeyError when a root does not exist.
    """
    return dict(followed(tuple(roots)).code)


def packages(roots: Iterable[str]) -> list[str]:
    """The packages whose code is followed from some roots, with the further packages of the project, sorted."""
    found: set[Definition] = set()
    waiting = [(module, name if name == WHOLE else "") for module, name in _begun(roots)]
    while waiting:
        module, kind = waiting.pop()
        if (module, kind) not in found and module.partition(".")[0] != PACKAGE and kind != LIBRARY:
            found.add((module, kind))
            waiting += met_in(module) if kind == WHOLE else _imported_by(module)
    return sorted({PACKAGE, *(module.partition(".")[0] for module, _ in found)})


def _imported_by(module: str) -> Iterator[Definition]:
    """The modules that a module imports, and the packages that are not followed."""
    read = module_source(module)
    for imports in (read.imports, *(definition.imports for definition in read.definitions.values())):
        for source, name in sorted(set().union(*imports.values())):
            if name in (WHOLE, LIBRARY):
                yield (source, name)
            else:
                inner = f"{source}.{name}"
                yield from ((one, "") for one in (source, inner) if is_module(one))


def reached(roots: Iterable[str]) -> set[Definition]:
    """The definitions that are reached from roots. Raises KeyError when a root does not exist."""
    found: set[Definition] = set()
    begun = _begun(roots)
    waiting = list(begun)
    while waiting:
        definition = waiting.pop()
        if definition not in found and definition not in REGISTRIES:
            found.add(definition)
            waiting.extend(_uses(definition, undecorated=definition in begun))
    return found


def covers(roots: Iterable[str], place: str) -> bool:
    """Whether the version of the code from some roots covers a definition `module:name`."""
    module, _, name = place.partition(":")
    found = reached(roots)
    return (module, name) in found or (module.partition(".")[0], WHOLE) in found


def _begun(roots: Iterable[str]) -> set[Definition]:
    begun: set[Definition] = set()
    for root in roots:
        module, _, name = root.partition(":")
        package = module.partition(".")[0]
        if package != PACKAGE and not_plain(module):
            begun.add((package, WHOLE))
        elif name not in module_source(module).definitions:
            raise KeyError(root)
        else:
            begun.add((module, name))
            if package != PACKAGE and data_digest(package):
                begun.add((package, DATA))
    return begun


@cache
def followed(roots: tuple[str, ...]) -> Followed:
    """What is reached from roots given as `module:name`. Raises KeyError when a root does not exist."""
    begun = _begun(roots)
    by_module: dict[str, list[str]] = {}
    libraries: list[str] = []
    for module, name in sorted(reached(roots)):
        if name == LIBRARY:
            libraries.append(module)
        elif name == WHOLE:
            by_module[module] = [digest_of(module)]
        elif name == DATA:
            by_module[module] = [data_digest(module)]
        elif name:
            digest = _found(module, name, undecorated=(module, name) in begun).digest
            by_module.setdefault(module, []).append(f"{name} {digest}")
    code = {module: sha256("\n".join(lines))[:16] for module, lines in by_module.items()}
    return Followed(code, tuple(libraries))


def _found(module: str, name: str, *, undecorated: bool) -> Defined:
    """A definition; a function that is a root comes without its decorators, because they declare its step.

    The provenance of the outputs already contains the values that a step declares (inputs, settings, tables). The
    decorators name earlier steps, so following them would reach all of the code of those steps.
    """
    found = module_source(module)
    return found.undecorated.get(name, found.definitions[name]) if undecorated else found.definitions[name]


def _uses(definition: Definition, *, undecorated: bool) -> Iterator[Definition]:
    module_name, name = definition
    if name in (WHOLE, DATA, LIBRARY):
        for source, inner in met_in(module_name) if name == WHOLE else ():
            yield from _met(source, inner)
        return
    module = module_source(module_name)
    if not name:
        yield from ((module_name, inner) for inner in module.definitions)
        return
    found = _found(module_name, name, undecorated=undecorated)
    imports = joined(module.imports, found.imports)
    for used in found.names:
        for target in imports.get(used, ()):
            yield from _imported(target, used, found)
        if used in module.definitions and used != name:
            yield (module_name, used)


def _met(module: str, name: str) -> Iterator[Definition]:
    """What a package that counts whole uses by an import; of a module of whatif, that is all it has."""
    if name in (WHOLE, LIBRARY):
        yield (module, name)
    elif name and not is_module(f"{module}.{name}"):
        yield from _resolve(module, name)
    else:
        whole = f"{module}.{name}" if name else module
        yield (whole, "")
        for inner in module_source(whole).imports:
            yield from _resolve(whole, inner)


def _imported(target: Definition, used: str, found: Defined) -> Iterator[Definition]:
    module, name = target
    if name in (WHOLE, LIBRARY):
        yield target
        return
    if name and is_module(f"{module}.{name}"):
        module, name = f"{module}.{name}", ""
    if name:
        yield from _resolve(module, name)
    elif used in found.bare:
        yield (module, "")
    else:
        for attribute in sorted(a for base, a in found.attributes if base == used):
            if is_module(f"{module}.{attribute}"):
                yield (f"{module}.{attribute}", "")
            else:
                yield from _resolve(module, attribute)


def _resolve(module: str, name: str) -> Iterator[Definition]:
    """Where a name of a module is defined, following re-exports such as those in a package's `__init__.py`."""
    if name in module_source(module).definitions:
        yield (module, name)
    for inner_module, inner_name in module_source(module).imports.get(name, ()):
        if inner_name in (WHOLE, LIBRARY):
            yield (inner_module, inner_name)
        elif inner_name and not is_module(f"{inner_module}.{inner_name}"):
            yield from _resolve(inner_module, inner_name)
        else:
            yield (f"{inner_module}.{inner_name}" if inner_name else inner_module, "")
