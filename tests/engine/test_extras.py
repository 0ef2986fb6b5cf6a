"""The extras of the distribution: what they bring, and the line that names the one that is missing."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.command_line import refused, whatif
from tests.defaults import ROOT
from whatif.engine.extras import EXTRAS, how_to_install


def declared() -> dict[str, set[str]]:
    """Extra -> distributions, and those of the light installation under the name ``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    everything = {"": project["dependencies"], **project["optional-dependencies"]}
    return {name: {normal(one) for one in of} for name, of in everything.items()}


def normal(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s;\[<>=]", requirement)[0]).lower()


def test_every_module_is_brought_by_its_extra_and_not_by_the_light_installation() -> None:
    found, wanted = packages_distributions(), declared()
    brought: dict[str, set[str]] = {}
    for extra, modules in EXTRAS.items():
        for module in modules:
            names = {normal(name) for name in found.get(module, [])} & wanted[extra]
            assert names, f"{extra}: no requirement brings {module}"
            assert not names & wanted[""], module
            brought.setdefault(extra, set()).update(names)
    for extra, names in brought.items():  # psutil and jsonschema are in `pipeline` as well
        assert wanted[extra] - names <= {"jsonschema", "psutil"}, extra


def test_the_first_extra_that_brings_a_module_is_named() -> None:
    assert how_to_install("snakemake.utils") == (
        "snakemake is not installed; it comes with the extra `pipeline`: pip install 'whatif-bench[pipeline]'"
    )
    assert how_to_install("torch.nn") is not None and how_to_install("numpy") is None


def test_a_command_without_its_package_says_so_in_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert refused(whatif("resume")) == how_to_install("psutil")
