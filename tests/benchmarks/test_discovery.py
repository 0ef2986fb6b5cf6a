"""Benchmarks of other packages: found by their entry points, and an error only where they are used."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from tests.defaults import puzzles_and_baselines, shipped_values
from whatif import benchmarks
from whatif.benchmarks import discovery
from whatif.commands.cli import main
from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow

FAULTS = {
    "import no_such_module\n": "broken_benchmark cannot be imported (No module named 'no_such_module')",
    "class Panic(BaseException): ...\nraise Panic('at the disco')\n": (
        "broken_benchmark cannot be imported (Panic: at the disco)"
    ),
    "import sys\nsys.exit(3)\n": "broken_benchmark cannot be imported (SystemExit: 3)",
    "def (:\n": "broken_benchmark cannot be imported (SyntaxError: invalid syntax (broken_benchmark.py, line 1))",
    "1 / 0\n": "broken_benchmark cannot be imported (ZeroDivisionError: division by zero)",
    "NOTHING = 1\n": "broken_benchmark must define `BENCHMARK`, a whatif Benchmark named 'broken'",
}


@pytest.fixture(params=FAULTS)
def broken(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What is wrong with the benchmark of an installed package."""
    (tmp_path / "broken_benchmark.py").write_text(request.param, encoding="utf-8")
    information = tmp_path / "broken_benchmark-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-benchmark\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[whatif.benchmarks]\nbroken = broken_benchmark\n")
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("broken_benchmark", None)
    caches = (discovery.modules, discovery._registered, discovery._fault)
    for cached in caches:
        cached.cache_clear()
    yield FAULTS[request.param]
    for cached in caches:
        cached.cache_clear()


def test_a_broken_package_is_an_error_only_where_it_is_used(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "broken" in benchmarks.installed()
    with pytest.raises(WhatifError, match=re.escape(f"benchmark broken: {broken}")):
        benchmarks.benchmark("broken")
    assert "--model" in CliRunner().invoke(main, ["evaluate", "--help"]).stdout
    monkeypatch.chdir(tmp_path)
    values = puzzles_and_baselines()
    values["generate"]["broken"] = {"number": 3}  # a section, although it is not selected
    params = tmp_path / "params.yaml"
    params.write_text(yaml.safe_dump(values), encoding="utf-8")
    found = CliRunner().invoke(main, ["status"])
    assert (found.exit_code, found.stderr) == (0, f"warning: benchmark broken: {broken}; it is left out\n")
    assert "missing" in found.stdout
    params.write_text(yaml.safe_dump({**values, "benchmarks": ["broken"]}), encoding="utf-8")
    found = CliRunner().invoke(main, ["status"])
    assert (found.exit_code, found.stderr) == (2, f"whatif: benchmark broken: {broken}\n")


def test_a_key_of_a_model_is_shown_as_it_is_written() -> None:
    values = shipped_values()
    values["benchmarks"] = ["cvqa-real"]
    values["evaluate"]["cvqa-real"]["sampled_models"] = ["{model}"]
    with pytest.raises(WhatifError, match=r"evaluate\.cvqa-real\.sampled_models: '\{model\}' is not a key of models"):
        benchmarks.check_params(values)
