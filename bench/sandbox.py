"""Programs through a ready worker, beside a fresh interpreter for each: the same program, which calls one tool.

The peer starts the same worker for every program, under bubblewrap; a further peer is a bare interpreter for every
program, without any isolation and without tools.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whatif.engine.params.programs import Limits
from whatif.models.programs.sandbox import bubblewrap
from whatif.models.programs.sandbox.pool import Sandbox

SMALL = {"_PROGRAMS": 3, "_FRESH": 1, "_LIMIT_SECONDS": 60.0, "_LEAST_RATIO": 0.0}
_PROGRAMS = 300
_FRESH = 20
_LIMIT_SECONDS = 0.05
_LEAST_RATIO = 10.0
_INTERFACE = """
class Patch:
    def find(self, name):
        return call_tool("find", patch=0, name=name)

def start():
    return Patch()
"""
_PROGRAM = """
import math

def execute_command(image):
    cups = image.find("cup")
    return math.floor(len(cups) / 2) + 1
"""
_PLAIN = """
class Patch:
    def find(self, name):
        return [{}, {}]

print(execute_command(Patch()))
"""


def measure() -> dict[str, Any]:
    """Programs a second of one process."""
    seconds, first = _ready()
    ours, fresh, plain = _PROGRAMS / seconds, _FRESH / _fresh(), _FRESH / _plain()
    assert 1 / ours < _LIMIT_SECONDS, f"{1000 / ours:.0f} ms a program"
    assert ours / fresh >= _LEAST_RATIO, f"{ours / fresh:.1f} times as fast as a fresh interpreter"
    return {
        "name": "sandbox",
        "ours": ours,
        "ours_milliseconds": 1000 / ours,
        "first_milliseconds": 1000 * first,
        "peer": fresh,
        "peer_milliseconds": 1000 / fresh,
        "unit": "programs/s",
        "ratio": ours / fresh,
        "peer_name": "a fresh interpreter under bubblewrap for each program",
        "further_peers": {"a fresh interpreter for each program, not isolated": plain},
    }


def _tools(tool: str, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{}, {}]


def _check(value: object) -> None:
    assert value == 2, value


def _ready() -> tuple[float, float]:
    """Seconds of all programs through one worker, and until its first result."""
    with Sandbox("bubblewrap", Limits(), _INTERFACE) as sandbox:
        started = time.perf_counter()
        _check(sandbox.run(_PROGRAM, _tools).value)
        first = time.perf_counter() - started
        started = time.perf_counter()
        for _ in range(_PROGRAMS):
            _check(sandbox.run(_PROGRAM, _tools).value)
        return time.perf_counter() - started, first


def _fresh() -> float:
    started = time.perf_counter()
    for _ in range(_FRESH):
        with Sandbox("bubblewrap", Limits(), _INTERFACE) as sandbox:
            _check(sandbox.run(_PROGRAM, _tools).value)
    return time.perf_counter() - started


def _plain() -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(_PROGRAM + _PLAIN, encoding="utf-8")
        command = [bubblewrap.interpreter(), "-I", "-S", "-B", str(path)]
        started = time.perf_counter()
        for _ in range(_FRESH):
            _check(int(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
        return time.perf_counter() - started
