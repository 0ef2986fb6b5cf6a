"""The line of headline numbers of a benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.defaults import ROOT
from whatif import benchmarks
from whatif.commands.summary import headline
from whatif.engine.errors import WhatifError


def test_the_headline_has_the_first_number_of_each_model(tmp_path: Path) -> None:
    file = tmp_path / "toy.json"
    file.write_text(json.dumps({m: {"recall_at_1": n, "errors": 0} for m, n in (("clip", 82.125), ("vilt", 7))}))
    assert headline(file) == "recall at 1 clip 82.12, vilt 7"
    file.write_text(json.dumps({f"m{n}": {"x": n, "name": "no number", "gone": None} for n in range(10)}))
    assert headline(file) == "x m0 0, m1 1, m2 2, m3 3, m4 4, m5 5, m6 6, m7 7 and 2 more"


def test_a_file_that_is_missing_or_broken_is_said(tmp_path: Path) -> None:
    assert headline(tmp_path / "toy.json").endswith(
        "toy.json is not there yet; `dvc repro` or `snakemake --cores 2` makes it"
    )
    (tmp_path / "toy.json").write_text("{}")
    assert headline(tmp_path / "toy.json") == "no numbers"
    (tmp_path / "toy.json").write_text("{")
    with pytest.raises(WhatifError, match=r"toy\.json: is not JSON"):
        headline(tmp_path / "toy.json")


def test_the_headline_has_the_measures_that_a_benchmark_names(tmp_path: Path) -> None:
    file = tmp_path / "toy.json"
    file.write_text('{"a": {"x": 1, "y": 2}, "b": {"y": 3, "z": 4}}', encoding="utf-8")
    assert headline(file) == "y a 2, b 3", "the one that most models have"
    assert headline(file, ("x", "z", "gone")) == "x a 1; z b 4"
    assert headline(file, ("gone",)) == "y a 2, b 3"


def test_the_measures_that_benchmarks_name_are_among_their_metrics() -> None:
    named = {name: benchmarks.benchmark(name).headline for name in benchmarks.installed()}
    for name, measures in named.items():
        path = ROOT / "metrics" / f"{name}.json"
        if measures and path.exists():
            found = path.read_text(encoding="utf-8")
            assert all(f'"{measure}": ' in found for measure in measures), name
    assert named["cvqa-synthetic"] == ("original", "counterfactual")
