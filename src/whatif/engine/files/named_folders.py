"""Files and folders that settings name: by a path, or by a name that is the same on every machine.

`embedded:NAME` is a checkpoint that ships with whatif, `package:NAME/FOLDER` a folder of an installed Python package,
and `package:NAME/FILE.gguf` a GGUF file in one.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path

EMBEDDED = "embedded:"
PACKAGE = "package:"
_FILES = ".gguf"  # the ending of the only files in packages that can be named
CHECKPOINTS = Path(__file__).parents[2] / "world" / "checkpoints"


def named_path(text: str) -> Path:
    """The path that a setting names.

    Raises WhatifError when there is no such embedded checkpoint, package, or folder or GGUF file in the package.
    """
    if text.startswith(EMBEDDED):
        return _embedded(text.removeprefix(EMBEDDED))
    if text.startswith(PACKAGE):
        return _in_package(text)
    return user_path(text)


def embedded_checkpoints() -> list[str]:
    """The names of the checkpoints that ship with whatif, sorted."""
    return sorted(folder.name for folder in CHECKPOINTS.iterdir() if folder.is_dir())


def _embedded(name: str) -> Path:
    if name not in embedded_checkpoints():
        raise WhatifError(
            f"checkpoint {EMBEDDED}{name}: does not exist; embedded checkpoints are {', '.join(embedded_checkpoints())}"
        )
    return CHECKPOINTS / name


def _in_package(text: str) -> Path:
    name, _, inside = text.removeprefix(PACKAGE).partition("/")
    found = find_spec(name) if name.isidentifier() else None
    places = [] if found is None else list(found.submodule_search_locations or ())
    if not places:
        raise WhatifError(f"{text}: Python package {name} is not installed; install it, for example by pip")
    path = Path(places[0]) / inside
    is_file = inside.lower().endswith(_FILES)
    if not path.is_dir() and not (is_file and path.is_file()):
        what = "file" if is_file else "folder"
        raise WhatifError(f"{text}: the package {name} has no {what} {inside!r}; give one that it has")
    return path
