"""What the source of a module defines: a hash of each top-level definition, and the names that it uses.

Nothing is imported or executed. `whatif.engine.graph.code_version` follows the names.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from whatif.engine.graph.further_packages import PACKAGE, WHOLE, Definition, kind_of
from whatif.engine.graph.source_lines import without_comments

# What a name may be, after each import that binds it.
Imports: TypeAlias = dict[str, frozenset[Definition]]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Defined:
    """A top-level function, class or assignment: its hash and the names that it uses."""

    digest: str
    names: frozenset[str]
    attributes: frozenset[tuple[str, str]]  # (name, attribute) for every `name.attribute`
    bare: frozenset[str]  # names used on their own, not as the base of an attribute
    imports: Imports  # imports inside the definition


@dataclass(frozen=True)
class Module:
    """What a module defines at its top level, by name, and what it imports there."""

    definitions: dict[str, Defined]
    undecorated: dict[str, Defined]  # functions that have decorators, without them
    imports: Imports


@cache
def module_source(name: str) -> Module:
    """The definitions and imports of a module, from its file.

    Raises KeyError when there is no such file, and ValueError with the line of a statement that cannot be followed.
    """
    path, source = _read(name)
    tree = ast.parse(source)
    lines = without_comments(source, tree)
    definitions: dict[str, Defined] = {}
    undecorated: dict[str, Defined] = {}
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
    return Module(definitions, undecorated, _imports(_statements(tree.body), name))


def module_tree(name: str) -> ast.Module:
    """The syntax of a module, from its file. Raises KeyError when there is no such file."""
    return ast.parse(_read(name)[1])


def _read(name: str) -> tuple[Path, str]:
    path = _path(name)
    if path is None:
        raise KeyError(name)
    return path, path.read_text(encoding="utf-8-sig")


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


def _definition(node: ast.stmt, lines: list[str | None], module: str) -> Defined:
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    text = "\n".join(line for line in lines[first - 1 : node.end_lineno] if line is not None)
    nodes = list(walked(node))
    dotted = [inner for inner in nodes if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name)]
    bases = {id(inner.value) for inner in dotted}
    names = [inner for inner in nodes if isinstance(inner, ast.Name)]
    return Defined(
        digest=sha256(text),
        names=frozenset(name.id for name in names),
        attributes=frozenset((inner.value.id, inner.attr) for inner in dotted if isinstance(inner.value, ast.Name)),
        bare=frozenset(name.id for name in names if id(name) not in bases),
        imports=_imports((inner for inner in nodes if isinstance(inner, ast.Import | ast.ImportFrom)), module),
    )


def walked(node: ast.AST) -> Iterator[ast.AST]:
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


def _merge(first: Defined, second: Defined) -> Defined:
    """Combines the definitions of a name that several statements define (`try`/`except`, overloads)."""
    return Defined(
        sha256(first.digest + second.digest),
        first.names | second.names,
        first.attributes | second.attributes,
        first.bare | second.bare,
        joined(first.imports, second.imports),
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


def joined(first: Imports, second: Imports) -> Imports:
    """What each name of either may be."""
    return {name: first.get(name, frozenset()) | second.get(name, frozenset()) for name in first | second}


def _imports(statements: Iterable[ast.AST], module: str) -> Imports:
    """The names that import statements bind: local name -> (module, name, or "" for the module itself).

    Of several imports of one name (`try` and `except`, two methods), each counts. The names of packages that are not
    followed are bound to (package, `WHOLE` or `LIBRARY`).
    """
    followed = {PACKAGE, module.split(".", maxsplit=1)[0]}
    bound: dict[str, set[Definition]] = {}

    def bind(name: str, target: Definition) -> None:
        bound.setdefault(name, set()).add(target)

    for node in statements:
        if isinstance(node, ast.ImportFrom):
            source = absolute(node, module)
            is_followed = source.split(".", maxsplit=1)[0] in followed
            kind = None if is_followed else kind_of(source)
            for alias in node.names:
                if alias.name == "*" and (is_followed or (kind and kind[1] == WHOLE)):
                    raise ValueError(f"{module}:{node.lineno}: import names one by one, a star cannot be followed")
                if is_followed or kind:
                    bind(alias.asname or alias.name, kind or (source, alias.name))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package = alias.name.split(".")[0]
                if package in followed and not alias.asname and "." in alias.name:
                    raise ValueError(f"{module}:{node.lineno}: write `from {package} import ...` so it can be followed")
                if package in followed:
                    bind(alias.asname or package, (alias.name, ""))
                elif kind := kind_of(package):
                    bind(alias.asname or package, kind)
    return {name: frozenset(targets) for name, targets in bound.items()}


def absolute(node: ast.ImportFrom, module: str) -> str:
    """The module that names are imported from, with relative imports resolved."""
    if not node.level:
        return node.module or ""
    path = _path(module)
    parts = module.split(".")
    depth = len(parts) - node.level + (1 if path is not None and path.name == "__init__.py" else 0)
    return ".".join([*parts[:depth], *([node.module] if node.module else [])])


def is_module(name: str) -> bool:
    """Whether a dotted name is that of a module or package with a file."""
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


def sha256(text: str) -> str:
    """The hash of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()
