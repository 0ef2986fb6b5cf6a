"""Benchmarks of other packages: found by their entry points, and an error only where they are used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from tests.defaults import PARAMS
from whatif import benchmarks
from whatif.benchmarks import discovery
from whatif.cli import main
from whatif.errors import WhatifError


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package whose benchmark cannot be imported."""
    (tmp_path / "broken_benchmark.py").write_text("import no_such_module\n", encoding="utf-8")
    information = tmp_path / "broken_benchmark-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-benchmark\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[whatif.benchmarks]\nbroken = broken_benchmark\n")
    monkeypatch.syspath_prepend(tmp_path)
    discovery.modules.cache_clear()
    yield
    discovery.modules.cache_clear()


def test_a_broken_package_is_an_error_only_where_it_is_used(broken: None) -> None:
    assert "broken" in benchmarks.installed()
    with pytest.raises(WhatifError, match=r"benchmark broken: broken_benchmark cannot be imported \(No module named"):
        benchmarks.benchmark("broken")
    assert "--model" in CliRunner().invoke(main, ["evaluate", "--help"]).stdout


def test_a_key_of_a_model_is_shown_as_it_is_written() -> None:
    values = yaml.safe_load(PARAMS.read_text(encoding="utf-8"))
    values["benchmarks"] = ["cvqa-real"]
    values["evaluate"]["cvqa-real"]["sampled_models"] = ["{model}"]
    with pytest.raises(WhatifError, match=r"evaluate\.cvqa-real\.sampled_models: '\{model\}' is not a key of models"):
        benchmarks.check_params(values)
