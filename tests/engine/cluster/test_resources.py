"""Resource requests of cluster jobs, and explanations of jobs that the cluster stopped."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.defaults import ROOT, puzzles_and_baselines, shipped_values
from whatif import benchmarks
from whatif.engine.cluster import faults as cluster_faults
from whatif.engine.cluster import resources as cluster
from whatif.engine.cluster.resources import Kind
from whatif.engine.errors import WhatifError
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.workflow.stage_files import log_of

_SDXL = {"adapter": "diffusers", "checkpoint": "a/b", "steps": 2}
FILE = ROOT / "slurm" / "resources.yaml"


def graph_with(models: dict[str, Any], chosen: list[str] | None = None) -> Graph:
    values = shipped_values()
    values["models"].update(models)
    return benchmarks.graph(benchmarks.check_params({**values, **({"benchmarks": chosen} if chosen else {})}))


def job_named(graph: Graph, name: str) -> Job:
    (job,) = [job for job in graph.jobs if job.name == name]
    return job


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("extract cvqa-synthetic", Kind.CPU),
        ("generate cvqa-synthetic part-000-of-002", Kind.CPU),
        ("evaluate cvqa-synthetic random part-000-of-002", Kind.CPU),
        ("evaluate cvqa-synthetic llava-original part-000-of-002", Kind.MODEL),
        ("evaluate cvqa-synthetic remote part-000-of-002", Kind.MODEL),
        (
            "evaluate cvqa-synthetic viper-oracle part-000-of-002",
            Kind.CPU,
        ),  # neither its writer nor its tools are models
        ("evaluate cvqa-real viper-models plain part-000-of-001", Kind.MODEL),
        ("evaluate cvqa-synthetic programs viper-oracle part-000-of-002", Kind.CPU),  # programs run with oracle tools
        ("aggregate cvqa-synthetic", Kind.CPU),
        ("generate scenes part-000-of-001", Kind.IMAGES),
        ("filter scenes", Kind.MODEL),
        ("evaluate scenes pairs clip", Kind.MODEL),
        ("generate coco-counterfactuals measure part-000-of-001", Kind.MODEL),
        ("generate coco-counterfactuals choose", Kind.CPU),
        ("filter coco-counterfactuals part-000-of-001", Kind.IMAGES),  # draws the chosen images again
    ],
)
def test_the_kind_of_a_job_follows_from_the_models_that_it_works_with(name: str, kind: Kind) -> None:
    remote = {"adapter": "api", "model": "m", "base_url": "http://localhost:1/v1"}
    graph = graph_with({"remote": remote})
    assert cluster.kind_of(job_named(graph, name)) is kind


@pytest.mark.parametrize("part", ["detector", "query", "matcher"])
def test_a_gpu_is_asked_for_where_one_tool_of_programs_has_the_device(part: str) -> None:
    values = shipped_values()
    model = values["models"]["viper-models"]
    model["tools"][part]["device"] = "cuda"
    graph = graph_with({"viper-models": model}, ["cvqa-real"])
    asking = {job.name for job in graph.jobs if "gpu" in cluster.wanted_by(job, FILE)}
    assert asking == {"evaluate cvqa-real viper-models plain part-000-of-001"}


def test_a_job_that_makes_several_parts_has_the_time_of_all_of_them() -> None:
    graph = graph_with({}, ["cvqa-synthetic"])
    (step,) = [step for step in graph.steps("generate") if step.rule == "generate_cvqa_synthetic"]
    minutes = cluster.load_resources(FILE).cpu.runtime
    assert minutes is not None

    def asked(number: int, together: int) -> int:
        wildcards = {"part": f"part-{number:03d}-of-002"}
        return int(cluster.resources_of(graph, step, FILE, together)["runtime"](wildcards, 1))

    assert [asked(0, 1), asked(1, 1)] == [minutes, minutes]
    assert [asked(0, 2), asked(1, 2)] == [2 * minutes, minutes]  # the second one, if it is asked for by itself


def test_a_gpu_is_asked_for_only_where_a_model_has_the_device() -> None:
    graph = graph_with({"large": {"adapter": "hf-chat", "checkpoint": "some/checkpoint", "device": "cuda:0"}})
    asking = {job.name for job in graph.jobs if "gpu" in cluster.wanted_by(job, FILE)}
    assert asking == {
        *(f"evaluate cvqa-synthetic large part-00{part}-of-002" for part in range(2)),
        "evaluate scenes large plain",
        "evaluate cvqa-real large plain part-000-of-001",
        *(f"evaluate cfmm large {strategy}" for strategy in ("direct", "one-shot", "one-shot-cot")),
        "evaluate mucr large direct",
    }


@pytest.mark.parametrize(
    ("generator", "kind", "gpu"),
    [
        ({"adapter": "scenes", "side": 64}, Kind.CPU, None),
        ({"adapter": "diffusers", "checkpoint": "a/b", "steps": 2}, Kind.IMAGES, None),
        ({"adapter": "diffusers", "checkpoint": "a/b", "steps": 2, "device": "cuda"}, Kind.IMAGES, 1),
        ({"adapter": "images-api", "model": "m", "base_url": "http://localhost:1/v1"}, Kind.MODEL, None),
    ],
)
def test_a_job_that_draws_asks_for_what_its_own_generator_needs(
    generator: dict[str, Any], kind: Kind, gpu: int | None
) -> None:
    values = shipped_values()
    others = {"scenes": {"adapter": "scenes", "side": 64}, "gpu": {**_SDXL, "device": "cuda"}}
    values["generate"]["mucr"]["generators"] = {**others, "own": generator}
    job = job_named(benchmarks.graph(benchmarks.check_params(values)), "generate mucr draw own part-000-of-001")
    assert cluster.kind_of(job) is kind and cluster.wanted_by(job, FILE).get("gpu") == gpu


@pytest.mark.parametrize(("device", "gpu"), [({}, 1), ({"device": "cuda:1"}, 1), ({"device": "cpu"}, None)])
def test_the_job_of_a_served_model_asks_for_the_gpu_of_its_server(device: dict[str, str], gpu: int | None) -> None:
    graph = graph_with({"large": {"adapter": "served", "command": "vllm serve m", "model": "m", **device}})
    job = job_named(graph, "evaluate scenes large plain")
    assert cluster.kind_of(job) is Kind.MODEL
    assert cluster.wanted_by(job, FILE).get("gpu") == gpu


def test_at_paper_scale_tables_and_checks_ask_for_no_gpu() -> None:
    graph = benchmarks.graph(benchmarks.load_params(ROOT / "docs" / "paper-scale.yaml"))
    stages = {job.step.stage: cluster.wants_gpu(job) for job in graph.jobs}
    assert not any(stages[stage] for stage in ("extract", "verify", "aggregate"))
    drawing = job_named(graph, "generate coco-counterfactuals draw part-000-of-064")
    assert cluster.kind_of(drawing) is Kind.IMAGES
    assert cluster.wanted_by(drawing, FILE)["gpu"] == 1


def test_a_second_try_asks_for_twice_the_memory_and_time(tmp_path: Path) -> None:
    file = tmp_path / "resources.yaml"
    file.write_text("cpu: {mem_mb: 100, runtime: 5, slurm_partition: short}\nmodel: {mem_mb: 300, runtime: 7}\n")
    graph = graph_with({})
    (step,) = [step for step in graph.steps("evaluate") if step.rule == "evaluate_cvqa_synthetic"]
    resources = cluster.resources_of(graph, step, file)
    random = SimpleNamespace(items={"model": "random", "part": "part-000-of-002"}.items)
    llava = SimpleNamespace(items={"model": "llava-original", "part": "part-000-of-002"}.items)
    assert [resources["mem_mb"](job, attempt) for job in (random, llava) for attempt in (1, 2)] == [100, 200, 300, 600]
    assert [resources["runtime"](job, attempt) for job in (random, llava) for attempt in (1, 2)] == [5, 10, 7, 14]
    # Where nothing is said, the cluster's default is taken.
    assert [resources["slurm_partition"](job, 1) for job in (random, llava)] == ["short", None]


def test_jobs_without_a_model_are_grouped_and_every_group_of_parts_stands_in_the_profile() -> None:
    profile = yaml.safe_load((ROOT / "slurm" / "config.yaml").read_text(encoding="utf-8"))
    graph = graph_with({}, benchmarks.installed())
    divided = set()
    for step in {job.step.rule: job.step for job in graph.jobs}.values():
        small = [job for job in graph.jobs_of(step) if cluster.kind_of(job) is Kind.CPU]
        if len(small) > 1:
            divided.add(step.rule)
        group = cluster.group_of(graph, step)
        for job in graph.jobs_of(step):
            items = SimpleNamespace(items=job.wildcards.items)
            assert (group(items) if callable(group) else group) == (step.rule if job in small else None)
    assert divided <= set(profile["group-components"])
    assert set(profile["group-components"]) <= {job.step.rule for job in graph.jobs}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cpu: {mem_gb: 2}", "1: cpu.mem_gb: unknown key; did you mean `mem_mb`?"),
        ("gpu: {mem_mb: 2}", "1: gpu: unknown key; did you mean `cpu`?"),
        ("cpu: {mem_mb: lots}", "1: cpu.mem_mb: is 'lots'; input should be a valid integer"),
        ("cpu: {runtime: 0}", "1: cpu.runtime: is 0; "),
        ("cpu: {gpu: 1}", "1: cpu.gpu: is 1; belongs under `with_gpu`"),
        ("cpu: [", "1: not valid YAML: "),
    ],
)
def test_a_mistake_in_the_file_is_one_line_that_names_it(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "resources.yaml"
    file.write_text(text)
    with pytest.raises(WhatifError, match=rf"^{re.escape(str(file))}:{re.escape(message)}") as caught:
        cluster.load_resources(file)
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_file_says_how_to_get_it_back(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="git checkout"):
        cluster.load_resources(tmp_path / "resources.yaml")


SNAKEMAKE = """\
Job 0 has been submitted with SLURM jobid 7 (log: {folder}/logs/slurm/group_evaluate/7.log).
[Fri Nov 20 15:24:49 2026]
    message: Error in group evaluate_cvqa_synthetic
    log: {folder}/logs/slurm/group_evaluate/7.log (check log file(s) for error details)
    jobs:
        rule evaluate_cvqa_synthetic:
            jobid: 0
            output: data/evaluate/majority/cvqa-synthetic/predictions/part-001-of-002.parquet
            log: {own} (check log file(s) for error details)
    [Fri Nov 20 15:24:49 2026]
    Error in rule evaluate_cvqa_synthetic:
        message: None
        jobid: 0
        log: {own} (check log file(s) for error details)
Trying to restart job 0.
"""
REFUSED = """\
[Fri Nov 20 15:24:49 2026]
Error in rule evaluate_cvqa_synthetic:
    message: SLURM sbatch failed. The error message was 'sbatch: error: Batch job submission failed: Job violates
accounting/QOS policy'.
    jobid: 0
    log: {own} (check log file(s) for error details)
"""
# Slurm's text in the log of a job that it stopped -> the explanation.
STOPPED = {
    "slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-20T15:19:02 DUE TO TIME LIMIT ***": (
        "was stopped at its time limit; raise `runtime` of `cpu` in slurm/resources.yaml"
    ),
    "slurmstepd-n1: error: StepId=7.batch exceeded memory limit (38116352 > 20971520), being killed": (
        "was stopped at its memory limit; raise `mem_mb` of `cpu` in slurm/resources.yaml"
    ),
    "slurmstepd-n1: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks have been OOM Killed.": (
        "was stopped at its memory limit; raise `mem_mb` of `cpu` in slurm/resources.yaml"
    ),
    "slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-20T15:17:54 ***": "was cancelled",
    "slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-20T15:17:54 DUE TO NODE FAILURE ***": "lost its node",
    "whatif: data/verify/questions.parquet: cannot be read": "data/verify/questions.parquet: cannot be read",
    "Missing files after 60 seconds. This might be due to filesystem latency.": (
        "waited too long for files; the shared folder is slow: raise `latency-wait` in slurm/config.yaml"
    ),
    "Something else": "failed; see its log",
}


@pytest.fixture
def failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Graph, str]:
    """A graph, and where one of its jobs writes what it says."""
    graph = benchmarks.graph(benchmarks.check_params(puzzles_and_baselines()))
    job = job_named(graph, "evaluate cvqa-synthetic majority part-001-of-002")
    monkeypatch.chdir(tmp_path)
    return graph, log_of(job.step).format(**job.wildcards)


@pytest.mark.parametrize("words", STOPPED)
def test_a_job_that_was_stopped_is_named_with_its_logs_and_what_to_do(
    tmp_path: Path, failed: tuple[Graph, str], words: str
) -> None:
    graph, own = failed
    for name, text in {"run.log": SNAKEMAKE, "logs/slurm/group_evaluate/7.log": f"rule:\n{words}\n", own: ""}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text.format(folder=tmp_path, own=own))
    (line,) = cluster_faults.explain(graph, ["run.log"])
    assert line == (
        f"Slurm job 7 (evaluate cvqa-synthetic majority part-001-of-002): {STOPPED[words]}; "
        f"then start again; finished results are kept. Logs: {tmp_path}/logs/slurm/group_evaluate/7.log, {own}"
    )


def test_a_job_that_never_began_has_no_log_of_slurm(tmp_path: Path, failed: tuple[Graph, str]) -> None:
    graph, own = failed
    (tmp_path / "run.log").write_text(SNAKEMAKE.format(folder=tmp_path, own=own))
    (line,) = cluster_faults.explain(graph, ["run.log"])
    assert "): was cancelled; " in line
    assert line.endswith(" Logs: no Slurm log")


def test_a_job_whose_files_come_late_is_named_with_the_first_of_them(tmp_path: Path, failed: tuple[Graph, str]) -> None:
    output = "data/evaluate/majority/cvqa-synthetic/predictions/part-001-of-002.parquet"
    (tmp_path / "run.log").write_text(
        f"Waiting at most 4 seconds for missing files:\n{output} (missing locally)\n"
        'MissingOutputException in rule evaluate_cvqa_synthetic in file "Snakefile", line 1:\n'
        "Job 0 completed successfully, but some output files are missing. Missing files after 4 seconds. This might be "
        f"due to filesystem latency:\n{output} (missing locally, parent dir not present)\nShutting down\n"
    )
    (line,) = cluster_faults.explain(failed[0], ["run.log"])
    assert line == (
        f"evaluate cvqa-synthetic majority part-001-of-002: succeeded, but {output} is not visible here; the "
        "shared folder is slow: raise `latency-wait` in slurm/config.yaml, then start again; finished results are kept"
    )


def test_a_job_that_slurm_did_not_take_is_named_with_slurms_words(tmp_path: Path, failed: tuple[Graph, str]) -> None:
    graph, own = failed
    (tmp_path / "run.log").write_text(REFUSED.format(own=own))
    (line,) = cluster_faults.explain(graph, ["run.log"])
    assert line.startswith("evaluate cvqa-synthetic majority part-001-of-002: rejected by Slurm: sbatch: error: ")
    assert "Job violates accounting/QOS policy; change slurm/resources.yaml" in line


def test_a_project_without_the_file_has_the_values_that_whatif_comes_with(folder: Path) -> None:
    cluster.load_resources.cache_clear()
    assert cluster.load_resources() == cluster.load_resources(FILE)
    cluster.load_resources.cache_clear()
