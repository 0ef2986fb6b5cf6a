"""`dvc.yaml` as it is written from the graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tests.defaults import PARAMS, ROOT, name_no_model, shipped_values
from tests.engine.graph.toy import TOY, ToySettings
from whatif import benchmarks
from whatif.commands.cli import main
from whatif.engine.graph.graph import Graph
from whatif.engine.params.whole import check
from whatif.engine.workflow.dvc_yaml import dvc_yaml as text_of
from whatif.engine.workflow.dvc_yaml import gone_parameters, undeclared, undeclared_parameters
from whatif.engine.workflow.stage_files import stage_files

pytestmark = pytest.mark.slow


TOY_VALUES = {
    "seed": 1,
    "benchmarks": ["toy"],
    "generate": {"toy": {"shards": 2, "image_size": 448}},
    "models": {"first": {"adapter": "random"}},
}
KEYS = tuple(yaml.safe_load(PARAMS.read_text(encoding="utf-8")))


def dvc_yaml(graph: Graph) -> str:
    """The text for a params.yaml with the keys of the shipped one."""
    return text_of(graph, KEYS)


def toy_graph() -> Graph:
    return Graph(check(TOY_VALUES, {"toy": ToySettings}, ["toy"]), [TOY])


def default_graph(**changes: Any) -> Graph:
    values = shipped_values()
    return benchmarks.graph(benchmarks.check_params({**values, **changes}))


def test_the_committed_files_are_what_the_command_writes() -> None:
    graph = default_graph()
    assert (ROOT / "dvc.yaml").read_text(encoding="utf-8") == dvc_yaml(graph)
    written = stage_files(graph)
    assert {file.relative_to(ROOT): file.read_text(encoding="utf-8") for file in (ROOT / "stages").iterdir()} == written


def test_only_the_stages_that_have_steps_are_there() -> None:
    stages = yaml.safe_load(text_of(toy_graph(), TOY_VALUES))["stages"]
    assert list(stages) == ["extract", "generate", "evaluate", "aggregate"]
    assert stages["extract"]["params"] == [{"params.yaml": None}]
    assert stages["generate"]["params"] == ["benchmarks", "generate"]
    assert stages["generate"]["deps"] == ["src/whatif", "tests", "data/extract"]
    assert stages["evaluate"]["do"]["params"] == ["benchmarks", "models.${key}"]
    assert stages["aggregate"]["deps"] == ["src/whatif", "tests", "data/evaluate"]


def test_every_selected_benchmark_has_its_metrics_and_plots() -> None:
    every = yaml.safe_load(dvc_yaml(default_graph(benchmarks=benchmarks.installed())))
    assert every["metrics"] == [f"metrics/{name}/summary" for name in benchmarks.installed()]
    assert {next(iter(plot)).split("/")[1] for plot in every["plots"]} <= set(benchmarks.installed())
    assert "metrics/cvqa-synthetic/accuracy.csv" in [next(iter(plot)) for plot in every["plots"]]


def test_every_place_that_a_stage_reads_is_a_parameter_of_it() -> None:
    graph = default_graph(benchmarks=benchmarks.installed())
    stages = yaml.safe_load(dvc_yaml(graph))["stages"]
    for job in graph.jobs:
        stage = stages[job.step.stage]
        declared = [str(place) for place in stage.get("do", stage)["params"]]
        if declared == ["{'params.yaml': None}"]:
            continue
        places = [place.replace("${key}", str(job.evaluated_key)) for place in declared]
        for read in job.plain_parameters:
            assert any(read == place or read.startswith(f"{place}.") for place in places), f"{job.name}: {read}"


def test_metrics_that_are_not_declared_are_found() -> None:
    graph = toy_graph()
    assert undeclared(graph, dvc_yaml(graph)) == []
    assert undeclared(graph, dvc_yaml(default_graph())) == ["metrics/toy.json", "tests"]  # the package of the toy
    assert undeclared(graph, "stages: {}\n") == ["metrics/toy.json"]
    assert undeclared(graph, "metrics:\n- metrics/toy.json: {cache: false}\n") == []


def test_parameters_that_are_no_longer_there_or_new_are_found() -> None:
    values = yaml.safe_load(PARAMS.read_text(encoding="utf-8"))
    graph = default_graph()
    written = dvc_yaml(graph)
    assert gone_parameters(written, values) == [] == undeclared_parameters(graph, written, values)
    del values["models"]["writer"], values["filter"]
    assert gone_parameters(written, values) == ["models.writer", "filter"]
    short = text_of(graph, values)
    assert "filter" not in yaml.safe_load(short)["stages"]["filter"]["params"]
    assert undeclared_parameters(graph, short, values) == []
    assert undeclared_parameters(graph, short, {**values, "filter": {"scenes": {"movement": 0.2}}}) == ["filter"]


def test_with_several_prompts_every_evaluation_is_named() -> None:
    values = shipped_values()
    api = {"adapter": "api", "model": "m", "base_url": "http://localhost:1/v1"}
    models: dict[str, dict[str, Any]] = {
        "random": {"adapter": "random"},
        "m": {**api, "prompts": ["c-vqa", "{question} Be brief."]},
    }
    values |= {"benchmarks": ["cfmm"], "models": models, "evaluate": {}}
    graph = benchmarks.graph(benchmarks.check_params(values))
    written = text_of(graph, values)
    evaluate = yaml.safe_load(written)["stages"]["evaluate"]
    assert evaluate["foreach"] == {"random": "random", "m-c-vqa": "m", "m-text-1": "m"}
    assert "models.${item}" in evaluate["do"]["params"] and evaluate["do"]["outs"][0] == {
        "data/evaluate/${key}": {"persist": True}
    }
    assert gone_parameters(written, values) == [] == undeclared_parameters(graph, written, values)
    models["m"]["prompts"] = ["c-vqa", "internvl"]
    other = benchmarks.graph(benchmarks.check_params(values))
    assert undeclared_parameters(other, written, values) == ["models.m-internvl"]
    del models["m"]["prompts"]
    without = benchmarks.graph(benchmarks.check_params(values))
    assert undeclared_parameters(without, written, values) == ["models"]
    assert undeclared_parameters(graph, text_of(without, values), values) == ["models.m-c-vqa", "models.m-text-1"]


def test_files_and_folders_that_settings_name_are_dependencies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = shipped_values()
    for name in ("people/labels.csv", "released.csv", "answers.csv", "val2017/1.jpg", "photographs-${x}.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("", encoding="utf-8")
    (tmp_path / "categories.csv.dvc").write_text("", encoding="utf-8")  # tracked, but not pulled yet
    values["verify"]["coco-counterfactuals"] |= {
        "labels": [{"path": "people/labels.csv", "format": "wide"}, {"path": "absent.csv", "format": "long"}],
        "error_categories": "categories.csv",
    }
    values["extract"]["coco-counterfactuals"] |= {"captions": "photographs-${x}.json", "image_folders": ["val2017"]}
    values["aggregate"]["cvqa-synthetic"]["released_questions"] = "released.csv"
    values["generate"]["coco-counterfactuals"]["captions"]["choose"]["wordnet"] = "installed"
    name_no_model(values)
    values["models"] = {
        "theirs": {"adapter": "replay", "predictions": "answers.csv"},
        "hub": {"adapter": "hf-chat", "checkpoint": "llava-hf/llava-1.5-7b-hf"},
        "local": {"adapter": "hf-chat", "checkpoint": "/checkpoints/llava", "lora": "/checkpoints/lora"},
    }
    graph = benchmarks.graph(benchmarks.check_params(values))
    text = dvc_yaml(graph)
    stages = yaml.safe_load(text)["stages"]
    deps = {stage: stages[stage].get("do", stages[stage])["deps"] for stage in stages}
    outside = {stage: [path for path in of if not path.startswith("data/")] for stage, of in deps.items()}
    assert outside == {
        "extract": ["photographs-\\${x}.json", "val2017"],
        "generate": [],
        "filter": [],
        "verify": ["categories.csv", "people/labels.csv"],
        "evaluate": ["/checkpoints/llava", "/checkpoints/lora", "answers.csv"],
        "aggregate": ["released.csv"],
    }
    before = dvc_yaml(default_graph())
    named = [path for of in outside.values() for path in of]
    assert undeclared(graph, text) == [] and undeclared(graph, before) == named


def test_the_command_writes_once_and_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    (tmp_path / "src").symlink_to(ROOT / "src")
    failed = CliRunner().invoke(main, ["dvc-yaml", "--check"])
    assert (failed.exit_code, failed.stderr) == (
        2,
        "whatif: dvc.yaml: does not fit params.yaml; run `whatif dvc-yaml`\n",
    )
    assert not (tmp_path / "dvc.yaml").exists()
    assert "written" in CliRunner().invoke(main, ["dvc-yaml"]).stdout
    assert (tmp_path / "dvc.yaml").read_bytes() == (ROOT / "dvc.yaml").read_bytes()
    assert "is up to date" in CliRunner().invoke(main, ["dvc-yaml"]).stdout
    rules = tmp_path / "stages" / "filter.smk"
    assert rules.read_bytes() == (ROOT / "stages" / "filter.smk").read_bytes()
    rules.write_text("", encoding="utf-8")
    assert "stages/filter.smk: does not fit" in CliRunner().invoke(main, ["dvc-yaml", "--check"]).stderr
    assert CliRunner().invoke(main, ["dvc-yaml"]).stdout.startswith("stages/filter.smk: written; ")
    assert CliRunner().invoke(main, ["dvc-yaml", "--check"]).exit_code == 0


def test_code_that_is_installed_or_outside_the_project_is_no_dependency(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    paths = ("src/coins", ".venv/lib/python3.11/site-packages/whatif", "../whatif")
    monkeypatch.setattr(
        "whatif.engine.workflow.dvc_yaml.package_folders", lambda roots: [project / path for path in paths]
    )
    project.mkdir()
    monkeypatch.chdir(project)
    stages = yaml.safe_load(dvc_yaml(toy_graph()))["stages"]
    assert stages["generate"]["deps"] == ["src/coins", "data/extract"]
