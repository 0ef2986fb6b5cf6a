"""The settings of training with counterfactuals: what is refused, and which jobs follow from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from tests.defaults import PARAMS, shipped_values
from whatif import benchmarks
from whatif.engine.errors import WhatifError
from whatif.engine.graph.graph import Graph

pytestmark = pytest.mark.slow

NAME = "coco-counterfactuals-training"
Values = dict[str, Any]


def graph_with(change: Callable[[Values], None] = lambda values: None) -> Graph:
    values: Values = shipped_values()
    change(values)
    return benchmarks.graph(benchmarks.check_params(values))


def setting(path: str, value: Any) -> Callable[[Values], None]:
    def change(values: Values) -> None:
        stage, *keys, last = path.split(".")
        place = values[stage][NAME]
        for key in keys:
            place = place[key]
        place[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("extract.pairs", "coco-counterfactuals", "need the captions of their photographs"),
        ("extract.retrieval", {"withheld": {"scenes": 20}}, "is the name of the withheld counterfactuals"),
        ("extract.retrieval.scenes", {}, "give either captions or scenes"),
        ("extract.retrieval.scenes", {"scenes": 20, "captions": "x.csv"}, "give either captions or scenes"),
        ("extract.classification.things", {"drawn": "things"}, "give number with drawn"),
        ("extract.classification.things", {"images": "x", "prompt": "a photo"}, "must contain {} once"),
        ("generate.leak_free", ["ms-coco", "base", "other"], "leak_free"),
        ("generate.mixtures", ["ms-coco"], "leak_free: withheld-counterfactuals is not among the mixtures"),
        ("aggregate.in_domain", "photographs", "photographs is not in extract.coco-counterfactuals-training.retrieval"),
        ("evaluate.models", {"nobody": {"seeds": [1], "recipe": {}}}, "is not a key of models"),
        ("evaluate.models", {"vilt": {"seeds": [1], "recipe": {}}}, "only a dual-encoder is trained"),
        ("evaluate.models", {"clip": {"seeds": [], "recipe": {}}}, "seeds"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_would_be_right(path: str, value: Any, told: str) -> None:
    with pytest.raises(WhatifError) as raised:
        graph_with(setting(path, value))
    assert told in str(raised.value)
    assert "captions_per_image" not in str(raised.value), "a section that contradicts itself is not printed as a whole"


def test_a_mixture_that_is_trained_on_must_be_made() -> None:
    def change(values: Values) -> None:
        setting("generate.mixtures", ["ms-coco", "base"])(values)
        setting("generate.leak_free", [])(values)
        setting("evaluate.models", {"clip": {"seeds": [1], "mixtures": ["all"], "recipe": {}}})(values)

    with pytest.raises(WhatifError, match=r"models\.clip\.mixtures: all is not among generate"):
        graph_with(change)


def test_each_model_has_a_job_for_its_own_seeds_and_for_the_checkpoint_as_it_was() -> None:
    one = {"recipe": {}, "seeds": [107]}
    several = {"recipe": {}, "seeds": [107, 108, 109]}

    def change(values: Values) -> None:
        values["models"]["second"] = {"adapter": "dual-encoder", "checkpoint": "embedded:clip"}
        setting("evaluate.models", {"clip": several, "second": one})(values)

    (step,) = benchmarks.benchmark(NAME).steps_of("evaluate")
    jobs = [(job.wildcards["trained"], job.wildcards["seed"]) for job in graph_with(change).jobs_of(step)]
    assert jobs == [
        *(("clip", seed) for seed in ("pre-trained", "seed-107", "seed-108", "seed-109")),
        *(("second", seed) for seed in ("pre-trained", "seed-107")),
    ]


def test_the_pairs_of_another_benchmark_are_read_only_where_they_are_chosen() -> None:
    (step,) = benchmarks.benchmark(NAME).steps_of("verify")

    def read(graph: Graph) -> list[str]:
        (job,) = graph.jobs_of(step)
        return [path.parts[2] for path in job.input_paths]

    assert set(read(graph_with())) == {NAME}

    def change(values: Values) -> None:
        setting("extract.pairs", "coco-counterfactuals")(values)
        setting("extract.captions", "captions.json")(values)

    assert set(read(graph_with(change))) == {NAME, "coco-counterfactuals"}


def test_the_seeds_of_the_paper_are_those_of_paper_scale() -> None:
    values = yaml.safe_load((PARAMS.parent / "docs" / "paper-scale.yaml").read_text(encoding="utf-8"))
    trained = values["evaluate"][NAME]["models"]
    assert trained["clip"]["seeds"] == list(range(107, 132))
    assert {key: one["recipe"]["epochs"] for key, one in trained.items()} == {
        "clip": 30,
        "bridgetower-itc": 15,
        "flava": 15,
    }
    assert {key: one["recipe"]["batch_size"] for key, one in trained.items()} == {
        "clip": 128,
        "bridgetower-itc": 14,
        "flava": 32,
    }
