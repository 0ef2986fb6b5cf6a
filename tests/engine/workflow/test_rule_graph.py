"""The picture of the rules: every rule is in it, and every dependency is a line or follows from lines."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.defaults import ROOT
from whatif import benchmarks
from whatif.engine.errors import WhatifError
from whatif.engine.graph.graph import Graph
from whatif.engine.workflow.rule_graph import rule_graph

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def graph() -> Graph:
    return benchmarks.graph(benchmarks.load_params(ROOT / "params.yaml"))


def test_every_rule_is_drawn_with_its_number_of_jobs(graph: Graph) -> None:
    root = ElementTree.fromstring(rule_graph(graph))
    drawn = [title.text for title in root.iter(f"{SVG}title")]
    steps = [step for one in graph.benchmarks.values() for step in one.steps]
    counts = {step.rule: len(graph.jobs_of(step)) for step in steps}
    assert sorted(map(str, drawn)) == sorted(
        f"{rule}: {number:,} job{'' if number == 1 else 's'}" for rule, number in counts.items()
    )
    assert sum(counts.values()) == len(graph.jobs)


def test_nothing_is_drawn_outside_the_picture(graph: Graph) -> None:
    root = ElementTree.fromstring(rule_graph(graph))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for box in root.iter(f"{SVG}rect"):
        assert float(box.get("x", 0)) + float(box.attrib["width"]) <= width
        assert float(box.get("y", 0)) + float(box.attrib["height"]) <= height
    for line in root.iter(f"{SVG}path"):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", line.attrib["d"])]
        assert all(0 <= x <= width for x in numbers[::2]) and all(0 <= y <= height for y in numbers[1::2])


def test_one_benchmark_alone(graph: Graph) -> None:
    text = rule_graph(graph, ["scenes"])
    assert "scenes" in text and "cfmm" not in text
    # extract, generate, filter, verify in a row; then evaluate -> judge -> aggregate beside people, probes and pairs.
    assert text.count('class="input') == 12


def test_the_picture_in_the_readme_is_of_the_default_run(graph: Graph) -> None:
    assert (ROOT / "docs/images/graph.svg").read_text("utf-8") == rule_graph(graph), "run `whatif graph --svg` again"


def test_an_unknown_benchmark_is_named(graph: Graph) -> None:
    with pytest.raises(WhatifError, match=r"ours: is not among the benchmarks of params\.yaml"):
        rule_graph(graph, ["ours"])
