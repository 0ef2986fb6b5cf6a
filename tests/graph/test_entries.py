"""A job that is divided by the entries of a mapping reads only its own entry."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from whatif.graph.reading import read
from whatif.params.base import BenchmarkSettings, Settings
from whatif.params.checkpoints import LocalCheckpoint


class Making(Settings):
    number: int
    makers: dict[str, LocalCheckpoint]


class Sections(BenchmarkSettings):
    generate: Making


class Picked(NamedTuple):
    number: int
    makers: dict[str, LocalCheckpoint]


SETTINGS = Sections(
    generate=Making(
        number=3,
        makers={"a": LocalCheckpoint(checkpoint="folder/a"), "b": LocalCheckpoint(checkpoint="folder/b")},
    )
)


@pytest.mark.parametrize(("only", "kept"), [((), "ab"), (("a",), "a"), (("b", "part-000-of-001"), "b"), (("c",), "ab")])
def test_only_the_entries_of_a_job_are_read(only: tuple[str, ...], kept: str) -> None:
    reading = read(lambda s: Picked(s.generate.number, s.generate.makers), "toy", SETTINGS, only)
    assert "".join(reading.settings.makers) == "".join(reading.values["generate.toy.makers"]) == kept
    assert reading.settings.number == reading.values["generate.toy.number"] == 3
    assert reading.outside == tuple(f"folder/{name}" for name in kept)
