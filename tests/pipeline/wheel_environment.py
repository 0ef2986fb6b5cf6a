"""An environment with the wheel of this checkout, in which nothing of the checkout is found."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.pipeline.checkouts import copy_of_sources

# Programs of packages that the environment shares with the running one.
_PROGRAMS = {"dvc": "dvc.cli:main", "snakemake": "snakemake.cli:main", "pytest": "pytest:console_main"}


@dataclass(frozen=True)
class WheelEnvironment:
    """A virtual environment, in which commands run from any folder."""

    path: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.path / "bin" / "python"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of its commands: no path of this checkout is among them."""
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        path = os.pathsep.join([str(self.path / "bin"), "/usr/local/bin", "/usr/bin", "/bin"])
        return {**kept, "PATH": path, "GIT_CONFIG_GLOBAL": os.devnull}

    def run(self, folder: Path, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs a command in a folder; a failure shows what it printed."""
        done = subprocess.run(
            command, cwd=folder, env=self.environment, capture_output=True, text=True, timeout=600, check=False
        )
        if check and done.returncode:
            pytest.fail(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done


@pytest.fixture(scope="session")
def wheel_environment(tmp_path_factory: pytest.TempPathFactory) -> WheelEnvironment:
    """The environment, made once for all workers of a test run; no test may change what is in it but by pip.

    The packages that whatif depends on are those of the running environment. Its folder is a plain line of the path, so
    the links of editable installations in it are not followed.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wheel-environment"
    folder.mkdir(exist_ok=True)
    made = WheelEnvironment(folder / "environment")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            _make(made, folder)
            (folder / "made").touch()
    return made


def _make(made: WheelEnvironment, folder: Path) -> None:
    sources = folder / "sources"
    sources.mkdir()
    copy_of_sources(sources)
    options = ["--quiet", "--no-index", "--no-deps"]
    build = [sys.executable, "-m", "pip", "wheel", *options, "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*build, str(sources)], check=True, capture_output=True)
    venv.create(made.path, with_pip=False)
    packages = made.path / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
    (packages / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    for name, place in _PROGRAMS.items():
        module, _, function = place.partition(":")
        program = made.path / "bin" / name
        program.write_text(f"#!{made.python}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n")
        program.chmod(0o755)
    (wheel,) = folder.glob("*.whl")
    made.run(folder, str(made.python), "-m", "pip", "install", *options, str(wheel))
