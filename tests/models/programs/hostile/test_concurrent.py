"""Hostile programs beside harmless ones in other threads: no message reaches the wrong program."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.models.programs.hostile.catalogue import WITNESS, load
from tests.models.programs.hostile.harness import INTERFACE, LIMITS, Tools
from tests.models.programs.hostile.surroundings import Surroundings
from whatif.models.programs.interfaces import Finished
from whatif.models.programs.sandbox.pool import Sandbox

FORGERS = [one for one in load() if one.id in {"two-results", "calls-without-reading", "channel-closed", "abort"}]
ROUNDS = 6


def harmless(number: int) -> str:
    """A program whose result only its own tools can give."""
    return f"def execute_command(patch):\n    return [patch.ask('question {number}') for _ in range(5)]\n"


@pytest.mark.process
@pytest.mark.parametrize("shared", [True, False], ids=["one-sandbox", "two-sandboxes"])
def test_programs_in_threads_do_not_meet(shared: bool, tmp_path: Path) -> None:
    with (
        Surroundings(tmp_path / "surroundings") as surroundings,
        Sandbox("bubblewrap", LIMITS["long"], INTERFACE, checks=False) as first,
        Sandbox("bubblewrap", LIMITS["short"], INTERFACE, checks=False) as second,
        ThreadPoolExecutor(2) as threads,
    ):

        def attack(_: int) -> list[Finished]:
            sandbox = first if shared else second
            return [sandbox.run(surroundings.fill(one.code), Tools()) for one in FORGERS]

        attacks = [threads.submit(attack, number) for number in range(1 if shared else ROUNDS)]
        for number in range(ROUNDS * 10):
            finished = first.run(harmless(number), Tools())
            assert finished == Finished("ok", [f"you asked question {number}"] * 5)
        ended = [finished for one in attacks for finished in one.result()]
    assert len(FORGERS) == 4
    assert all(WITNESS not in str(one.value) for one in ended)
    assert {one.outcome for one in ended} <= {"ok", "error", "time", "forbidden"}
