"""A missing or an empty section: the message names the keys that it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from tests.engine.graph.toy import ToySettings
from whatif.engine.errors import WhatifError
from whatif.engine.params.base import Settings
from whatif.engine.params.files import read_settings
from whatif.engine.params.whole import check


class _Plain(Settings):
    adapter: Literal["plain"]
    size: int


class _Other(Settings):
    adapter: Literal["other"]
    weights: str


class _Needs(Settings):
    first: int
    second: str = "x"


class _Loose(Settings):
    labels: str = ""


class _Root(Settings):
    needs: _Needs
    model: Annotated[_Plain | _Other, Field(discriminator="adapter")]
    loose: _Loose
    number: int
    many: dict[str, int] = Field(default_factory=dict)


def test_a_section_a_kind_of_model_and_a_section_without_needs(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(WhatifError) as raised:
        read_settings(_Root, path)
    assert [line.partition(": ")[2] for line in str(raised.value).splitlines()] == [
        "loose: is missing; all of its keys are optional (`labels`), so `{}` is enough",
        "model: is missing; it needs `adapter`",
        "needs: is missing; it needs `first`",
        "number: is missing",
    ]


def test_an_empty_section_is_told_what_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_text("needs:\nmodel:\nloose:\nmany:\nnumber:\n", encoding="utf-8")
    with pytest.raises(WhatifError) as raised:
        read_settings(_Root, path)
    assert [line.partition("file.yaml:")[2] for line in str(raised.value).splitlines()] == [
        "1: needs: is empty; it needs `first`",
        "2: model: is empty; it needs `adapter`",
        "3: loose: is empty; all of its keys are optional (`labels`), so `{}` is enough",
        "4: many: is empty; it must contain keys and values",
        "5: number: is None; input should be a valid integer",
    ]


def test_a_benchmark_without_defaults_says_which_sections_it_needs() -> None:
    values = {"seed": 1, "benchmarks": ["toy"], "models": {"first": {"adapter": "random"}}}
    with pytest.raises(WhatifError, match="generate: is missing; it needs `toy`"):
        check(values, {"toy": ToySettings}, ["toy"])
