"""Fixtures that tests of several packages share."""

from __future__ import annotations

import os
import platform
import re
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.projects import Project
from whatif.commands.cli import KERNELS

pytest_plugins = [
    "tests.command_line",
    "tests.pipeline.checkouts",
    "tests.pipeline.power_cuts",
    "tests.pipeline.real_installations",
    "tests.s3_server",
    "tests.served_model",
    "tests.results.site.chromium",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the test runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def project(folder: Path) -> Project:
    """A project in an empty folder, in which the test runs, with the values of the shipped `params.yaml`.

    A module or class overrides it to select a benchmark and to make it small.
    """
    return Project(folder)


# torch chooses its kernels once in a process, so all tests have those of the commands.
os.environ.update(KERNELS)

# What Python reports to audit hooks when a process begins.
_BEGINS = frozenset({"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"})
_MAY_START_PROCESSES = ("pipeline", "process", "slow", "soak", "training")
# What the first import of a build of torch with CUDA asks for its libraries.
_HARMLESS = "/sbin/ldconfig"
_running: list[pytest.Item] = []

# A shell without job control lets what it starts in the background ignore Ctrl-C, and so would everything below it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# nohup does the same with a hang-up. A signal that is handled here has its default again in what is started from here.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)


def _no_process(event: str, arguments: tuple[object, ...]) -> None:
    if event not in _BEGINS or not _running or arguments[0] == _HARMLESS:
        return
    if not any(_running[0].get_closest_marker(mark) for mark in _MAY_START_PROCESSES):
        pytest.fail(f"starts a process ({event} {arguments[0]!r}); mark the test with `pytest.mark.process`")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--share`, with which continuous integration runs another part of the soak for each commit."""
    parser.addoption("--share", default="1/1", metavar="I/N", help="every N-th of the tests, from the I-th on")


@pytest.hookimpl(trylast=True)  # of the tests that `-m` has left
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the tests of the share. Raises UsageError for one that is none."""
    share = re.fullmatch(r"(\d+)/(\d+)", config.getoption("share"))
    first, step = map(int, share.groups()) if share else (0, 0)
    if not 1 <= first <= step:
        raise pytest.UsageError(f"--share {config.getoption('share')}: I/N is wanted, with I from 1 to N, such as 2/4")
    others = [item for number, item in enumerate(items) if number % step != first - 1]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for number, item in enumerate(items) if number % step == first - 1]
    if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")):
        items[:] = _whole_runs_first(items, workers)


def _whole_runs_first(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Orders the items so that each worker, which is given one stretch of them, begins with modules of whole runs.

    Otherwise a test of a minute could be the last one, while the other worker has nothing left to do.
    """
    whole_runs = [item for item in items if item.get_closest_marker("pipeline")]
    others = [item for item in items if not item.get_closest_marker("pipeline")]
    modules = list(dict.fromkeys(item.path for item in whole_runs))
    waiting = {item.path for item in whole_runs if "finished_checkout" in getattr(item, "fixturenames", ())}
    stretch = -(-len(items) // workers)
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        own = set(modules[worker::workers])
        # The first one makes the finished checkout; until it has done so, the others have tests that do not need it.
        own_runs = [item for item in whole_runs if item.path in own]
        ordered += sorted(own_runs, key=lambda item: item.path in waiting) if worker else own_runs
        taken = max(0, stretch * (worker + 1) - len(ordered))
        ordered, others = ordered + others[:taken], others[taken:]
    return ordered + others


# `import openai` asks for the processor, for which Python starts `uname` once and keeps what it prints.
platform.processor()
# The first import of matplotlib's fonts on a machine lists them with `fc-list`, and keeps the list.
import_module("matplotlib.font_manager")
sys.addaudithook(_no_process)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fails a test that starts a process without being marked, so that `make check` stays quick."""
    _running.append(item)
    try:
        return (yield)
    finally:
        _running.clear()
