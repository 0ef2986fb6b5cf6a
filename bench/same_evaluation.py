"""504 questions about drawn images by `whatif evaluate`, against lmms-eval and inspect_ai with the same checkpoint."""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow.parquet as pq
import yaml

from bench import NotInstalledError
from tests.results.harnesses.environments import INSPECT_AI, LMMS_EVAL, ROOT, python
from tests.results.harnesses.published import publish
from whatif.commands.cli import KERNELS
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.files.named_folders import CHECKPOINTS
from whatif.engine.params.endpoints import ServedModel
from whatif.models.endpoint.server import start
from whatif.results.harnesses.tasks import task_name, write_tasks

SMALL = {"_ROUNDS": 1, "_PUZZLES": 1}
_ROUNDS = 2
_PUZZLES = 42  # for each of six templates, with two questions each
_NEW_TOKENS = 8
_AT_ONCE = 32
_BENCHMARK = "cvqa-synthetic"
_CHECKPOINT = CHECKPOINTS / "llava-original"
_TASK = task_name(_BENCHMARK)
# What a tool needs to ask this checkpoint, beside its own packages.
_NEEDS = {LMMS_EVAL: "decord", INSPECT_AI: "openai"}

Responses = dict[str, str]
Run = Callable[[Path, Path, bool], Responses]


def measure() -> dict[str, Any]:
    """Seconds of the whole command, start-up included; mean of alternating rounds, on one core of the CPU.

    All sides have the same questions, prompts and images, float32 weights, the same kernels and at most 8 new tokens.
    lmms-eval asks one question at a time, which is all that its model `llava_hf` can do. inspect_ai's own provider of
    local checkpoints takes no images, so it asks `transformers serve`, 32 requests at once, which are answered one
    after the other. `cpu_seconds` are those of all processes, which do not depend on other load on the machine.
    `seconds_without_start` are those beyond a run with one pair of questions, `equal_answers` the
    number of responses that are ours to the character, spaces around them aside.
    """
    for environment, package in _NEEDS.items():
        if not list(environment.glob(f"lib/*/site-packages/{package}")):
            raise NotInstalledError(f"{package} for {environment.name[6:]} (run `make harnesses`)")
    runs: dict[str, Run] = {"whatif": _whatif, "lmms-eval": _lmms_eval, "inspect_ai": _inspect_ai}
    whole: dict[str, list[float]] = {name: [] for name in runs}
    short: dict[str, list[float]] = {name: [] for name in runs}
    cpu: dict[str, list[float]] = {name: [] for name in runs}
    answers: dict[str, Responses] = {}
    one_thread = {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {**KERNELS, **one_thread}):
        inputs = _prepared(Path(folder))
        for number in range(_ROUNDS):
            for name, run in runs.items():
                for pair_only, seconds in ((True, short), (False, whole)):
                    place = Path(folder) / f"{name}-{number}-{pair_only}"
                    place.mkdir()
                    began, used = time.perf_counter(), _cpu_seconds()
                    answers[name] = run(inputs, place, pair_only)
                    seconds[name].append(time.perf_counter() - began)
                    if not pair_only:
                        cpu[name].append(_cpu_seconds() - used)
    ours = answers["whatif"]
    assert all(found.keys() == ours.keys() for found in answers.values())
    means = {name: statistics.mean(found) for name, found in whole.items()}
    asking = {name: means[name] - statistics.mean(found) for name, found in short.items()}
    peers = {"lmms-eval": "lmms-eval", "inspect_ai": "inspect_ai with `transformers serve`"}
    return {
        "name": "same-evaluation",
        "ours": means["whatif"],
        "peer": means["lmms-eval"],
        "unit": "s",
        "ratio": means["lmms-eval"] / means["whatif"],
        "peer_name": peers["lmms-eval"],
        "further_peers": {peers["inspect_ai"]: means["inspect_ai"]},
        "questions": len(ours),
        "seconds": whole,
        "cpu_seconds": cpu,
        "seconds_without_start": asking,
        "ratios_without_start": {name: asking[name] / asking["whatif"] for name in peers},
        "equal_answers": {name: sum(answers[name][key] == ours[key] for key in ours) for name in peers},
    }


def _cpu_seconds() -> float:
    """Of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _prepared(folder: Path) -> Path:
    """A project that only has to be evaluated, and its questions as a published data set with the tasks of others."""
    project = folder / "project"
    project.mkdir()
    _write_params(project, None)
    for stage in ("extract", "generate", "filter", "verify"):
        _command(project, stage)
    images = ImageStore(sorted(project.glob(f"data/generate/{_BENCHMARK}/images/*.parquet")))
    rows = pq.read_table(project / f"data/verify/{_BENCHMARK}/questions.parquet").to_pylist()
    shown = [{**row, "prompt": None, "images": [images.encoded(one) for one in row["image_ids"]]} for row in rows]
    publish(folder / "published", shown, single=True)
    write_tasks(_BENCHMARK, folder / "published")
    return folder


def _write_params(project: Path, limit: int | None) -> None:
    model = {"adapter": "hf-chat", "checkpoint": f"embedded:{_CHECKPOINT.name}", "name": "LLaVA", "limit": limit}
    values = {
        "seed": 1,
        "benchmarks": [_BENCHMARK],
        "generate": {_BENCHMARK: {"puzzles_per_template": _PUZZLES, "shards": 1}},
        "evaluate": {_BENCHMARK: {"ask": "generate"}},
        "models": {"llava": {**model, "max_new_tokens": _NEW_TOKENS, "batch_size": _AT_ONCE}},
    }
    (project / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")


def _command(project: Path, stage: str) -> None:
    command = [sys.executable, "-m", "whatif", stage, _BENCHMARK]
    ended = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"{stage}: {(ended.stdout + ended.stderr)[-2000:]}"


def _whatif(inputs: Path, folder: Path, pair_only: bool) -> Responses:
    project = folder / "project"
    shutil.copytree(inputs / "project", project)  # a new one each time, since responses are stored
    _write_params(project, 1 if pair_only else None)
    _command(project, "evaluate")
    (made,) = project.glob(f"data/evaluate/llava/{_BENCHMARK}/predictions/*.parquet")
    return {row["question_id"]: row["response"].strip() for row in pq.read_table(made).to_pylist()}


def _lmms_eval(inputs: Path, folder: Path, pair_only: bool) -> Responses:
    model = f"pretrained={_CHECKPOINT},device=cpu,device_map=cpu,dtype=float32"
    arguments = ["--model", "llava_hf", "--model_args", model, "--gen_kwargs", f"max_new_tokens={_NEW_TOKENS}"]
    arguments += ["--include_path", str(inputs / "published/tasks/lmms-eval"), "--tasks", _TASK]
    arguments += ["--log_samples", "--output_path", "out", *(["--limit", "2"] if pair_only else [])]
    python(LMMS_EVAL, "-m", "lmms_eval", *arguments, folder=folder, variables=KERNELS)
    (log,) = folder.glob("out/**/*_samples_*.jsonl")
    samples = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return {one["pair_accuracy"]["question_id"]: one["filtered_resps"].strip() for one in samples}


def _inspect_ai(inputs: Path, folder: Path, pair_only: bool) -> Responses:
    program = Path(sys.executable).with_name("transformers")
    command = f"{program} serve {{checkpoint}} --device cpu --dtype float32"
    settings = ServedModel(adapter="served", command=command, checkpoint=str(_CHECKPOINT))
    (folder / "published").symlink_to(inputs / "published")  # it takes only relative paths
    arguments = [f"published/tasks/inspect_ai/{_TASK}.py", "--model", f"openai-api/local/{_CHECKPOINT}"]
    arguments += ["--max-tokens", str(_NEW_TOKENS), "--temperature", "0", "--max-connections", str(_AT_ONCE)]
    arguments += ["--max-retries", "0", "--display", "none", "--log-dir", "logs", "--log-format", "json"]
    arguments += ["--limit", "2"] if pair_only else []
    with start(settings, str(_CHECKPOINT), "transformers", str(_CHECKPOINT)) as server:
        where = {"LOCAL_BASE_URL": server.base_url, "LOCAL_API_KEY": "none"}
        python(INSPECT_AI, "-m", "inspect_ai", "eval", *arguments, folder=folder, variables=where)
    (log,) = folder.glob("logs/*.json")
    samples = json.loads(log.read_text(encoding="utf-8"))["samples"]
    return {one["id"]: one["output"]["choices"][0]["message"]["content"].strip() for one in samples}
