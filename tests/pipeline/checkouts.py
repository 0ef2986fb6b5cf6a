"""Whole runs by real git, dvc and snakemake, in copies of a small project that was run once."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.defaults import ROOT

SMALL: dict[str, Any] = {
    "benchmarks": ["cvqa-synthetic"],
    **{f"models.{key}": None for key in ("llava-original", "llava-counterfactual", "clip", "vilt")},
    **{f"models.{key}": None for key in ("viper-oracle", "viper-literal", "viper-models", "visprog-oracle")},
    "generate.cvqa-synthetic.puzzles_per_template": 4,
    "generate.cvqa-synthetic.shards": 2,
    "generate.cvqa-synthetic.image_size": 224,
    "aggregate.cvqa-synthetic.audit_folds": 2,
}
# It reads everything that is published, so it is due after whatever else is: tests of the other jobs leave it out.
SITE_JOB = "aggregate site"


@dataclass
class Checkout:
    """A checkout in which commands run with its own code."""

    path: Path

    @property
    def environment(self) -> dict[str, str]:
        """In which commands run with the code of this checkout."""
        return {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.path / "src"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "test",
            "GIT_AUTHOR_EMAIL": "test@localhost",
            "GIT_COMMITTER_NAME": "test",
            "GIT_COMMITTER_EMAIL": "test@localhost",
        }

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs a command here; a failure shows what it printed."""
        done = subprocess.run(
            command, cwd=self.path, env=self.environment, capture_output=True, text=True, timeout=900, check=False
        )
        if check and done.returncode:
            pytest.fail(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def set(self, values: dict[str, Any]) -> None:
        """Sets values of params.yaml by dotted path; None takes a key away."""
        file = self.path / "params.yaml"
        tree = yaml.safe_load(file.read_text(encoding="utf-8"))
        for place, value in values.items():
            *folders, key = place.split(".")
            node = tree
            for folder in folders:
                node = node[folder]
            if value is None:
                del node[key]
            else:
                node[key] = value
        file.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")

    def jobs(self, command: list[str]) -> dict[str, str]:
        """Runs an entry point; returns what each job that ran did: name -> `computed` or `taken from the stash`.

        The site is left out (`SITE_JOB`).
        """
        log = self.path / ".whatif" / "log.jsonl"
        before = len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0
        self.run(*command)
        lines = log.read_text(encoding="utf-8").splitlines()[before:] if log.exists() else []
        entries = [json.loads(line) for line in lines]
        assert len({entry["job"] for entry in entries}) == len(entries), "a job ran twice"
        done = {entry["job"].replace(" cvqa-synthetic", ""): entry["outcome"] for entry in entries}
        return {job: outcome for job, outcome in done.items() if job != SITE_JOB}

    def results(self) -> dict[str, bytes]:
        """Every artifact, metrics file and table: path -> bytes."""
        files = [*self.path.glob("data/**/*.parquet"), *self.path.glob("metrics/**/*.*")]
        return {str(file.relative_to(self.path)): file.read_bytes() for file in sorted(files)}

    def commit(self, message: str) -> None:
        """Commits everything that git does not ignore, and saves the artifacts in the DVC cache."""
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", message)

    def copied_to(self, path: Path) -> Checkout:
        """A copy with artifacts, times and the records of both entry points."""
        shutil.copytree(self.path, path, symlinks=True)
        return Checkout(path)


ENTRY_POINTS = {"dvc": ["dvc", "repro"], "snakemake": ["snakemake", "--cores", "2", "--quiet", "host", "rules"]}


@pytest.fixture(params=sorted(ENTRY_POINTS))
def entry_point(request: pytest.FixtureRequest) -> list[str]:
    """The command of each entry point in turn."""
    return ENTRY_POINTS[request.param]


def copy_of_sources(target: Path) -> None:
    """Copies what git knows or would take in, without tests, texts and the record of a run."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, names.split("\0")):
        source = ROOT / name
        if source.is_file() and not name.startswith(("tests/", "docs/", "metrics/", "dvc.lock")):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)


def made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Checkout], None]) -> Checkout:
    """The checkout that `make` makes, once for all workers of a test run; one that is at work lets the others wait.

    No test may change it.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    checkout, made = Checkout(folder / "project"), folder / "made"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(checkout.path, ignore_errors=True)  # another worker may have failed
            make(checkout)
            made.touch()
    return checkout


@pytest.fixture(scope="session")
def finished_checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A small project run by `dvc repro`, committed and pushed to a remote. Tests work on copies of it."""

    def make(checkout: Checkout) -> None:
        checkout.path.mkdir()
        copy_of_sources(checkout.path)
        checkout.set(SMALL)
        checkout.run("git", "init", "--quiet", "--initial-branch", "main")
        checkout.run("dvc", "remote", "add", "--default", "storage", str(checkout.path.parent / "storage"))
        checkout.run("dvc", "repro")
        checkout.commit("a finished run")
        checkout.run("dvc", "push")

    return made_once(tmp_path_factory, "finished", make)


@pytest.fixture
def checkout(finished_checkout: Checkout, tmp_path: Path) -> Iterator[Checkout]:
    """A working copy of the finished checkout."""
    yield finished_checkout.copied_to(tmp_path / "project")
    shutil.rmtree(tmp_path / "project")


@pytest.fixture(scope="session")
def finished_with_another_seed(finished_checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the finished checkout that Snakemake then ran with the seed 7. Tests work on copies of it."""

    def make(checkout: Checkout) -> None:
        finished_checkout.copied_to(checkout.path)
        checkout.set({"seed": 7})
        checkout.run(*ENTRY_POINTS["snakemake"])

    return made_once(tmp_path_factory, "another-seed", make)


@pytest.fixture
def with_another_seed(finished_with_another_seed: Checkout, tmp_path: Path) -> Iterator[Checkout]:
    """A working copy of the checkout that Snakemake ran with another seed."""
    yield finished_with_another_seed.copied_to(tmp_path / "another-seed")
    shutil.rmtree(tmp_path / "another-seed")


@pytest.fixture
def fresh_clone(finished_checkout: Checkout, tmp_path: Path) -> Iterator[Checkout]:
    """A clone of the finished project with its artifacts pulled: times are those of the checkout."""
    finished_checkout.run("git", "clone", "--quiet", str(finished_checkout.path), str(tmp_path / "clone"))
    clone = Checkout(tmp_path / "clone")
    clone.run("dvc", "pull")
    yield clone
    shutil.rmtree(tmp_path / "clone")


EntryPoint = Callable[[Checkout], dict[str, str]]
