"""The version of the code behind a job: a hash of exactly those definitions that the job can reach.

Starting from a function, every name that it uses is followed through the modules of this package (and of the package
that contains the function), without importing them. Comments, docstrings and blank lines are not hashed, and names in
the annotations of functions are not followed. So editing a comment, or a type used only in annotations, causes no
recomputation. Code that is looked up by name at run time is given as an additional root (`whatif.looked_up`). The
registries used for that lookup do not count; otherwise a new entry would make everything stale. Code that cannot be
followed (a star import, or a top-level statement that is neither an import nor a definition) raises an error and is
never ignored. A further package of the project, which the package of a function imports, counts whole, because it may
be written in any manner. Installed packages are not followed: those that are met are the libraries of the code.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from whatif.graph.further_packages import LIBRARY, PACKAGE, WHOLE, Definition, digest_of, kind_of, met_in
from whatif.graph.source_lines import without_comments

REGISTRIES = frozenset({("whatif.models", "ADAPTERS"), ("whatif.benchmarks.discovery", "modules")})

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


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
    waiting: list[Definition] = [(root.partition(":")[0], "") for root in roots]
    while waiting:
        module, kind = waiting.pop()
        if (module, kind) not in found and module.partition(".")[0] != PACKAGE and kind != LIBRARY:
            found.add((module, kind))
            waiting += met_in(module) if kind == WHOLE else _imported_by(module)
    return sorted({PACKAGE, *(module.partition(".")[0] for module, _ in found)})


def _imported_by(module: str) -> Iterator[Definition]:
    """The modules that a module imports, and the packages that are not followed."""
    read = _module(module)
    for imports in (read.imports, *(definition.imports for definition in read.definitions.values())):
        for source, name in imports.values():
            if name in (WHOLE, LIBRARY):
                yield (source, name)
            else:
                inner = f"{source}.{name}"
                yield from ((one, "") for one in (source, inner) if _is_module(one))


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


def _begun(roots: Iterable[str]) -> set[Definition]:
    begun: set[Definition] = set()
    for root in roots:
        module, _, name = root.partition(":")
        if name not in _module(module).definitions:
            raise KeyError(root)
        begun.add((module, name))
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
        elif name:
            digest = _found(module, name, undecorated=(module, name) in begun).digest
            by_module.setdefault(module, []).append(f"{name} {digest}")
    code = {module: _sha256("\n".join(lines))[:16] for module, lines in by_module.items()}
    return Followed(code, tuple(libraries))


@dataclass(frozen=True)
class _Definition:
    """A top-level function, class or assignment: its hash and the names that it uses."""

    digest: str
    names: frozenset[str]
    attributes: frozenset[tuple[str, str]]  # (name, attribute) for every `name.attribute`
    bare: frozenset[str]  # names used on their own, not as the base of an attribute
    imports: dict[str, Definition]  # imports inside the definition


@dataclass(frozen=True)
class _Module:
    definitions: dict[str, _Definition]
    undecorated: dict[str, _Definition]  # functions that have decorators, without them
    imports: dict[str, Definition]


def _found(module: str, name: str, *, undecorated: bool) -> _Definition:
    """A definition; a function that is a root comes without its decorators, because they declare its step.

    The provenance of the outputs already contains the values that a step declares (inputs, settings, tables). The
    decorators name earlier steps, so following them would reach all of the code of those steps.
    """
    found = _module(module)
    return found.undecorated.get(name, found.definitions[name]) if undecorated else found.definitions[name]


def _uses(definition: Definition, *, undecorated: bool) -> Iterator[Definition]:
    module_name, name = definition
    if name in (WHOLE, LIBRARY):
        yield from met_in(module_name) if name == WHOLE else ()
        return
    module = _module(module_name)
    if not name:
        yield from ((module_name, inner) for inner in module.definitions)
        return
    found = _found(module_name, name, undecorated=undecorated)
    imports = module.imports | found.imports
    for used in found.names:
        if used in imports:
            yield from _imported(imports[used], used, found)
        elif used in module.definitions and used != name:
            yield (module_name, used)


def _imported(target: Definition, used: str, found: _Definition) -> Iterator[Definition]:
    module, name = target
    if name in (WHOLE, LIBRARY):
        yield target
        return
    if name and _is_module(f"{module}.{name}"):
        module, name = f"{module}.{name}", ""
    if name:
        yield from _resolve(module, name)
    elif used in found.bare:
        yield (module, "")
    else:
        for attribute in sorted(a for base, a in found.attributes if base == used):
            if _is_module(f"{module}.{attribute}"):
                yield (f"{module}.{attribute}", "")
            else:
                yield from _resolve(module, attribute)


def _resolve(module: str, name: str) -> Iterator[Definition]:
    """Where a name of a module is defined, following re-exports such as those in a package's `__init__.py`."""
    if name in _module(module).definitions:
        yield (module, name)
    elif name in _module(module).imports:
        inner_module, inner_name = _module(module).imports[name]
        if inner_name in (WHOLE, LIBRARY):
            yield (inner_module, inner_name)
        elif inner_name and not _is_module(f"{inner_module}.{inner_name}"):
            yield from _resolve(inner_module, inner_name)
        else:
            yield (f"{inner_module}.{inner_name}" if inner_name else inner_module, "")


@cache
def _module(name: str) -> _Module:
    path = _path(name)
    if path is None:
        raise KeyError(name)
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    lines = without_comments(source, tree)
    definitions: dict[str, _Definition] = {}
    undecorated: dict[str, _Definition] = {}
    for node in tree.body:
        if not (_names_defined(node) or _is_harmless(node)):
            raise ValueError(f"{path}:{node.lineno}: a statement whose effect the code version cannot follow")
        for defined in _names_defined(node):
            made = _definition(node, lines, name)
            before = definitions.get(defined)
            definitions[defined] = _merge(before, made) if before else made
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            node.decorator_list = []
            undecorated[node.name] = _definition(node, lines, name)
    return _Module(definitions, undecorated, _imports(_statements(tree.body), name))


def _is_harmless(node: ast.stmt) -> bool:
    """Whether a statement is an import or a docstring, or an `if` or `try` that contains nothing else."""
    if isinstance(node, ast.If | ast.Try):
        return all(_is_harmless(inner) for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.stmt))
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Import | ast.ImportFrom | ast.Pass)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, including those inside `if`, `try` and `with`, but not those inside functions."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = [*ast.iter_child_nodes(node)]
            handlers = [child for part in inner if isinstance(part, ast.ExceptHandler) for child in part.body]
            yield from _statements([*(child for child in inner if isinstance(child, ast.stmt)), *handlers])


def _definition(node: ast.stmt, lines: list[str | None], module: str) -> _Definition:
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    text = "\n".join(line for line in lines[first - 1 : node.end_lineno] if line is not None)
    nodes = list(_walk(node))
    dotted = [inner for inner in nodes if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name)]
    bases = {id(inner.value) for inner in dotted}
    names = [inner for inner in nodes if isinstance(inner, ast.Name)]
    return _Definition(
        digest=_sha256(text),
        names=frozenset(name.id for name in names),
        attributes=frozenset((inner.value.id, inner.attr) for inner in dotted if isinstance(inner.value, ast.Name)),
        bare=frozenset(name.id for name in names if id(name) not in bases),
        imports=_imports((inner for inner in nodes if isinstance(inner, ast.Import | ast.ImportFrom)), module),
    )


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and every node below it, except the annotations of functions and of variables inside functions."""
    waiting: list[ast.AST] = [node]  # a stack, because nested generators take a second longer for the whole package
    while waiting:
        found = waiting.pop()
        yield found
        inner: list[ast.AST] = []
        in_function = isinstance(found, _FUNCTIONS)
        is_argument = isinstance(found, ast.arg)
        for field in found._fields:
            if field == "returns" or (is_argument and field == "annotation"):
                continue
            value = getattr(found, field, None)
            for child in value if isinstance(value, list) else (value,):
                if in_function and isinstance(child, ast.AnnAssign):
                    inner += [part for part in (child.target, child.value) if part]
                elif isinstance(child, ast.AST):
                    inner.append(child)
        waiting += reversed(inner)


def _merge(first: _Definition, second: _Definition) -> _Definition:
    """Combines the definitions of a name that several statements define (`try`/`except`, overloads)."""
    return _Definition(
        _sha256(first.digest + second.digest),
        first.names | second.names,
        first.attributes | second.attributes,
        first.bare | second.bare,
        first.imports | second.imports,
    )


def _names_defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)]
    inner_statements = [inner for inner in _statements([node]) if inner is not node]
    stored = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)}
    return sorted(stored | {name for inner in inner_statements for name in _names_defined(inner)})


def _imports(statements: Iterable[ast.AST], module: str) -> dict[str, Definition]:
    """The names that import statements bind: local name -> (module, name, or "" for the module itself).

    The names of packages that are not followed are bound to (package, `WHOLE` or `LIBRARY`).
    """
    followed = {PACKAGE, module.split(".", maxsplit=1)[0]}
    bound: dict[str, Definition] = {}
    for node in statements:
        if isinstance(node, ast.ImportFrom):
            source = _absolute(node, module)
            if source.split(".", maxsplit=1)[0] in followed:
                for alias in node.names:
                    if alias.name == "*":
                        raise ValueError(f"{module}:{node.lineno}: import names one by one, a star cannot be followed")
                    bound[alias.asname or alias.name] = (source, alias.name)
            elif kind := kind_of(source):
                bound |= {alias.asname or alias.name: kind for alias in node.names}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package = alias.name.split(".")[0]
                if package in followed and not alias.asname and "." in alias.name:
                    raise ValueError(f"{module}:{node.lineno}: write `from {package} import ...` so it can be followed")
                if package in followed:
                    bound[alias.asname or package] = (alias.name, "")
                elif kind := kind_of(package):
                    bound[alias.asname or package] = kind
    return bound


def _absolute(node: ast.ImportFrom, module: str) -> str:
    """The module that names are imported from, with relative imports resolved."""
    if not node.level:
        return node.module or ""
    path = _path(module)
    parts = module.split(".")
    depth = len(parts) - node.level + (1 if path is not None and path.name == "__init__.py" else 0)
    return ".".join([*parts[:depth], *([node.module] if node.module else [])])


def _is_module(name: str) -> bool:
    return _path(name) is not None


@cache
def _path(name: str) -> Path | None:
    package, *inner = name.split(".")
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    base = Path(found.submodule_search_locations[0]).joinpath(*inner)
    candidates = (base.with_suffix(".py"), base / "__init__.py") if inner else (base / "__init__.py",)
    return next((path for path in candidates if path.is_file()), None)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
