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
from whatif.commands.job_server import VARIABLE

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
# With these values, the report and the site of a finished checkout are due.
A_REPORT = {"aggregate.cvqa-synthetic.confidence": 0.9}


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
        """Sets values of params.yaml by dotted path, in sections that it may not have yet; None takes a key away."""
        file = self.path / "params.yaml"
        tree = yaml.safe_load(file.read_text(encoding="utf-8"))
        for place, value in values.items():
            *folders, key = place.split(".")
            node = tree
            for folder in folders:
                node = node.setdefault(folder, {})
            if value is None:
                del node[key]
            else:
                node[key] = value
        file.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")

    def logged(self) -> list[dict[str, Any]]:
        """What was recorded of each job that ran here, in order: its `job`, `outcome`, `pid` and more."""
        log = self.path / ".whatif" / "log.jsonl"
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []

    def jobs(self, command: list[str]) -> dict[str, str]:
        """Runs an entry point; returns what each job that ran did: name -> `computed` or `taken from the stash`.

        The site is left out (`SITE_JOB`).
        """
        before = len(self.logged())
        self.run(*command)
        entries = self.logged()[before:]
        assert len({entry["job"] for entry in entries}) == len(entries), "a job ran twice"
        done = {entry["job"].replace(" cvqa-synthetic", ""): entry["outcome"] for entry in entries}
        return {job: outcome for job, outcome in done.items() if job != SITE_JOB}

    def results(self) -> dict[str, bytes]:
        """Every artifact, metrics file and table: path -> bytes."""
        files = [*self.path.glob("data/**/*.parquet"), *self.path.glob("metrics/**/*.*")]
        return {str(file.relative_to(self.path)): file.read_bytes() for file in sorted(files)}

    def site(self) -> dict[str, bytes]:
        """The pages of the site: path -> bytes."""
        folder = self.path / "site"
        return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    def forget(self, *folders: str) -> None:
        """Removes what runs have made, or these folders only."""
        for folder in folders or ("data", "metrics", "site", "logs", ".whatif", ".snakemake"):
            shutil.rmtree(self.path / folder, ignore_errors=True)

    def commit(self, message: str) -> None:
        """Commits everything that git does not ignore, and saves the artifacts in the DVC cache."""
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", message)

    def copied_to(self, path: Path) -> Checkout:
        """A copy with artifacts, times and the records of both entry points.

        Objects of git and of DVC, which nothing edits in place, are hard links. All else is copied: a run sets the
        times of artifacts and compares the change times of sources, which a link in another checkout would change.
        """
        shutil.copytree(self.path, path, symlinks=True, copy_function=_linked_or_copied)
        return Checkout(path)


def _linked_or_copied(source: str, target: str) -> None:
    if "/.git/objects/" in source or "/.dvc/cache/" in source:
        os.link(source, target)
    else:
        shutil.copy2(source, target)


ENTRY_POINTS = {"dvc": ["dvc", "repro"], "snakemake": ["snakemake", "--cores", "2", "--quiet", "host", "rules"]}


# Instead of the default of `entry_point`, so that each of the two meets every kind of case.
by_snakemake = pytest.mark.parametrize(
    "entry_point", ["snakemake", pytest.param("dvc", marks=pytest.mark.soak)], indirect=True
)


@pytest.fixture(params=["dvc", pytest.param("snakemake", marks=pytest.mark.soak)])
def entry_point(request: pytest.FixtureRequest) -> list[str]:
    """The command of an entry point; the other one is left to the soak."""
    return ENTRY_POINTS[request.param]


@pytest.fixture(
    params=["dvc snakemake", pytest.param("snakemake dvc", marks=pytest.mark.soak)], ids=lambda one: one.split()[0]
)
def entry_points(request: pytest.FixtureRequest) -> tuple[list[str], list[str]]:
    """The commands of both entry points, for a test that runs them in turn; the other order is left to the soak."""
    first, second = request.param.split()
    return ENTRY_POINTS[first], ENTRY_POINTS[second]


def computed(jobs: dict[str, str]) -> set[str]:
    """The jobs whose outputs were really made, not found or taken back."""
    return {job for job, outcome in jobs.items() if outcome == "computed"}


def stale(checkout: Checkout) -> set[str]:
    """The jobs that `whatif status` finds stale; those that only wait for others are unknown."""
    return stale_in(checkout.run("whatif", "status").stdout)


def stale_in(said: str) -> set[str]:
    """The jobs that are stale by what `whatif status` said."""
    return {line.removeprefix("stale ").strip() for line in said.splitlines() if line.startswith("stale ")}


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


def new_project(checkout: Checkout, values: dict[str, Any]) -> Checkout:
    """Makes a git repository of the sources, with some values of params.yaml changed; nothing was run or committed."""
    checkout.path.mkdir()
    copy_of_sources(checkout.path)
    checkout.set(values)
    checkout.run("git", "init", "--quiet", "--initial-branch", "main")
    return checkout


def _said(done: subprocess.CompletedProcess[str], checkout: Checkout) -> None:
    (checkout.path.parent / "said.txt").write_text(done.stdout + done.stderr, encoding="utf-8")


def said(checkout: Checkout) -> list[str]:
    """The lines that the run printed which made everything in a session's checkout."""
    return (checkout.path.parent / "said.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="session")
def finished_checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A small project run by `dvc repro`, committed and pushed to a remote. Tests work on copies of it."""

    def make(checkout: Checkout) -> None:
        new_project(checkout, SMALL)
        checkout.run("dvc", "remote", "add", "--default", "storage", str(checkout.path.parent / "storage"))
        _said(checkout.run("dvc", "repro", "--quiet"), checkout)
        checkout.commit("a finished run")
        checkout.run("dvc", "push")

    return made_once(tmp_path_factory, "finished", make)


@pytest.fixture(scope="session")
def made_by_snakemake(finished_checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the finished checkout in which Snakemake then made everything again, each job as a new process.

    No test changes it.
    """

    def make(checkout: Checkout) -> None:
        finished_checkout.copied_to(checkout.path).forget()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(VARIABLE, "no")
            _said(checkout.run(*ENTRY_POINTS["snakemake"]), checkout)

    return made_once(tmp_path_factory, "by-snakemake", make)


OTHER_ANSWERS = {"models.random.adapter": "first-option"}


@pytest.fixture(scope="session")
def two_commits(finished_checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The finished checkout with a second run of `dvc repro`, with OTHER_ANSWERS, as a commit. No test changes it."""

    def make(checkout: Checkout) -> None:
        finished_checkout.copied_to(checkout.path)
        checkout.run("whatif", "dvc-yaml")
        checkout.commit("metrics and plots of the selected benchmark")
        checkout.set(OTHER_ANSWERS)
        checkout.run("dvc", "repro")
        checkout.commit("random chooses the first option")

    return made_once(tmp_path_factory, "two-commits", make)


@pytest.fixture
def checkout(finished_checkout: Checkout, tmp_path: Path) -> Iterator[Checkout]:
    """A working copy of the finished checkout."""
    yield finished_checkout.copied_to(tmp_path / "project")
    shutil.rmtree(tmp_path / "project")


@pytest.fixture
def fresh_clone(finished_checkout: Checkout, tmp_path: Path) -> Iterator[Checkout]:
    """A clone of the finished project with its artifacts pulled: times are those of the checkout."""
    finished_checkout.run("git", "clone", "--quiet", str(finished_checkout.path), str(tmp_path / "clone"))
    clone = Checkout(tmp_path / "clone")
    clone.run("dvc", "pull")
    yield clone
    shutil.rmtree(tmp_path / "clone")
