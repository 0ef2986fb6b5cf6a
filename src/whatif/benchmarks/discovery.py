"""Finds benchmarks: the folders of this package, entry points of other packages, and YAML files of the project.

A folder `my_benchmark` defines the benchmark `my-benchmark`; its package contains a `Benchmark` named `BENCHMARK`.
Another package registers its own in the entry-point group `whatif.benchmarks`: `my-benchmark = "my_package"`.
A package may have a file `defaults.yaml`, over which the settings of `params.yaml` are laid (`engine.params.defaults`).
A file `benchmarks/my-benchmark.yaml` beside `params.yaml` declares `my-benchmark` (docs/yaml-benchmarks.md), and the
files of the folder `released` declare benchmarks over files that others have released (docs/named-benchmarks.md).
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
import tomllib
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from shlex import quote
from typing import Any

import click

from whatif.benchmarks.site import SITE, site_benchmark
from whatif.engine.artifacts.reader import first_line
from whatif.engine.errors import WhatifError
from whatif.engine.extras import how_to_install
from whatif.engine.files.project_folder import check_project, display_path
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.steps import Benchmark
from whatif.engine.params import whole
from whatif.engine.params.base import BenchmarkSettings
from whatif.engine.params.defaults import DEFAULTS_FILE, Defaults, over_defaults, read_defaults
from whatif.engine.params.files import read_yaml
from whatif.engine.params.whole import PARAMS_FILE, Params
from whatif.engine.processes.locks import is_planned

GROUP = "whatif.benchmarks"
_HERE = Path(__file__).parent
_NOT_ONE = frozenset({"shared", "from_yaml"})
FOLDER = "benchmarks"  # of YAML files, in the project
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@cache
def modules() -> dict[str, str]:
    """The module of each installed benchmark, by name; nothing is imported."""
    return dict(sorted(_registered()[0].items()))


@cache
def _registered() -> tuple[dict[str, str], dict[str, str]]:
    """Name -> module of each installed benchmark; and name -> what is wrong with an entry point."""
    found = {
        info.name.replace("_", "-"): f"{__package__}.{info.name}"
        for info in pkgutil.iter_modules([str(_HERE)])
        if info.ispkg and info.name not in _NOT_ONE
    }
    faults = {}
    for point in entry_points(group=GROUP):
        module = point.value.partition(":")[0].strip()
        if point.name in released():
            faults[point.name] = f"is in {module}, but whatif has a benchmark of this name; uninstall it"
        elif point.name in found:
            faults[point.name] = f"is in {found[point.name]} and in {module}; uninstall one of them"
        elif point.name == SITE:
            faults[SITE] = f"is in {module}; this is the name of the site of all, so give it another"
        else:
            found[point.name] = module
    return found, faults


def yaml_files(project: Path = Path()) -> dict[str, Path]:
    """The YAML files of a project that declare benchmarks, by the name of the benchmark; none is read.

    Raises WhatifError for the name of an installed benchmark, for a malformed name, and for one that ends in .yml.
    """
    found = {}
    if path := min((project / FOLDER).glob("*.yml"), default=None):
        raise WhatifError(f"{path}: the name of a benchmark's file ends in .yaml; rename it to {path.stem}.yaml")
    for path in sorted((project / FOLDER).glob("*.yaml")):
        if path.stem in released():
            raise WhatifError(f"{path}: whatif has a benchmark of this name; give the file another one")
        if not _SLUG.fullmatch(path.stem) or path.stem == SITE:
            raise WhatifError(f"{path}: must be named after its benchmark, in small letters, digits and single hyphens")
        if path.stem in modules():
            raise WhatifError(f"{path}: {modules()[path.stem]} is a benchmark of this name; give the file another one")
        found[path.stem] = path
    return found


@cache
def released() -> dict[str, Path]:
    """The YAML files of whatif that declare benchmarks over released files, by name; none is read."""
    return {path.stem: path for path in sorted((_HERE / "released").glob("*.yaml"))}


def installed(project: Path = Path()) -> list[str]:
    """The names of all benchmarks that `params.yaml` may select, sorted."""
    return sorted([*modules(), *released(), *yaml_files(project)])


def benchmark(name: str, project: Path = Path()) -> Benchmark:
    """The benchmark of this name.

    Raises WhatifError if its module cannot be imported or defines none, or if its YAML file has mistakes; KeyError if
    the name is unknown.
    """
    files = yaml_files(project) | released()
    if name in files and name not in _registered()[1]:
        from whatif.benchmarks.from_yaml.declaration import declared

        return declared(files[name], name, shipped=name in released())
    return _installed(name)


def _installed(name: str) -> Benchmark:
    if fault := _registered()[1].get(name):
        raise WhatifError(f"benchmark {name}: {fault}")
    module = modules()[name]
    try:
        found = getattr(importlib.import_module(module), "BENCHMARK", None)
    except ImportError as error:
        if missing := how_to_install(error.name or ""):
            raise WhatifError(f"benchmark {name}: {missing}") from error
        raise WhatifError(f"benchmark {name}: {module} cannot be imported ({first_line(error)})") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # `sys.exit`, what skips a module under pytest, a panic of an extension in Rust
        if module.startswith(f"{__package__}.") or isinstance(error, WhatifError):
            raise
        what = f"{type(error).__name__}: {first_line(error)}"
        raise WhatifError(f"benchmark {name}: {module} cannot be imported ({what})") from error
    if not isinstance(found, Benchmark) or found.name != name:
        raise WhatifError(f"benchmark {name}: {module} must define `BENCHMARK`, a whatif Benchmark named {name!r}")
    return found


def usable() -> dict[str, str]:
    """The module of each installed benchmark that can be used, by name. A line of warning names each other one."""
    return {name: module for name, module in modules().items() if not _fault(name)}


@cache
def _fault(name: str) -> str:
    """What is wrong with an installed benchmark; empty if nothing is. It is printed once, by a process that plans."""
    try:
        _installed(name)
    except WhatifError as error:
        if not is_planned():
            click.echo(f"warning: {error}; it is left out", err=True)
        return str(error)
    return ""


def load_params(path: Path = Path(PARAMS_FILE)) -> Params:
    """Reads and checks `params.yaml`. Raises WhatifError with one line per error."""
    if path == Path(PARAMS_FILE):
        check_project()
    values, tree = read_yaml(path)
    return _checked(values, path, tree)


def check_params(values: Any, path: Path = Path(PARAMS_FILE)) -> Params:
    """Checks values that were read from a file. Raises the same errors as `load_params`."""
    return _checked(values, path, None)


def graph(params: Params) -> Graph:
    """The graph of all benchmarks that the parameters select, and of their site."""
    selected = [benchmark(name, params.folder) for name in params.benchmarks]
    site = site_benchmark(selected)
    return Graph(params, [*selected, site] if site.steps else selected)


def published_by_others(graph: Graph) -> list[Path]:
    """The text files in this project of benchmarks that it does not select; without those that cannot be imported."""
    found = []
    for name in set(installed(graph.params.folder)) - set(graph.benchmarks):
        if any(Path("metrics").glob(f"{name}*")):
            with suppress(WhatifError):
                for step in benchmark(name, graph.params.folder).steps:
                    found += [*map(Path, step.text_files), *(Path(step.summary).glob("*.json") if step.summary else ())]
    return sorted(path for path in found if path.is_file())


def in_force(values: Any, path: Path = Path(PARAMS_FILE), further: Collection[str] = ()) -> Any:
    """Values that were read from a file over the defaults of the benchmarks that they mention, and of further ones."""
    kinds, _ = _kinds(values, path)
    kinds |= {name: benchmark(name, path.parent).settings for name in further}
    return over_defaults(values, kinds, _defaults(kinds))


def defaults_file(name: str) -> Path | None:
    """The file with the defaults of an installed benchmark that is a package and has one."""
    spec = importlib.util.find_spec(modules()[name]) if name in modules() else None
    folders = (spec.submodule_search_locations if spec else None) or ()
    return next((file for folder in folders if (file := Path(folder) / DEFAULTS_FILE).is_file()), None)


def _defaults(names: Iterable[str]) -> Defaults:
    return {name: read_defaults(file) for name in names if (file := defaults_file(name))}


def _kinds(values: Any, path: Path) -> tuple[dict[str, type[BenchmarkSettings]], list[str]]:
    """The settings class of each benchmark that values mention; and the mentioned ones that cannot be used."""
    names = installed(path.parent)
    check_installed(whole.mentioned(values), names, GROUP, path.parent)
    known = [name for name in whole.mentioned(values) if name in names]
    left_out = [name for name in known if name in modules() and name not in whole.selected(values) and _fault(name)]
    return {name: benchmark(name, path.parent).settings for name in known if name not in left_out}, left_out


def _checked(values: Any, path: Path, tree: Any) -> Params:
    kinds, left_out = _kinds(values, path)
    given = whole.without(values, left_out)
    return whole.check(given, kinds, installed(path.parent), path, tree, defaults=_defaults(kinds))


def check_installed(selected: Collection[str], installed: Collection[str], group: str, root: Path) -> None:
    """Raises WhatifError when a selected benchmark is declared by the project in `root`, but not installed.

    Without this, each of its settings would be reported as an unknown key. `group` is the group of entry points. A file
    that is missing or not TOML declares nothing.
    """
    if missing := [name for name in selected if name not in installed and name in _declared(root, group)]:
        command = f"pip install -e {quote(display_path(root))}"
        raise WhatifError(f"benchmark {missing[0]}: is in this project but not installed; run `{command}`")


def _declared(root: Path, group: str) -> Collection[str]:
    try:
        with (root / "pyproject.toml").open("rb") as file:
            found = tomllib.load(file).get("project", {}).get("entry-points", {}).get(group, {})
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError):
        return ()
    return list(found) if isinstance(found, dict) else ()
