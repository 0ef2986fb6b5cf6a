"""The settings of a judge: which models can be one, and what is said of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bad_inputs.outcome import refusal
from tests.defaults import name_no_model
from tests.projects import Project
from whatif.engine.params.judge import JudgeSettings
from whatif.engine.workflow.dvc_yaml import dvc_yaml, undeclared_parameters

pytestmark = pytest.mark.slow

API = {"adapter": "api", "model": "x", "base_url": "http://127.0.0.1:1/v1", "benchmarks": []}
MODELS: dict[str, dict[str, Any]] = {
    "j": API,
    "majority": {"adapter": "majority"},
    "clip": {"adapter": "dual-encoder", "checkpoint": "embedded:clip"},
    "blip": {"adapter": "hf-blip", "checkpoint": "a/b"},
    "theirs": {"adapter": "replay", "predictions": "x.csv"},
}


def project_with(folder: Path, benchmark: str, judge: Any, **models: dict[str, Any]) -> Project:
    project = Project(folder, benchmark)
    project.values["models"] = models or MODELS
    project.section("evaluate")["judge"] = judge
    return project


@pytest.mark.parametrize("benchmark", ["cvqa-real", "scenes"])
@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ({"model": "gpt"}, "evaluate.{}.judge.model: 'gpt' is not a key of models; those that can: j"),
        ({"model": "majority"}, "'majority' has the adapter majority, which cannot judge; those that can: j"),
        ({"model": "theirs"}, "'theirs' has the adapter replay, which cannot judge; those that can: j"),
        ({"model": "clip"}, "'clip' has the adapter dual-encoder, which cannot judge; those that can: j"),
        ({"model": "blip"}, "'blip' has the adapter hf-blip, which cannot judge; those that can: j"),
        ({"model": "j", "prompt": "x"}, "evaluate.{}.judge.prompt: is 'x'; must be one of answer"),
        ({"model": "j", "labels": ""}, "evaluate.{}.judge.labels: is ''; "),
        ({"prompt": "answer"}, "evaluate.{}.judge.model: is missing"),
        ({"model": "j", "prompts": "answer"}, "evaluate.{}.judge.prompts: unknown key; did you mean `prompt`?"),
        ("j", "evaluate.{}.judge: is 'j'; "),
    ],
)
def test_a_judge_that_cannot_be_one_is_one_line(tmp_path: Path, benchmark: str, judge: Any, told: str) -> None:
    project = project_with(tmp_path, benchmark, judge)
    line = refusal(lambda: project.graph)
    assert told.format(benchmark) in line, line


def test_where_no_model_can_judge_the_line_says_which_could(tmp_path: Path) -> None:
    project = project_with(tmp_path, "scenes", {"model": "random"}, random={"adapter": "random"})
    line = refusal(lambda: project.graph)
    assert "those that can: none; add a model with the adapter api, served, hf-chat or blind" in line


@pytest.mark.parametrize("benchmark", ["cvqa-real", "scenes"])
def test_a_mere_judge_is_evaluated_nowhere_and_judges_every_answerer(tmp_path: Path, benchmark: str) -> None:
    graph = project_with(tmp_path, benchmark, {"model": "j"}).graph
    evaluated = {job.wildcards["model"] for job in graph.jobs if "model" in job.wildcards and job.step.name != "judge"}
    judged = [job for job in graph.jobs if job.step.name == "judge"]
    assert evaluated == {"majority", "blip", "theirs"}
    assert {job.wildcards["model"] for job in judged} == evaluated
    assert {job.wildcards["judge"] for job in judged} == {"j"}


WORDS = ["cvqa-synthetic", "cvqa-synthetic-released", "cvqa-real", "scenes", "cfmm", "mucr"]


def with_default(folder: Path, **own: Any) -> Project:
    """A project with all benchmarks that ask in words, a judge of all, and the judges that some benchmarks name."""
    project = Project(folder)
    project.values["benchmarks"] = WORDS
    name_no_model(project.values)
    project.values |= {"models": MODELS | {"k": API}, "judge": {"model": "j"}}
    for benchmark, judge in own.items():
        project.values["evaluate"][benchmark]["judge"] = judge
    return project


def judges(project: Project) -> dict[str, set[str]]:
    jobs = [job for job in project.graph.jobs if job.step.name == "judge"]
    return {name: {job.wildcards["judge"] for job in jobs if job.step.benchmark == name} for name in WORDS}


def test_one_judge_is_that_of_every_benchmark_unless_one_names_another_or_none(tmp_path: Path) -> None:
    assert judges(with_default(tmp_path)) == {name: {"j"} for name in WORDS}
    project = with_default(tmp_path, cfmm=False, mucr={"model": "k"}, scenes=None)
    assert judges(project) == {name: {"cfmm": set(), "mucr": {"k"}}.get(name, {"j"}) for name in WORDS}
    project.values["judge"] = None
    assert judges(project) == {name: {"k"} if name == "mucr" else set() for name in WORDS}


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ({"model": "gpt"}, "params.yaml: judge.model: 'gpt' is not a key of models; those that can: j, k"),
        ({"model": "majority"}, "params.yaml: judge.model: 'majority' has the adapter majority, which cannot judge"),
        ({"model": "j", "prompt": "x"}, "params.yaml: judge.prompt: is 'x'; must be one of answer"),
        ({"model": "j", "labels": "a.csv"}, "params.yaml: judge.labels: unknown key"),
    ],
)
def test_a_judge_of_all_that_cannot_be_one_is_one_line(tmp_path: Path, judge: Any, told: str) -> None:
    project = with_default(tmp_path)
    project.values["judge"] = judge
    assert refusal(lambda: project.graph).startswith(told)


def test_dvc_depends_on_the_judge_of_all_where_there_is_one(tmp_path: Path) -> None:
    project = with_default(tmp_path)
    named = dvc_yaml(project.graph, project.values)
    stages = yaml.safe_load(named)["stages"]
    evaluate, aggregate = (stages[name].get("do", stages[name])["params"] for name in ("evaluate", "aggregate"))
    assert {"judge", "evaluate", "models.j"} <= set(evaluate) and {"judge", "evaluate"} <= set(aggregate)
    assert undeclared_parameters(project.graph, named, project.values) == []
    without = dvc_yaml(project.graph, project.values.keys() - {"judge"})
    assert undeclared_parameters(project.graph, without, project.values) == ["judge"]


def test_by_default_there_is_none(tmp_path: Path) -> None:
    assert not [job for job in Project(tmp_path).graph.jobs if job.step.name == "judge"]
    assert JudgeSettings(model="j") == JudgeSettings(model="j", prompt="answer", labels=None)
