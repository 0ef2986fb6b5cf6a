"""Which places in `params.yaml` a step reads; one that is divided by the entries of a mapping only its own entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from whatif.engine.graph.reading import first_of, places, read
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.params.checkpoints import LocalCheckpoint


class Evaluate(Settings):
    strategies: list[str]
    files: list[SourcePath]


class Own(BenchmarkSettings):
    evaluate: Evaluate


OWN = Own(evaluate=Evaluate(strategies=["direct", "cot"], files=["a.csv", "b.csv"]))


@pytest.mark.parametrize(
    ("reads", "picked", "values", "outside"),
    [
        (lambda s: first_of(s.evaluate.strategies), "direct", {"evaluate.b.strategies.0": "direct"}, ()),
        (lambda s: first_of(s.evaluate.files), "a.csv", {"evaluate.b.files.0": "a.csv"}, ("a.csv",)),
        (lambda s: s.evaluate.strategies, ["direct", "cot"], {"evaluate.b.strategies": ["direct", "cot"]}, ()),
    ],
)
def test_a_step_that_reads_the_first_entry_does_not_depend_on_the_others(
    reads: Callable[[Any], Any], picked: Any, values: dict[str, Any], outside: tuple[str, ...]
) -> None:
    found = read(reads, "b", OWN)
    assert (found.settings, found.values, found.outside) == (picked, values, outside)
    assert places(reads, "b", Own) == list(values)


def test_a_setting_below_an_entry_does_not_exist() -> None:
    with pytest.raises(
        AttributeError, match=r"evaluate\.strategies\.0 of b: there is no 'name'; there are no settings"
    ):
        places(lambda s: first_of(s.evaluate.strategies).name, "b", Own)


def test_a_setting_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(AttributeError, match=r"settings of b: there is no 'evaluat'; there are .*evaluate"):
        places(lambda s: s.evaluat, "b", Own)


class Making(Settings):
    number: int
    makers: dict[str, LocalCheckpoint]


class Made(BenchmarkSettings):
    generate: Making


class Picked(NamedTuple):
    number: int
    makers: dict[str, LocalCheckpoint]


MADE = Made(
    generate=Making(
        number=3,
        makers={"a": LocalCheckpoint(checkpoint="folder/a"), "b": LocalCheckpoint(checkpoint="folder/b")},
    )
)


@pytest.mark.parametrize(("only", "kept"), [((), "ab"), (("a",), "a"), (("b", "part-000-of-001"), "b"), (("c",), "ab")])
def test_only_the_entries_of_a_job_are_read(only: tuple[str, ...], kept: str) -> None:
    reading = read(lambda s: Picked(s.generate.number, s.generate.makers), "toy", MADE, only)
    assert "".join(reading.settings.makers) == "".join(reading.values["generate.toy.makers"]) == kept
    assert reading.settings.number == reading.values["generate.toy.number"] == 3
    assert reading.outside == tuple(f"folder/{name}" for name in kept)
