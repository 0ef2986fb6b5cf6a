"""Which tables become stale when the settings of a model, or of an aggregation, change."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.defaults import shipped_values
from whatif import benchmarks
from whatif.benchmarks.discovery import released
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.params.whole import check

CFMM, MUCR, CVQA_SYNTHETIC, PUZZLES_RELEASED, CVQA_REAL, SCENES, COCO, RELEASED, TRAINING = (
    "cfmm",
    "mucr",
    "cvqa-synthetic",
    "cvqa-synthetic-released",
    "cvqa-real",
    "scenes",
    "coco-counterfactuals",
    "coco-counterfactuals-released",
    "coco-counterfactuals-training",
)
ASKING = {CFMM, MUCR, CVQA_SYNTHETIC, PUZZLES_RELEASED, CVQA_REAL, SCENES, *released()}  # benchmarks that ask questions
MATCHING = {SCENES, COCO, RELEASED}  # benchmarks that score captions and pictures
SITE = {"site"}  # which shows the kind of each model: one's own, embedded, by rules, or a guess
API = {
    "adapter": "api",
    "model": "m",
    "base_url": "http://localhost:1/v1",
    "price_per_million_prompt_tokens": 1.0,
    "price_per_million_response_tokens": 1.0,
}
Values = dict[str, Any]


def graph_of(values: Values) -> Graph:
    return benchmarks.graph(benchmarks.check_params(values))


def default_values() -> Values:
    values: Values = shipped_values()
    values["benchmarks"] = benchmarks.installed()
    values["models"]["endpoint"] = dict(API)
    values["models"]["theirs"] = {"adapter": "replay", "predictions": "theirs.csv"}
    return values


@cache
def before() -> dict[str, tuple[Any, ...]]:
    return decided_by_params(graph_of(default_values()), "aggregate")


def decided_by_params(graph: Graph, stage: str) -> dict[str, tuple[Any, ...]]:
    """Everything in `made_from` of the jobs of a stage that params.yaml decides, by the name of the job."""

    def part(job: Job) -> tuple[Any, ...]:
        return job.plain_parameters, job.inputs, job.source_paths, job.code_roots

    return {job.name: part(job) for job in graph.jobs if job.step.stage == stage}


def stale_after(change: Callable[[Values], None]) -> set[str]:
    """The jobs of the stage `aggregate` whose settings or inputs a change of params.yaml touches."""
    values = default_values()
    change(values)
    after = decided_by_params(graph_of(values), "aggregate")
    return {name.removeprefix("aggregate ") for name in after if after[name] != before().get(name)}


def setting(place: str, value: Any) -> Callable[[Values], None]:
    def change(values: Values) -> None:
        *folders, key = place.split(".")
        for folder in folders:
            values = values[folder]
        values[key] = value

    return change


@pytest.mark.parametrize(
    ("place", "value", "stale"),
    [
        ("models.another", {"adapter": "random"}, ASKING | SITE),
        ("models.another", {"adapter": "dual-encoder", "checkpoint": "another"}, MATCHING | SITE),
        ("models.endpoint.price_per_million_prompt_tokens", 2.5, ASKING),
        ("models.endpoint.timeout_seconds", 30, set()),
        ("models.endpoint.retries", 1, set()),
        ("models.endpoint.concurrency", 1, set()),
        ("models.llava-original.batch_size", 1, set()),
        ("models.llava-original.max_new_tokens", 9, set()),
        ("models.clip.batch_size", 1, set()),
        ("models.viper-models.limits", {"seconds": 3}, set()),
        ("evaluate.cvqa-real.program_labels", "labels.csv", set()),
        ("models.viper-oracle.name", "The oracle", {CVQA_SYNTHETIC, CVQA_REAL}),
        ("models.endpoint.name", "The endpoint", ASKING),
        ("models.clip.name", "CLIP", MATCHING),
        ("models.clip.checkpoint", "another", {COCO, RELEASED} | SITE),
        ("models.theirs.strategy", "cot", set()),  # asked nowhere
        ("models.theirs.strategy", "one-shot", {CFMM}),
        ("aggregate.coco-counterfactuals-training.confidence", 0.9, {TRAINING}),
        ("generate.coco-counterfactuals-training.validation_share", 0.1, set()),
        ("aggregate.cfmm.shown_items", 3, {CFMM}),
        ("aggregate.mucr.shown_pairs", 3, {MUCR}),
        ("evaluate.mucr.strategies", ["direct", "cot"], {MUCR}),
        ("generate.mucr.candidates", 2, set()),
        ("filter.mucr.kept", 2, set()),
        ("generate.cfmm.second_option", ["basic-answer"], {CFMM}),
        ("generate.coco-counterfactuals.captions.replacements", 3, set()),
        ("generate.coco-counterfactuals.pictures.candidates", 3, {COCO}),
        ("generate.scenes.guidance.low", 1.0, set()),
        ("generate.scenes.candidates", 3, {SCENES}),
        ("verify.coco-counterfactuals.labelled_three_times", 0.5, set()),
        ("aggregate.cvqa-synthetic.confidence", 0.9, {CVQA_SYNTHETIC}),
        ("aggregate.cvqa-synthetic-released.confidence", 0.9, {PUZZLES_RELEASED}),
        ("evaluate.cvqa-synthetic-released.ask", "generate", set()),
        (
            "aggregate.cvqa-synthetic.audit_folds",
            3,
            {f"{CVQA_SYNTHETIC} shortcuts original", f"{CVQA_SYNTHETIC} shortcuts counterfactual"},
        ),
    ],
)
def test_tables_depend_on_the_settings_that_they_show_and_on_no_others(place: str, value: Any, stale: set[str]) -> None:
    assert stale_after(setting(place, value)) == stale


def test_a_field_that_a_model_does_not_have_is_left_out_of_what_tables_show() -> None:
    from dataclasses import replace

    from tests.engine.graph.toy import MODEL, TOY, ToySettings
    from whatif.engine.graph.dimensions import Shown

    values = {**default_values(), "benchmarks": ["toy"], "generate": {"toy": {"shards": 1, "image_size": 1}}}
    for stage in ("extract", "filter", "verify", "evaluate", "aggregate"):
        del values[stage]
    for model in values["models"].values():
        model.pop("benchmarks", None)  # that are not installed here
    *before, last = TOY.steps
    showing = replace(TOY, steps=(*before, replace(last, shown=(Shown(MODEL, ("predictions",)),))))
    *_, job = Graph(check(values, {"toy": ToySettings}, ["toy"]), [showing]).jobs
    assert job.plain_parameters == {"models.theirs.predictions": "theirs.csv"}


@pytest.mark.parametrize(
    ("table", "model", "setting"),
    [
        ("repeats", "theirs", {"samples": 2}),
        ("repeats", "endpoint", {"decoding": {"temperature": 0.7, "samples": 2}}),
        ("prompt-sensitivity", "endpoint", {"prompts": ["c-vqa", "{question} Be brief."]}),
    ],
)
def test_a_table_is_published_where_a_model_has_several_samples_or_prompts(
    table: str, model: str, setting: Values
) -> None:
    """By every benchmark that asks questions, and by no other; with the default models, by none."""

    def publishing(values: Values) -> set[str]:
        jobs = [job for job in graph_of(values).jobs if job.step.stage == "aggregate"]
        return {job.step.benchmark for job in jobs if any(path.name == f"{table}.csv" for path in job.published)}

    values = default_values()
    assert publishing(values) == set()
    values["models"][model] |= setting
    assert publishing(values) == ASKING
    values["models"][model]["benchmarks"] = [CFMM]
    assert publishing(values) == {CFMM}
