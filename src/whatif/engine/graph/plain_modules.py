"""Which modules of a benchmark's own package only define, so that the version of the code can follow single names.

Code can also come in without its name: from a registry, by a module's made-up name, through a class's subclasses. To
name every such means has no end, so this module says the opposite, what is plain: imports, functions, classes, and
values that are made without calling the package's own code. A plain module uses only modules of Python, libraries and
built-in names that look no code up. If a module that a job may import is not plain, its package counts whole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

from whatif.engine.graph.further_packages import LIBRARY, PACKAGE, WHOLE, kind_of
from whatif.engine.graph.module_source import absolute, is_module, module_source, module_tree, walked


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Modules of Python, and libraries, that find no code by its name. What is missing here is not plain.
_PYTHON = _words(
    "__future__ abc array base64 binascii bisect calendar cmath collections colorsys contextlib copy csv dataclasses "
    "datetime decimal difflib enum fractions functools gzip hashlib heapq html io itertools json logging math numbers "
    "operator pathlib random re statistics string struct tempfile textwrap time types typing "
    "unicodedata urllib uuid warnings xml zipfile zlib"
)
_LIBRARIES = _words("PIL matplotlib numpy pandas pyarrow pydantic scipy sklearn typing_extensions")
_REFLECTION = _words(
    "__import__ compile delattr eval exec globals locals setattr singledispatch singledispatchmethod vars"
)
_SPECIAL = _words("__all__ __class__ __doc__ __file__ __init__ __main__ __name__ __post_init__ __version__")
_HOOKS = _words("__getattr__ __init_subclass__ __set_name__ __prepare__ __mro_entries__")
_MAKERS = _words("__call__ __init__ __new__ __post_init__ __set__ __get__")
# What may be called while a module is imported; `map` and `partial`, for example, call something else.
_CALLED = _words(
    "abs bool bytes classmethod dict enumerate float frozenset int len list max min property range reversed round set "
    "slice sorted staticmethod str sum super tuple zip"
)
_CALLS_ANOTHER = _words("partial partialmethod reduce accumulate starmap methodcaller")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class _Names:
    """The names of a package's modules: what they import, what they define, and what of it may be called at import."""

    imported: dict[str, dict[str, set[tuple[str, str]]]] = field(default_factory=dict)  # module -> name -> origins
    defined: set[str] = field(default_factory=set)
    callable: set[str] = field(default_factory=set)


@cache
def not_plain(module: str) -> str:
    """The first place, `module:line`, that is not plain in a module or in one that it may import from its package.

    Empty if all of them are plain. Raises KeyError when there is no such module.
    """
    trees = _trees(module)
    names = _names(trees)
    for name, tree in trees.items():
        try:
            module_source(name)
        except ValueError as error:
            return str(error)
        if line := min(_faults(tree, name, names), default=0):
            return f"{name}:{line}"
    return ""


def _trees(module: str) -> dict[str, ast.Module]:
    """A module and all that it may import from its own package, with the packages around each."""
    trees: dict[str, ast.Module] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in trees or not is_module(name):
            continue
        trees[name] = module_tree(name)
        found = [name.rpartition(".")[0]]
        for node in ast.walk(trees[name]):
            if isinstance(node, ast.ImportFrom):
                source = absolute(node, name)
                found += [source, *(f"{source}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                found += [alias.name for alias in node.names]
        waiting += [one for one in found if one.partition(".")[0] == module.partition(".")[0]]
    return trees


def _names(trees: dict[str, ast.Module]) -> _Names:
    found = _Names({module: _imported(tree, module) for module, tree in trees.items()})
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    functions = {node.name for node in nodes if isinstance(node, _FUNCTIONS)}
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    found.defined = functions | stored | {node.name for node in classes}
    for node in classes:
        own = {inner.name for inner in node.body if isinstance(inner, _FUNCTIONS)}
        inherited = {_base(base) for base in node.bases} & found.defined
        (functions if own & _MAKERS or inherited else found.callable).add(node.name)
    for module, tree in trees.items():
        found.callable.update(_made_by_whatif(tree, found.imported[module]))
    found.callable -= functions
    return found


def _imported(tree: ast.Module, module: str) -> dict[str, set[tuple[str, str]]]:
    """The origins of each name that a module imports: (package, name there, or "" for a module)."""
    bound: dict[str, set[tuple[str, str]]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            package = absolute(node, module).partition(".")[0]
            for alias in node.names:
                bound.setdefault(alias.asname or alias.name, set()).add((package, alias.name))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package = alias.name.partition(".")[0]
                bound.setdefault(alias.asname or package, set()).add((package, ""))
    return bound


def _made_by_whatif(tree: ast.Module, imported: dict[str, set[tuple[str, str]]]) -> Iterator[str]:
    """The names for what whatif makes, as in `step = StepsOf(...)`, which may be called."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            origins = imported.get(_base(node.value.func), ())
            if origins and all(package == PACKAGE for package, _ in origins):
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _base(node: ast.expr) -> str:
    """The name in front of attributes; empty if there is none."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _faults(tree: ast.Module, module: str, names: _Names) -> Iterator[int]:
    """The lines that are not plain."""
    imported = names.imported[module]
    own = module.partition(".")[0]
    for node in walked(tree):
        match node:
            case ast.Name():
                origins = imported.get(node.id, ())
                is_plain = all(_is_plain(package, own, (WHOLE,)) for package, _ in origins)
                if not is_plain or _is_reflection(node.id):
                    yield node.lineno
            case ast.Attribute() if _is_reflection(node.attr) and node.attr != "compile":  # of a pattern
                yield node.lineno
            case ast.Constant(value=str(text)) if _is_special(text):
                yield node.lineno
            case ast.ImportFrom() if any(_is_reflection(alias.name) for alias in node.names):
                yield node.lineno
            case ast.FunctionDef() if node.name in _HOOKS:
                yield node.lineno
            case ast.ClassDef() if any(given.arg in (None, "metaclass") for given in node.keywords):
                yield node.lineno
    for node in _at_import(tree.body):
        decorators = [one for one in getattr(node, "decorator_list", ()) if not isinstance(one, ast.Call)]
        called = [*decorators, *([node.func] if isinstance(node, ast.Call) else [])]
        yield from (one.lineno for one in called if not _may_be_called(one, imported, own, names))
        is_set = isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.stmt | ast.expr) and (is_set or isinstance(node, ast.AugAssign)):
            yield node.lineno


@cache
def _is_plain(package: str, own: str, kinds: tuple[str, ...] = ()) -> bool:
    """Whether a package looks up no code by name; further packages of the project (`kinds`) are covered anyway."""
    kind = None if package in (PACKAGE, own) else kind_of(package)
    if kind is None:
        return package in (PACKAGE, own) or package in _PYTHON
    return kind[1] in kinds or (kind[1] == LIBRARY and package in _LIBRARIES)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and len(name) > 4 and name not in _SPECIAL


def _is_reflection(name: str) -> bool:
    return name in _REFLECTION or _is_special(name)


def _at_import(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """What is executed while a module is imported: all but the bodies of functions, and no annotations of theirs."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _FUNCTIONS):
            waiting += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        elif not isinstance(node, ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _may_be_called(function: ast.expr, imported: dict[str, set[tuple[str, str]]], own: str, names: _Names) -> bool:
    """Whether a function, called while a module is imported, leaves everything else as it is."""
    attribute = function.attr if isinstance(function, ast.Attribute) else ""
    if isinstance(function, ast.Attribute):
        of_output = isinstance(function.value, ast.Subscript) and attribute == "of"  # an output of another benchmark
        if isinstance(function.value, ast.Constant) or of_output or attribute in ("setter", "deleter"):
            return True
    base = _base(function)
    if origins := imported.get(base):
        return all(
            (attribute or name) in names.callable
            if package == own
            else _is_plain(package, own) and (attribute or name) not in _CALLS_ANOTHER
            for package, name in origins
        )
    name = attribute or base
    return name in names.callable or (not attribute and base in _CALLED and base not in names.defined)
