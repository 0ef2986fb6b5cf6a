"""What `make repro` costs on a fresh machine: `python -m docs.numbers.first_run` clones the last commit and runs it.

It writes `docs/numbers/first_run.json`, from which README.md and docs/default-run.md have the time and the disk. Run it
on a quiet machine; no test runs it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from docs.numbers.markdown import ROOT, read_json

_FILE = "docs/numbers/first_run.json"


def main() -> None:
    """Clones the last commit into a temporary folder, runs `make repro` there, and writes what it took."""
    with tempfile.TemporaryDirectory() as temporary:
        clone = Path(temporary) / "whatif"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        began = time.monotonic()
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        subprocess.run(["make", "repro"], cwd=clone, env=environment, check=True)
        minutes = (time.monotonic() - began) / 60
        installed, everything = (_gigabytes(folder) for folder in (clone / ".venv", clone))
    measured = {
        "cores": len(os.sched_getaffinity(0)),
        "minutes": round(minutes, 1),
        "installed gigabytes": installed,
        "made gigabytes": round(everything - installed, 1),
    }
    (ROOT / _FILE).write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
    print(measured)


def _gigabytes(folder: Path) -> float:
    files = (path.lstat() for path in folder.rglob("*") if not path.is_symlink())
    return round(sum(stat.st_blocks * 512 for stat in files) / 1e9, 1)


def _first_run() -> str:
    """A sentence with the time and the disk of the first run; on lines of its own."""
    found = read_json(_FILE)
    return (
        f"On {found['cores']} cores, the first run takes {found['minutes']:.0f} minutes, the installation included. The"
        f" packages take\n{found['installed gigabytes']} GB of disk with a CPU build of torch, and"
        f" everything else {found['made gigabytes']} GB."
    )


NUMBERS: dict[str, Callable[[], str]] = {"first run": _first_run}

if __name__ == "__main__":
    main()
