"""What a fresh machine costs: `python -m docs.numbers.first_run` clones the last commit and runs both commands.

They are `make repro` and `make test`. It writes `docs/numbers/first_run.json`, from which README.md and
docs/default-run.md have the times and the disk. Run it on a quiet machine; no test runs it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from docs.numbers.markdown import ROOT, markdown, read_json

_FILE = "docs/numbers/first_run.json"


def main() -> None:
    """Clones the last commit into a temporary folder, runs both commands there, and writes what they took."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    measured: dict[str, Any] = {"cores": len(os.sched_getaffinity(0))}
    with tempfile.TemporaryDirectory() as temporary:
        clone = Path(temporary) / "whatif"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        for command in ("make repro", "make test"):
            began = time.monotonic()
            subprocess.run(command.split(), cwd=clone, env=environment, check=True)
            minutes = (time.monotonic() - began) / 60
            installed, everything = (_gigabytes(folder) for folder in (clone / ".venv", clone))
            measured[command] = {
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
    """A table of both commands: minutes and disk, the installation included."""
    found = read_json(_FILE)
    rows: list[Sequence[str]] = [
        (f"On {found.pop('cores')} cores, with the installation", "Minutes", "Packages, GB", "Everything else, GB")
    ]
    for command, taken in found.items():
        minutes, *gigabytes = taken.values()
        rows.append((f"`{command}`", f"{minutes:.0f}", *map(str, gigabytes)))
    return markdown(rows, text_columns=1)


NUMBERS: dict[str, Callable[[], str]] = {"first run": _first_run}

if __name__ == "__main__":
    main()
