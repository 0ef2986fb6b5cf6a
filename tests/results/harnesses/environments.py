"""The environments of inspect_ai and lmms-eval, which `make harnesses` installs, and how a test runs in one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
INSPECT_AI = Path(os.environ.get("WHATIF_INSPECT_AI", ROOT / ".venv-inspect-ai"))
LMMS_EVAL = Path(os.environ.get("WHATIF_LMMS_EVAL", ROOT / ".venv-lmms-eval"))
_WITHIN = 400  # seconds


def needs(environment: Path) -> pytest.MarkDecorator:
    """Skips a test where an environment is not installed; its last file says that it is complete."""
    missing = not (environment / ".installed").exists()
    return pytest.mark.skipif(missing, reason=f"no {environment.name[6:]} in {environment}: run `make harnesses`")


def python(environment: Path, *arguments: str, folder: Path, variables: Mapping[str, str] | None = None) -> str:
    """What Python of an environment prints, with the source of whatif, in `folder`, where all that it writes goes.

    `variables` of the environment are added to the few that it has.
    """
    given = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "HF_HOME": str(folder / "hugging-face"),
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "OMP_NUM_THREADS": "1",
        **(variables or {}),
    }
    command = [str(environment / "bin" / "python"), *arguments]
    done = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, timeout=_WITHIN, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout
