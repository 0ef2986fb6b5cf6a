"""The settings of models that answer by programs: which are rejected, and which make an evaluation stale."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import yaml

from tests.defaults import name_no_model, shipped_values
from whatif import benchmarks
from whatif.engine.errors import WhatifError
from whatif.engine.params.programs import Detector, ModelTools, Writer
from whatif.models import OF_PARTS, PARTS

API = {"adapter": "api", "model": "m", "base_url": "http://localhost:1/v1"}
TOOLS = {
    "kind": "models",
    "detector": {"checkpoint": "a"},
    "query": dict(API),
    "matcher": {"checkpoint": "b"},
    "depth": {"checkpoint": "c"},
}
ENTRY = {"adapter": "vipergpt", "benchmarks": ["cvqa-real"], "writer": dict(API), "tools": TOOLS}


def values_with(entry: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = shipped_values()
    values["benchmarks"] = ["cvqa-real"]
    values["models"] = {"viper": entry}
    name_no_model(values)
    return values


def changed(place: str, value: Any) -> dict[str, Any]:
    entry: dict[str, Any] = yaml.safe_load(yaml.safe_dump(ENTRY))
    *folders, key = place.split(".")
    inner = entry
    for folder in folders:
        inner = inner.setdefault(folder, {})
    inner[key] = value
    return entry


@functools.cache
def read_at_first() -> dict[str, Any]:
    """What the evaluation reads before anything is changed."""
    return read_by_its_evaluation(ENTRY)


def read_by_its_evaluation(entry: dict[str, Any]) -> dict[str, Any]:
    graph = benchmarks.graph(benchmarks.check_params(values_with(entry)))
    jobs = [job for job in graph.jobs if job.step.stage == "evaluate" and job.model_key == "viper"]
    assert jobs
    return jobs[0].plain_parameters


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("name", "Another name"),
        ("writer.concurrency", 3),
        ("writer.timeout_seconds", 30),
        ("writer.retries", 1),
        ("writer.token_budget", 10_000),
        ("writer.name", "A writer"),
        ("tools.query.concurrency", 2),
        ("tools.detector.batch_size", 1),
        ("tools.matcher.batch_size", 1),
        ("tools.depth.batch_size", 1),
    ],
)
def test_what_changes_no_answer_makes_no_evaluation_stale(place: str, value: Any) -> None:
    assert read_by_its_evaluation(changed(place, value)) == read_at_first()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("writer.model", "another"),
        ("writer.max_new_tokens", 100),
        ("writer.decoding", {"temperature": 0.1}),
        ("tools.detector.checkpoint", "another"),
        ("tools.detector.least_score", 0.2),
        ("tools.query.model", "another"),
        ("tools.depth", None),
        ("limits.calls", 3),
        ("sandbox", "none"),
        ("interface_file", "prompt.txt"),
    ],
)
def test_what_may_change_answers_makes_the_evaluation_stale(place: str, value: Any) -> None:
    assert read_by_its_evaluation(changed(place, value)) != read_at_first()


def test_costs_are_those_of_the_writer() -> None:
    prices = {"price_per_million_prompt_tokens": 0.5, "price_per_million_response_tokens": 1.5}
    entry = changed("writer", {**API, **prices})
    assert read_by_its_evaluation(entry) == read_at_first()
    graph = benchmarks.graph(benchmarks.check_params(values_with(entry)))
    shown = [job.shown["model"]["viper"] for job in graph.jobs if job.shown and "viper" in job.shown.get("model", {})]
    assert shown
    assert all({name: fields[name] for name in prices} == prices for fields in shown if "limit" in fields)


def test_the_nested_entries_are_those_of_the_settings() -> None:
    assert {part.partition(".")[2] for part in PARTS if part.startswith("tools.")} == set(ModelTools.model_fields) - {
        "kind"
    }
    known = {name for one in Writer.__origin__.__args__ for name in one.model_fields} | set(Detector.model_fields)  # type: ignore[attr-defined]
    assert set(OF_PARTS) <= known


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            changed("writer", {"adapter": "rules"}) | {"interface_file": "p.txt"},
            "interface_file is the prompt of a model",
        ),
        (changed("writer", {"adapter": "file", "programs": "a.csv", "columns": ["a", "a"]}), "two different columns"),
        (changed("writer.decoding", {"samples": 3, "temperature": 1.0}), "samples is 3"),
        (changed("writer", {"adapter": "nobody"}), "writer"),
        (changed("tools", {"kind": "oracle", "detector": {}}), "detector"),
        (changed("sandbox", "docker"), "sandbox"),
        (changed("limits", {"seconds": 0}), "seconds"),
    ],
)
def test_settings_that_cannot_work_are_rejected(entry: dict[str, Any], words: str) -> None:
    with pytest.raises(WhatifError, match=words):
        benchmarks.check_params(values_with(entry))
