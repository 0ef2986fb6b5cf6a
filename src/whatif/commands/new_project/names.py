"""The name of a new benchmark: what it may be, and the names of its Python package and of its title."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec

from whatif.engine.errors import WhatifError
from whatif.engine.params.base import STAGES

LONGEST = 30  # characters; a longer name would make lines of the template longer than its own style allows
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
# Names that whatif uses for something else, or that a package in `src` must not have.
RESERVED = frozenset({*STAGES, "all", "shared", "site", "whatif", "whatif-bench", "src", "test", "tests"})


@dataclass(frozen=True)
class Names:
    """The names of a benchmark: `my-benchmark`, its package `my_benchmark`, its title `My benchmark`."""

    benchmark: str

    @property
    def package(self) -> str:
        """The Python package."""
        return self.benchmark.replace("-", "_")

    @property
    def title(self) -> str:
        """The title of reports and cards."""
        return self.benchmark.replace("-", " ").capitalize()


def checked_names(name: str, benchmarks: Mapping[str, str]) -> Names:
    """The names that follow from that of a benchmark; `benchmarks` maps those of all installed ones to their modules.

    Raises WhatifError when the name is malformed, reserved, too long, or that of an installed benchmark or package.
    """
    names = Names(name)
    if not _NAME.fullmatch(name):
        like = _similar(name)
        better = f", for example {like}" if like else ", for example my-benchmark"
        raise WhatifError(f"{name!r}: a name is lower-case words of letters and digits, joined by hyphens{better}")
    if len(name) > LONGEST:
        raise WhatifError(f"{name}: has {len(name)} characters; a name has at most {LONGEST}")
    if name in RESERVED:
        raise WhatifError(f"{name}: whatif uses this name itself; choose another, for example my-{name}")
    if name in benchmarks:
        own = benchmarks[name].partition(".")[0] == "whatif"
        remedy = "" if own else f", or uninstall it (`pip uninstall {name}`)"
        raise WhatifError(f"{name}: there is an installed benchmark of this name; choose another{remedy}")
    if keyword.iskeyword(names.package) or names.package in sys.stdlib_module_names:
        raise WhatifError(f"{name}: Python uses this name itself; choose another, for example my-{name}")
    if is_installed(names):
        raise WhatifError(f"{name}: there is an installed Python package of this name; choose another")
    return names


def is_installed(names: Names) -> bool:
    """Whether a Python package or a distribution has one of these names, which the new package would replace."""
    try:
        distribution(names.benchmark)
    except PackageNotFoundError:
        found = find_spec(names.package)
        return found is not None and found.origin is not None  # a mere folder in the path has no origin
    return True


def _similar(name: str) -> str:
    """A well-formed name that is like a malformed one; empty if there is none."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", name)
    made = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-0123456789")[:LONGEST].strip("-")
    return made if _NAME.fullmatch(made) else ""
