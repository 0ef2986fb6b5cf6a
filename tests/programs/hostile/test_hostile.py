"""No hostile program gets out of the sandbox, stops the run, or changes what the next program sees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.programs.hostile.catalogue import HostileProgram, load
from tests.programs.hostile.harness import Trial
from tests.programs.hostile.surroundings import Surroundings

PROGRAMS = load()


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    folder: Path = tmp_path_factory.mktemp("surroundings")
    with Surroundings(folder) as planted:
        yield planted


@pytest.fixture(scope="module", params=[True, False], ids=["checked", "unchecked"])
def trial(request: pytest.FixtureRequest, surroundings: Surroundings) -> Iterator[Trial]:
    with Trial(surroundings, checks=request.param) as running:
        yield running
    assert not running.after()


@pytest.mark.process
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.id)
def test_a_hostile_program_is_contained(trial: Trial, program: HostileProgram) -> None:
    attempt = trial.attempt(program)
    assert not attempt.problems, f"{attempt.finished.outcome}: {attempt.finished.reason}"
