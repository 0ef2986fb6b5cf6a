"""No hostile program gets out of the sandbox, stops the run, or changes what the next program sees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.models.programs.hostile.catalogue import HostileProgram, load
from tests.models.programs.hostile.harness import Trial
from tests.models.programs.hostile.surroundings import Surroundings


def attempts() -> list[Any]:
    """Each program with and without the static check. The first of each kind and usual end stays out of the soak."""
    found, seen = [], set()
    for checks, name in ((True, "checked"), (False, "unchecked")):
        for one in load():
            alike = checks, one.kind, one.accepted[checks][0]
            marks = [pytest.mark.soak] if alike in seen else []
            seen.add(alike)
            found.append(pytest.param(checks, one, id=f"{name}-{one.id}", marks=marks))
    return found


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    folder: Path = tmp_path_factory.mktemp("surroundings")
    with Surroundings(folder) as planted:
        yield planted


@pytest.fixture(scope="module")
def trial(request: pytest.FixtureRequest, surroundings: Surroundings) -> Iterator[Trial]:
    with Trial(surroundings, checks=request.param) as running:
        yield running
    assert not running.after()


@pytest.mark.process
@pytest.mark.parametrize(("trial", "program"), attempts(), indirect=["trial"])
def test_a_hostile_program_is_contained(trial: Trial, program: HostileProgram) -> None:
    attempt = trial.attempt(program)
    assert not attempt.problems, f"{attempt.finished.outcome}: {attempt.finished.reason}"
