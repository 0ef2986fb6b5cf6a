"""The shipped parameters without what needs a checkpoint or takes long."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
PARAMS = ROOT / "params.yaml"
BASELINES = ("random", "first-option", "majority")
OFFLINE_WRITERS = {"direct": ["rules"], "indirect": ["scenes"], "boolean": ["rules"]}  # of cvqa-real; no chat model


def shipped_values() -> dict[str, Any]:
    """The values of the shipped params.yaml over the defaults of every benchmark that has some: all that may be set."""
    return copy.deepcopy(_shipped())


@cache
def _shipped() -> dict[str, Any]:
    from whatif import benchmarks
    from whatif.benchmarks.discovery import defaults_file, modules

    every = [name for name in modules() if defaults_file(name)]
    values = benchmarks.in_force(yaml.safe_load(PARAMS.read_text(encoding="utf-8")), PARAMS, every)
    plain: dict[str, Any] = yaml.safe_load(yaml.safe_dump(values, sort_keys=False))  # nothing is shared
    return plain


def puzzles_and_baselines() -> dict[str, Any]:
    """The values of params.yaml with the benchmark cvqa-synthetic and the baselines alone."""
    values = shipped_values()
    values["benchmarks"] = ["cvqa-synthetic"]
    values["models"] = {key: values["models"][key] for key in BASELINES}
    values["generate"]["cvqa-real"]["writers"] = OFFLINE_WRITERS
    return values


def name_no_model(values: dict[str, Any]) -> None:
    """Takes out of values what names a model besides evaluations, so that a test may replace `models`."""
    values["generate"]["cvqa-real"]["writers"] = OFFLINE_WRITERS
    values["evaluate"]["mucr"]["fine_tuning"]["models"] = []
    values["evaluate"]["coco-counterfactuals-training"]["models"] = {}
