"""Peak memory and processor seconds of each step of cvqa-synthetic, from a small and a larger number of pairs.

    python -m bench.flat_memory 20000 100000            # prints a table: step, size, seconds, memory, exponents
    python -m bench.flat_memory 60000 1000000 --save    # also keeps it for docs/scale.md (`python -m docs.tables`)

The puzzles are those of a small run under new ids, with images of a few pixels. 20 models answer at random, half of
them ranking options and half in words. Each step runs in a process of its own. The exponent is that of growth with the
number of pairs, 1 for proportional; memory is the peak of the process.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from PIL import Image

from bench.aggregate_10m import option_scores
from whatif.benchmarks.cvqa_synthetic.schemas import PUZZLES
from whatif.benchmarks.site import SITE
from whatif.benchmarks.trial import Trial
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS, SHORTCUTS
from whatif.engine.files import png
from whatif.engine.graph.freshness import provenance
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.run import Outputs

ROOT = Path(__file__).parents[1]
SAVED = ROOT / "docs/numbers/steps.json"
_MODELS = 20
_TEMPLATES = 6
_SIDE = 4  # pixels of an image
_DRAWN = 20  # puzzles of each template, which are repeated
_SHARES = [0.4, 0.2, 0.2, 0.2]  # of the right answer, then of the other options
_LETTERS = np.array(["A", "B", "C", "D"])
_STATUSES = np.array(["ok", "ambiguous", "none", "error"])
STEPS = ("filter", "verify", "evaluate", "aggregate", "site", "diff", "publish")


def write_project(folder: Path, pairs: int) -> None:
    """A project in which all is made but what is measured, with so many pairs."""
    drawn = Trial(folder.parent / "drawn", _values(_DRAWN, 1))
    drawn.make("extract", "generate", "filter", "verify")
    drawn.make_jobs(_audits(drawn))
    made = Trial(folder, _values(pairs // _TEMPLATES, _shards(pairs)))
    made.make("extract")
    pairs -= pairs % _TEMPLATES
    rows = {role: drawn.rows("generate", role) for role in ("puzzles", "questions")}
    (folder / "params.yaml").write_text(json.dumps(made.values), encoding="utf-8")
    first = 0
    parts = made.jobs("generate")
    for job in parts:
        numbers = range(first, pairs if job is parts[-1] else first + pairs // len(parts))
        first = numbers.stop
        puzzles, questions, images = _repeated(numbers, rows["puzzles"], rows["questions"])
        with _outputs(folder, job) as outputs:
            for role, some in (("puzzles", puzzles), ("questions", questions), ("images", images)):
                rows_left = iter(some)
                while block := list(itertools.islice(rows_left, 5_000)):
                    outputs.writer(role).write(block)


def write_predictions(folder: Path, *, changed: bool = False) -> None:
    """The predictions of all models for the verified questions; the audit, whose forests are not measured, is copied.

    changed: one answer in ten is drawn again.
    """
    trial = _trial(folder)
    for job in _audits(trial):
        with _outputs(folder, job) as outputs:
            outputs.write(
                "shortcuts", list(artifacts.rows_of(folder.parent / "drawn" / job.outputs["shortcuts"], SHORTCUTS))
            )
    columns = ["question_id", "pair_id", "answer"]
    asked = artifacts.read(trial.paths("verify", "questions"), QUESTIONS, columns)
    for job in trial.jobs("evaluate"):
        if "predictions" in job.outputs and job.step.name != "probes":
            model, part = job.wildcards["model"], job.wildcards["part"]
            paths = [one.outputs["puzzles"] for one in trial.jobs("generate") if one.wildcards["part"] == part]
            here = artifacts.read([folder / path for path in paths], PUZZLES, ["pair_id"])["pair_id"]
            some = asked.filter(pc.is_in(asked["pair_id"], here.combine_chunks()))
            seeds = int.from_bytes(hashlib.sha256(f"{model}-{part}".encode()).digest()[:8], "big")
            generator, again = np.random.default_rng(seeds), np.random.default_rng(seeds + 1) if changed else None
            with _outputs(folder, job) as outputs:
                for start in range(0, some.num_rows, 50_000):
                    outputs.writer("predictions").write(
                        _predictions(some.slice(start, 50_000), model, generator, again)
                    )


def measured(folder: Path, step: str, other: Path) -> dict[str, float]:
    """Processor seconds and peak GiB of a process that makes one step."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "bench.flat_memory", "--step", step, str(folder), str(other)]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(f"{step}: {ended.stderr[-3000:]}")
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def main(sizes: list[int], *, saves: bool = False) -> None:
    """Prints the table of all steps at all sizes; where it is saved, other sizes remain what they are."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for pairs in sizes:
        with tempfile.TemporaryDirectory() as folder:
            one, other = Path(folder, "one"), Path(folder, "other")
            write_project(one, pairs)
            for step in STEPS:
                if step == "aggregate":
                    write_predictions(one)
                if step == "diff":
                    shutil.copytree(one, other, copy_function=os.link)
                    shutil.rmtree(other / "data" / "evaluate")
                    write_predictions(other, changed=True)
                found.setdefault(str(pairs), {})[step] = measured(one, step, other)
                print(f"  {step}, {pairs:,} pairs: {found[str(pairs)][step]}", file=sys.stderr, flush=True)
        if saves:
            kept = json.loads(SAVED.read_text(encoding="utf-8"))
            kept["now"] |= found
            SAVED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(f"{'step':12}{'pairs':>12}{'seconds':>10}{'GiB':>8}{'bytes a pair':>14}{'exponent':>10}")
    for step in STEPS:
        for place, pairs in enumerate(sizes):
            one_ = found[str(pairs)][step]
            row = f"{step:12}{pairs:>12,}{one_['seconds']:>10.1f}{one_['gib']:>8.2f}"
            if place:
                fewer, before = sizes[place - 1], found[str(sizes[place - 1])][step]
                slope = (one_["gib"] - before["gib"]) * 2**30 / (pairs - fewer)
                growth = math.log(one_["seconds"] / before["seconds"]) / math.log(pairs / fewer)
                row += f"{slope:>14,.0f}{growth:>10.2f}"
            print(row)


def make_step(step: str, folder: Path, other: Path) -> None:
    """Makes one step in this process; prints what it took."""
    os.chdir(folder)
    gc.set_threshold(50_000)  # as the command line does
    jobs = _made_by(step, folder)
    before = time.process_time()
    jobs()
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))
    del other
    print(json.dumps({"seconds": round(time.process_time() - before, 2), "gib": round(memory / 2**20, 3)}))


def _made_by(step: str, folder: Path) -> Callable[[], Any]:
    if step in ("diff", "publish"):
        from whatif.commands.cli import main as command

        other = folder.parent / "other"
        words = {
            "diff": ["diff", str(folder), str(other), "--flips"],
            "publish": ["publish", str(folder / "out"), "--creator", "Nobody"],
        }[step]
        return lambda: command(words, standalone_mode=False)
    trial = _trial(folder)
    if step == "site":
        jobs = [job for job in trial.graph.jobs if job.step.benchmark == SITE]
    elif step == "evaluate":  # one model, one part
        jobs = trial.jobs(step)[:1]
    else:
        jobs = [job for job in trial.jobs(step) if job.step.name != "shortcuts"]
    return lambda: trial.make_jobs(jobs)


def _audits(trial: Trial) -> list[Job]:
    return [job for job in trial.jobs("aggregate") if job.step.name == "shortcuts"]


def _trial(folder: Path) -> Trial:
    return Trial(folder, folder / "params.yaml")


def _shards(pairs: int) -> int:
    return max(1, pairs // 25_000)


def _values(puzzles: int, shards: int) -> dict[str, Any]:
    models = {f"m{number:02d}": {"adapter": "first-option", "name": f"Model {number}"} for number in range(_MODELS)}
    generate = {"cvqa-synthetic": {"puzzles_per_template": puzzles, "shards": shards}}
    return {"seed": 1, "benchmarks": ["cvqa-synthetic"], "generate": generate, "judge": None, "models": models}


def _repeated(
    numbers: range, puzzles: list[dict[str, Any]], questions: list[dict[str, Any]]
) -> tuple[Iterator[dict[str, Any]], Iterator[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of `puzzles` and `questions` in order, under new ids, and of `images`."""
    by_pair: dict[str, list[dict[str, Any]]] = {}
    for question in questions:
        by_pair.setdefault(question["pair_id"], []).append(question)
    images = [_image(number) for number in numbers]
    ids = [image["image_id"] for image in images]

    def of_puzzles() -> Iterator[dict[str, Any]]:
        for number, image_id in zip(numbers, ids, strict=True):
            yield {**puzzles[number % len(puzzles)], "pair_id": _pair_id(number), "image_id": image_id}

    def of_questions() -> Iterator[dict[str, Any]]:
        for number, image_id in zip(numbers, ids, strict=True):
            for question in by_pair[puzzles[number % len(puzzles)]["pair_id"]]:
                of = {"question_id": f"{_pair_id(number)}-{question['variant']}", "pair_id": _pair_id(number)}
                yield {**question, **of, "image_ids": [image_id]}

    return of_puzzles(), of_questions(), sorted(images, key=lambda image: str(image["image_id"]))


def _pair_id(number: int) -> str:
    return f"abs_counting_{number:07d}"


def _image(number: int) -> dict[str, Any]:
    data = png.encode(Image.frombytes("RGB", (_SIDE, _SIDE), np.random.default_rng(number).bytes(3 * _SIDE**2)))
    digest = hashlib.sha256(data).hexdigest()
    image = {"bytes": data, "path": f"{digest}.png"}
    return {
        "image_id": digest,
        "image": image,
        "width": _SIDE,
        "height": _SIDE,
        "source": "drawn",
        "licence": "CC0-1.0",
    }


@contextlib.contextmanager
def _outputs(folder: Path, job: Job) -> Iterator[Outputs]:
    """The outputs of a job, which are fresh when they are written."""
    with contextlib.chdir(folder):
        outputs = Outputs(job, provenance(job))
        yield outputs
        outputs.finish()
        outputs.commit()


def _predictions(
    asked: pa.Table, model: str, generator: np.random.Generator, again: np.random.Generator | None
) -> pa.Table:
    """Rows of `predictions` for rows of `questions`: right in four of ten, in words for every second model."""
    rows = asked.num_rows
    ranked = int(model[1:]) % 2 == 0
    status = generator.choice(len(_STATUSES), rows, p=[0.97, 0.01, 0.01, 0.01])
    shift = generator.choice(4, rows, p=_SHARES)
    if again is not None:
        shift = np.where(again.random(rows) < 0.1, again.choice(4, rows, p=_SHARES), shift)
    right = np.searchsorted(_LETTERS, np.asarray(asked["answer"].to_numpy(), dtype="U1"))
    letters = _LETTERS[(right + shift) % 4]
    answered, error = status == 0, status == len(_STATUSES) - 1
    number = pa.array(generator.integers(10_000, size=rows)).cast(pa.string())
    words = pc.binary_join_element_wise("It must be", pa.array(letters), number, " ")
    made = {
        "question_id": asked["question_id"].combine_chunks(),
        "model": pa.array([model] * rows),
        "strategy": pa.array(["direct"] * rows),
        "response": pa.nulls(rows, pa.string()) if ranked else pc.if_else(pa.array(error), None, words),
        "answer": pc.if_else(pa.array(answered), pa.array(letters), None),
        "status": pa.array(_STATUSES[status]),
        "reason": pc.if_else(pa.array(answered), None, "made up"),
        "correct": pa.array(answered & (shift == 0)),
        "request_key": pa.nulls(rows, pa.string()),
        "prompt_tokens": pa.array(np.full(rows, 40)),
        "response_tokens": pa.array(generator.integers(1, 8, size=rows)),
    }
    if ranked:
        made["choice_scores"] = option_scores(generator, rows, error)
    # `pa.nulls` would also set the members of a struct to null, which its type does not allow.
    blank = {field.name: pa.array([None] * rows, field.type) for field in PREDICTIONS.schema if field.name not in made}
    return pa.table({**made, **blank})


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        make_step(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        given = [int(size) for size in sys.argv[1:] if size != "--save"]
        main(given or [20_000, 100_000], saves="--save" in sys.argv)
