"""`whatif params`: the settings in force, with their explanations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.engine.errors import WhatifError

if TYPE_CHECKING:
    import yaml

    from whatif.engine.params.printed import Place, Source


@click.command()
@click.argument("names", nargs=-1, metavar="[BENCHMARK|KEY]...")
@click.option("--changed", is_flag=True, help="Print only what params.yaml sets.")
def params(names: tuple[str, ...], changed: bool) -> None:
    """Print the settings in force as YAML, each with its explanation.

    A value that params.yaml sets is followed by its line there; all others are defaults. To set another value, write
    its key, in the same nesting, into params.yaml: settings are laid over the defaults key by key. Three kinds of value
    replace the default as a whole: lists, mappings whose keys are names of your choice (models, retrieval sets,
    generators), and mappings that name another checkpoint.

    \b
    whatif params                          # all settings of the selected benchmarks
    whatif params cvqa-real                # those of one benchmark
    whatif params generate.cfmm models     # those of some keys, with dots between the levels
    whatif params --changed                # only what params.yaml sets

    The output can be used as a params.yaml that gives the same settings. Outside a project, the defaults are printed.
    """
    from whatif.engine.params.whole import PARAMS_FILE

    file = Path(PARAMS_FILE)
    click.echo(settings_text(file if file.is_file() else None, names, changed=changed), nl=False)


def settings_text(file: Path | None, names: Sequence[str] = (), *, changed: bool = False) -> str:
    """The settings that are in force with a file, or all defaults; only those that are named, and that it changes."""
    from whatif import benchmarks
    from whatif.engine.params.files import read_yaml
    from whatif.engine.params.printed import Printing, Source, source_of
    from whatif.engine.params.whole import PARAMS_FILE, mentioned

    given: Any = {}
    places = Source()
    known = [name for name in benchmarks.installed() if benchmarks.defaults_file(name)]
    if file is not None:
        benchmarks.load_params(file)
        given, tree = read_yaml(file)
        places = source_of(file.read_text(encoding="utf-8"), tree)
        known = [name for name in known if any(name in typed.split(".") for typed in names)]
    values = _ordered(benchmarks.in_force(given, file or Path(PARAMS_FILE), known))
    only = [place for name in names for place in _places(name, values)]
    return Printing(_documented({*known, *mentioned(given)}), places, PARAMS_FILE, only, changed).text(values)


def _ordered(values: dict[str, Any]) -> dict[str, Any]:
    """The values in the order of the file that explains them, with those that have no default."""
    from whatif.engine.params.defaults import WHOLE, read_defaults

    return {**read_defaults(WHOLE), **values}


def _documented(names: set[str]) -> Source:
    from whatif import benchmarks
    from whatif.engine.params.defaults import WHOLE
    from whatif.engine.params.files import read_yaml
    from whatif.engine.params.printed import source_of

    def source(file: Path, name: str = "") -> Source:
        tree: yaml.Node | None = read_yaml(file)[1]
        return source_of(file.read_text(encoding="utf-8"), tree, name)

    found = source(WHOLE)
    for name in sorted(names):
        if file := benchmarks.defaults_file(name):
            found |= source(file, name)
    return found


def _places(name: str, values: dict[str, Any]) -> list[Place]:
    """The places that a typed name means: the sections of a benchmark, or a key. Raises WhatifError for another one."""
    from whatif.engine.params.base import STAGES

    sections: list[Place] = [(stage, name) for stage in STAGES if name in (values.get(stage) or {})]
    value: Any = values
    for key in name.split("."):
        value = value.get(key, _GONE) if isinstance(value, dict) else _GONE
    if not sections and value is _GONE:
        known = sorted({one for stage in STAGES for one in values.get(stage) or {}})
        raise WhatifError(
            f"{name}: is neither a benchmark with settings here nor a key, such as {', '.join(values)}; the benchmarks "
            f"are {', '.join(known)}"
        )
    return sections or [tuple(name.split("."))]


_GONE = object()
