"""An interface and tools for the tests of the sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from whatif.engine.params.programs import Limits
from whatif.models.programs.interfaces import ToolError
from whatif.models.programs.sandbox.pool import Sandbox

INTERFACE = """
import math

seen = []

class Patch:
    def __init__(self, handle):
        self.handle = handle

    def find(self, name):
        return [Patch(one["patch"]) for one in call_tool("find", patch=self.handle, name=name)]

    def exists(self, name):
        return call_tool("exists", patch=self.handle, name=name)

def half(number):
    return math.floor(number / 2)

def start():
    return Patch(0)
"""
LIMITS = Limits(seconds=20, cpu_seconds=2, memory_mib=128, output_kib=4, calls=20)


class Tools:
    """Tools that record their calls; `find` finds two things, and any other tool fails."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Mapping[str, Any]]] = []

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        self.calls.append((tool, arguments))
        if tool == "find":
            return [{"patch": 1, "box": [0, 0, 1, 1]}, {"patch": 2, "box": [1, 0, 2, 1]}]
        raise ToolError(f"{tool} cannot answer")


def program(body: str) -> str:
    return "def execute_command(image):\n" + "\n".join(f"    {line}" for line in body.splitlines()) + "\n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox with the static check."""
    with Sandbox("bubblewrap", LIMITS, INTERFACE) as made:
        yield made


@pytest.fixture(scope="module")
def unchecked() -> Iterator[Sandbox]:
    """A sandbox that relies on the operating system alone."""
    with Sandbox("bubblewrap", LIMITS, INTERFACE, checks=False) as made:
        yield made
