"""Two runs of a million predictions each, compared by `whatif diff`: the time of the whole process.

Made up are 10 models on 50,000 pairs of questions, two images in three with one pair and one with two, in two projects.
In the second project one answer in ten is another. The peer is pandas: it reads the same columns, merges on ids, and
counts what flipped, without intervals or tests.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS
from whatif.engine.artifacts.writer import ArtifactWriter

ROOT = Path(__file__).parents[1]
SMALL = {"_MODELS": 2, "_PAIRS": 60, "_LIMIT_SECONDS": 60.0, "_ROUNDS": 1}
_MODELS = 10
_PAIRS = 50_000
_SHARDS = 2
_BENCHMARK = "made-up"
_QUESTIONS = Path(f"data/verify/{_BENCHMARK}/questions.parquet")
_LIMIT_SECONDS = 2.0  # of the processor
_ROUNDS = 3


def measure() -> dict[str, Any]:
    """Seconds of whole processes, the best of some rounds, once the files are written and cached."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        flips = [write(before, changed=False), write(after, changed=True)]
        ours = [
            _timed([sys.executable, "-m", "whatif", "diff", str(before), str(after), "--json"]) for _ in range(_ROUNDS)
        ]
        peer = [
            _timed([sys.executable, "-m", "bench.diff", str(before), str(after), str(_MODELS)]) for _ in range(_ROUNDS)
        ]
        comparisons = json.loads(ours[0]["printed"])["comparisons"]
    expected = int((flips[0] != flips[1]).sum())
    assert sum(one["n"] for one in comparisons) == 2 * _MODELS * _PAIRS
    assert sum(one["lost"] + one["gained"] for one in comparisons) == expected == int(peer[0]["printed"])
    best, other = (min(rounds, key=lambda one: float(one["cpu_seconds"])) for rounds in (ours, peer))
    assert best["cpu_seconds"] < _LIMIT_SECONDS, f"{best['cpu_seconds']:.2f} s of at most {_LIMIT_SECONDS:.0f}"
    return {
        "name": "diff",
        "ours": best["seconds"],
        "ours_cpu_seconds": best["cpu_seconds"],
        "predictions": 2 * _MODELS * _PAIRS,
        "peer": other["seconds"],
        "peer_cpu_seconds": other["cpu_seconds"],
        "unit": "s",
        "ratio": other["seconds"] / best["seconds"],
        "peer_name": "pandas: read, merge on ids, count what flipped",
    }


def write(folder: Path, *, changed: bool) -> Any:
    """Writes the artifacts of one run; returns which answers are right (models x questions)."""
    path = folder / _QUESTIONS
    with ArtifactWriter(path, QUESTIONS) as writer:
        writer.write(_questions())
    made_from = {"inputs": {str(_QUESTIONS): "made up"}, "parameters": {"models.made-up.tokens": 8 + changed}}
    ids = _ids()
    right = np.empty((_MODELS, len(ids)), dtype=np.bool_)
    for model in range(_MODELS):
        generator = np.random.default_rng(model)
        right[model] = generator.random(len(ids)) < 0.3 + 0.05 * model
        other = generator.random(len(ids)) < 0.1
        right[model] ^= other & changed
        for shard in range(_SHARDS):
            rows = slice(len(ids) * shard // _SHARDS, len(ids) * (shard + 1) // _SHARDS)
            name = f"part-{shard:03d}-of-{_SHARDS:03d}.parquet"
            place = folder / f"data/evaluate/model-{model:02d}/{_BENCHMARK}/predictions/{name}"
            with ArtifactWriter(place, PREDICTIONS, made_from=made_from) as writer:
                writer.write(_predictions(ids[rows], f"model-{model:02d}", right[model][rows]))
    return right


def _pairs() -> pa.Array:
    numbers = pa.array(np.repeat(np.arange(_PAIRS), 2)).cast(pa.string())
    return pc.binary_join_element_wise("counting", pc.utf8_lpad(numbers, 7, "0"), "_")


def _ids() -> pa.Array:
    return pc.binary_join_element_wise(_pairs(), pa.array(["counterfactual", "original"] * _PAIRS), "-")


def _questions() -> pa.Table:
    rows = 2 * _PAIRS
    images = pc.utf8_lpad(pa.array(np.repeat(np.arange(_PAIRS) * 3 // 4, 2)).cast(pa.string()), 64, "0")
    offsets = pa.array(np.arange(rows + 1, dtype=np.int32))
    return pa.table(
        {
            "question_id": _ids(),
            "pair_id": _pairs(),
            "group": np.array(["direct", "indirect", "boolean"])[np.repeat(np.arange(_PAIRS) % 3, 2)],
            "variant": ["counterfactual", "original"] * _PAIRS,
            "question": pc.binary_join_element_wise("How many are there in", _pairs(), " "),
            "choices": pa.array([["11", "12", "13", "14"]] * rows, pa.list_(pa.string())),
            "answer": ["A"] * rows,
            "answer_kind": ["choice"] * rows,
            "image_ids": pa.ListArray.from_arrays(offsets, images),
            "provenance": ["{}"] * rows,
        }
    )


def _predictions(ids: pa.Array, model: str, right: Any) -> pa.Table:
    rows = len(ids)
    made = {
        "question_id": ids,
        "model": [model] * rows,
        "strategy": ["direct"] * rows,
        "response": pc.binary_join_element_wise("It must be", ids, " "),
        "answer": np.where(right, "A", "B"),
        "status": ["ok"] * rows,
        "correct": right,
    }
    # `pa.nulls` would also set the members of a struct to null, which its type does not allow.
    blank = {field.name: pa.array([None] * rows, field.type) for field in PREDICTIONS.schema if field.name not in made}
    return pa.table({**made, **blank})


def _timed(command: list[str]) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.returncode == 0, ended.stderr[-2000:]
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "cpu_seconds": cpu, "printed": ended.stdout}


def main(*folders: str, models: int) -> None:
    """The peer: prints the number of answers that are right in one of two folders only."""
    import pandas as pd

    flips = 0
    keys = ["model", "question_id"]
    questions = pd.read_parquet(Path(folders[0]) / _QUESTIONS, columns=["question_id", "variant", "image_ids"])
    for model in range(models):
        sides = []
        for folder in folders:
            paths = sorted(Path(folder).glob(f"data/evaluate/model-{model:02d}/*/predictions/*.parquet"))
            sides.append(pd.concat([pd.read_parquet(path, columns=[*keys, "correct"]) for path in paths]))
        both = sides[0].merge(sides[1], on=keys, suffixes=("_a", "_b")).merge(questions, on="question_id")
        flips += int((both["correct_a"] != both["correct_b"]).sum())
    print(flips)


if __name__ == "__main__":
    main(*sys.argv[1:3], models=int(sys.argv[3]))
