"""What installs the project agrees: versions of Python, pinned packages, hosted integration, and the container."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.defaults import ROOT


def toml(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


SETTINGS = toml("pyproject.toml")
HOSTED = yaml.safe_load(text(".github/workflows/ci.yml"))["jobs"]
PYTHONS = [found for one in SETTINGS["project"]["classifiers"] if (found := one.rpartition(" :: ")[2]).startswith("3.")]
TEMPLATE = "src/whatif/commands/new_project/template/pyproject.toml"


def test_the_supported_versions_of_python_are_the_same_everywhere() -> None:
    oldest, newest = PYTHONS[0], PYTHONS[-1]
    assert [f"3.{minor}" for minor in range(int(oldest[2:]), int(newest[2:]) + 1)] == PYTHONS
    assert SETTINGS["project"]["requires-python"] == f">={oldest}"
    assert toml(TEMPLATE)["project"]["requires-python"] == f">={oldest}"
    assert SETTINGS["tool"]["mypy"]["python_version"] == oldest
    assert "target-version" not in SETTINGS["tool"]["ruff"]  # ruff takes it from requires-python
    assert HOSTED["check"]["strategy"]["matrix"]["python"] == PYTHONS
    single = {
        step["with"]["python-version"]
        for job in ("test", "soak")
        for step in HOSTED[job]["steps"]
        if "with" in step and "python-version" in step["with"]
    }
    assert single == {oldest}
    assert f"FROM python:{oldest}-slim-" in text("Dockerfile")
    for page in ("README.md", "CONTRIBUTING.md", "docs/installation.md", "docs/default-run.md"):
        assert f"Python {oldest} or later" in text(page), page


@pytest.mark.parametrize("python", [f"{one}.{patch}" for one in PYTHONS for patch in (2, 9)])
def test_a_package_has_one_pinned_version_on_each_python(python: str) -> None:
    environment = {"python_full_version": python, "python_version": python.rpartition(".")[0], "sys_platform": "linux"}
    pins = [one for one in map(Requirement, text("constraints.txt").splitlines()) if holds(one, environment)]
    names = [canonicalize_name(one.name) for one in pins]
    assert names == sorted(set(names))
    versions = {name: next(iter(one.specifier)).version for name, one in zip(names, pins, strict=True)}
    project = SETTINGS["project"]
    for line in [*project["dependencies"], *chain(*project["optional-dependencies"].values())]:
        wanted = Requirement(line)
        assert wanted.specifier.contains(versions[canonicalize_name(wanted.name)]), f"{line}: run `make lock`"


def holds(requirement: Requirement, environment: dict[str, str]) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(environment)


def test_the_weekly_soak_has_the_system_packages_of_the_tests() -> None:
    wanted = {name for names in re.findall(r"want\+=\(([^)]*)\)", text(".ci/run")) for name in names.split()}
    steps = " ".join(step.get("run", "") for step in HOSTED["soak"]["steps"]).split()
    assert wanted - set(steps) <= {"chromium"}  # hosted machines have a browser


def test_the_container_gets_what_the_source_distribution_has() -> None:
    lines = [line for line in text(".dockerignore").splitlines() if line and not line.startswith("#")]
    allowed = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert lines[0] == "*" and all((ROOT / name).exists() for name in allowed)
    shipped = [line.split()[1:] for line in text("MANIFEST.in").splitlines() if line.startswith(("include ", "graft "))]
    names = {name for line in shipped for name in line} | {"LICENSE", "MANIFEST.in", "README.md", "pyproject.toml"}
    assert {name for name in names if not {name, *map(str, Path(name).parents)} & allowed} == set()
    copied = [
        word for line in re.findall(r"^COPY \S+ (.*) \S+$", text("Dockerfile"), re.MULTILINE) for word in line.split()
    ]
    assert all(word == "." or {word, *map(str, Path(word).parents)} & allowed for word in copied)


@pytest.mark.process
def test_an_environment_of_another_python_is_named_in_one_line(folder: Path) -> None:
    shutil.copy2(ROOT / "Makefile", folder)
    for name, version in {".venv/bin/python": "3.11", "other": "3.13", "same": "3.11"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        (folder / name).chmod(0o755)

    def make(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "help", *arguments]
        plain = {"PATH": os.environ["PATH"]}  # nothing of a `make test PYTHON=...` that runs this
        return subprocess.run(command, cwd=folder, env=plain, capture_output=True, text=True, check=False)

    done = make(f"PYTHON={folder / 'other'}")
    assert done.returncode != 0 and len(done.stderr.splitlines()) == 1
    assert f".venv was made with Python 3.11, not with {folder / 'other'}: remove it with `rm -r .venv`" in done.stderr
    assert make(f"PYTHON={folder / 'same'}").returncode == make().returncode == 0
