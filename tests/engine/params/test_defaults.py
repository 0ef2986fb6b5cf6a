"""Defaults in files, how params.yaml is laid over them, and `whatif params`, which prints what is in force."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from tests.command_line import refused, whatif
from tests.defaults import PARAMS
from whatif import benchmarks
from whatif.benchmarks.discovery import modules
from whatif.commands.params import settings_text
from whatif.engine.params.base import Settings, Span
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.engine.params.defaults import WHOLE, over, read_defaults
from whatif.engine.params.whole import Params, plain

DOCUMENTED = {name: file for name in modules() if (file := benchmarks.defaults_file(name))}


class _Inner(Settings):
    span: Span
    clip: LocalCheckpoint
    models: dict[str, Span]
    names: list[str]
    none: Span | None


DEFAULT: dict[str, Any] = {
    "span": {"low": 0.1, "high": 0.9},
    "clip": {"checkpoint": "a", "device": "cuda", "batch_size": 3},
    "models": {"one": {"low": 0, "high": 1}},
    "names": ["a", "b"],
    "none": {"low": 0, "high": 1},
}


@pytest.mark.parametrize(
    ("given", "laid"),
    [
        ({"span": {"low": 0.2}}, {"span": {"low": 0.2, "high": 0.9}}),
        ({"span": None}, {}),  # an empty section sets nothing
        ({"none": None}, {"none": None}),
        ({"none": {"low": 0.5}}, {"none": {"low": 0.5, "high": 1}}),
        ({"names": ["c"]}, {"names": ["c"]}),
        ({"models": {"two": {"low": 0, "high": 2}}}, {"models": {"two": {"low": 0, "high": 2}}}),
        ({"clip": {"batch_size": 4}}, {"clip": {"checkpoint": "a", "device": "cuda", "batch_size": 4}}),
        ({"clip": {"checkpoint": "a", "batch_size": 4}}, {"clip": {**DEFAULT["clip"], "batch_size": 4}}),
        ({"clip": {"checkpoint": "b"}}, {"clip": {"checkpoint": "b"}}),  # the rest was about the other checkpoint
        ({"spam": 1}, {"spam": 1}),  # whose name is checked later
        ({"span": 3}, {"span": 3}),
    ],
)
def test_a_section_is_laid_over_its_default_key_by_key(given: Any, laid: Any) -> None:
    assert over(given, DEFAULT, _Inner) == {**DEFAULT, **laid}


def test_a_mapping_with_names_of_ones_own_is_replaced() -> None:
    """So that an entry can be removed."""
    values = yaml.safe_load(PARAMS.read_text(encoding="utf-8"))
    values["generate"]["mucr"]["generators"] = {"mine": {"adapter": "scenes", "side": 64}}
    values["extract"]["coco-counterfactuals-training"]["retrieval"] = {"scenes": {"scenes": 10}}
    laid = benchmarks.in_force(values)
    assert list(laid["generate"]["mucr"]["generators"]) == ["mine"]
    assert list(laid["extract"]["coco-counterfactuals-training"]["retrieval"]) == ["scenes"]
    assert laid["generate"]["mucr"]["candidates"] == 4


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_defaults_of_a_benchmark_are_all_of_its_settings_and_name_no_model(name: str) -> None:
    file = DOCUMENTED[name]
    kind = benchmarks.benchmark(name).settings
    values = read_defaults(file)
    assert list(values) == list(kind.model_fields)
    kind(**values).check({})
    for stage, section in values.items():
        declared = kind.model_fields[stage].annotation
        assert isinstance(declared, type) and issubclass(declared, BaseModel)
        assert set(section) == set(declared.model_fields) - {"judge", "probes"}, stage
    _, *comments = [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()[:1] == "#"]
    printed = [line.strip() for line in settings_text(None, [name]).splitlines()]
    assert [line for line in comments if line not in printed] == []


def test_what_has_no_default_is_explained_all_the_same() -> None:
    values = read_defaults(WHOLE)
    assert [key for key, value in values.items() if value is None] == ["seed", "benchmarks", "models", "judge"]
    assert list(yaml.safe_load(settings_text(None))) == list(values)


def settings_of(params: Params) -> Any:
    sections = {name: plain(section) for name, section in params.sections.items()}
    return params.seed, params.benchmarks, {key: plain(one) for key, one in params.models.items()}, sections


@pytest.mark.parametrize("options", [(), ("--changed",)])
@pytest.mark.parametrize("file", [PARAMS, PARAMS.parent / "docs" / "paper-scale.yaml"], ids=lambda file: file.stem)
def test_what_is_printed_gives_the_same_settings(file: Path, options: tuple[str, ...], folder: Path) -> None:
    path = folder / "params.yaml"
    path.write_bytes(file.read_bytes())
    before = settings_of(benchmarks.load_params())
    path.write_text(whatif("params", *options).stdout, encoding="utf-8")
    assert settings_of(benchmarks.load_params()) == before


def test_each_value_that_params_yaml_sets_has_its_line(folder: Path) -> None:
    (folder / "params.yaml").write_text(
        "seed: 1\nbenchmarks: [scenes]\nmodels:\n  random: {adapter: random}\n"
        "generate:\n  scenes:\n    guidance: {low: 2.0}\n",
        encoding="utf-8",
    )
    guidance = "    guidance: {low: 2.0, high: 3.0}  # params.yaml:7"
    assert whatif("params", "scenes", "--changed").stdout.splitlines()[-1] == guidance
    every = whatif("params").stdout
    assert [line for line in every.splitlines() if "# params.yaml:" in line] == [
        "seed: 1  # params.yaml:1",
        "benchmarks: [scenes]  # params.yaml:2",
        "  random: {adapter: random}  # params.yaml:4",
        guidance,
    ]
    assert "    # Sampled for each candidate." in every and "cfmm" not in yaml.safe_load(every)["extract"]


def test_one_benchmark_one_key_and_a_name_that_is_neither(folder: Path) -> None:
    (folder / "params.yaml").write_bytes(PARAMS.read_bytes())
    assert {name for of in yaml.safe_load(whatif("params", "cfmm").stdout).values() for name in of} == {"cfmm"}
    assert yaml.safe_load(whatif("params", "filter.scenes.movement").stdout) == {
        "filter": {"scenes": {"movement": 0.1}}
    }
    assert list(yaml.safe_load(whatif("params", "models", "seed").stdout)) == ["seed", "models"]
    other = whatif("params", "cvqa-synthetic-released").stdout  # not selected: its defaults
    assert yaml.safe_load(other)["evaluate"] == {
        "cvqa-synthetic-released": {"ask": "rank", "shards": 4, "program_labels": None, "human_attempts": []}
    }
    assert refused(whatif("params", "filter.scenes.move")).startswith("filter.scenes.move: is neither a benchmark with")
