"""Environments into which the wheel of this checkout is installed with its dependencies, as a stranger does it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.defaults import ROOT
from tests.pipeline.checkouts import copy_of_sources


@dataclass(frozen=True)
class Installation:
    """A virtual environment, in which commands run from any folder and find nothing of this checkout."""

    path: Path

    @property
    def packages(self) -> Path:
        """The folder of its packages."""
        return self.path / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"

    def run(self, folder: Path, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs a program of the environment in a folder; a failure shows what it printed."""
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        path = os.pathsep.join([str(self.path / "bin"), "/usr/local/bin", "/usr/bin", "/bin"])
        environment = {**kept, "PATH": path, "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        if check and done.returncode:
            pytest.fail(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done


def _once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], str | None]) -> Path:
    """A folder that `make` fills once for all workers; skips the test where `make` says why it cannot."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    made = folder / "made"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            made.write_text(make(folder) or "", encoding="utf-8")
    if why := made.read_text(encoding="utf-8"):
        pytest.skip(why)
    return folder


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution of this checkout, and the wheel that is built from it."""

    def make(folder: Path) -> None:
        sources = folder / "sources"
        sources.mkdir()
        copy_of_sources(sources)
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), str(sources)]
        subprocess.run(command, check=True, capture_output=True)

    return _once(tmp_path_factory, "distributions", make) / "dist"


@pytest.fixture(scope="session")
def light_installation(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel with its dependencies and no extra. Skips where packages cannot be installed."""
    (wheel,) = distributions.glob("*.whl")

    def make(folder: Path) -> str | None:
        return _installed(folder / "environment", wheel)

    return Installation(_once(tmp_path_factory, "light", make) / "environment")


@pytest.fixture(scope="session")
def pipeline_installation(
    distributions: Path, light_installation: Installation, tmp_path_factory: pytest.TempPathFactory
) -> Installation:
    """The wheel with the extra `pipeline`. What the light environment has is taken from there, to save time."""
    (wheel,) = distributions.glob("*.whl")

    def make(folder: Path) -> str | None:
        return _installed(folder / "environment", wheel, "pipeline", beside=light_installation)

    return Installation(_once(tmp_path_factory, "with-pipeline", make) / "environment")


def _installed(path: Path, wheel: Path, extra: str = "", beside: Installation | None = None) -> str | None:
    """Makes an environment and installs the wheel; says why that is not possible here."""
    subprocess.run([sys.executable, "-m", "venv", str(path)], check=True, capture_output=True)
    made = Installation(path)
    pip = ["python", "-m", "pip", "install", "--quiet", "--no-compile", "--constraint", str(ROOT / "constraints.txt")]
    if beside is not None:
        (made.packages / "beside.pth").write_text(f"{beside.packages}\n", encoding="utf-8")
        made.run(path, *pip, "--no-deps", "--ignore-installed", str(wheel))
    done = made.run(path, *pip, f"{wheel}[{extra}]" if extra else str(wheel), check=False)
    if done.returncode == 0:
        return None
    return f"packages cannot be installed here: {(done.stderr.strip() or 'pip failed').splitlines()[-1]}"
