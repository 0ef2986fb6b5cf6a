"""Processor seconds and peak memory of planning a project with many jobs, and of a run on a simulated Slurm.

    python -m bench.many_jobs 1000 10000 100000         # prints a table: command, jobs, seconds, memory, exponents

The project asks many models about a benchmark in many parts. All jobs are due, or all but those of the tables are made.
The simulated Slurm takes each job and computes nothing. Each command runs in a process of its own. The plain
Snakefile has the same rules, written out without parameters, graph or freshness. The exponent is that of growth with
the number of jobs, 1 for proportional; memory is the peak of the process.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import yaml

from whatif import benchmarks
from whatif.engine.artifacts import verified
from whatif.engine.artifacts.reader import footer_of
from whatif.engine.graph.freshness import provenance
from whatif.engine.graph.run import Outputs
from whatif.engine.graph.steps import Step
from whatif.engine.workflow.stage_files import log_of

ROOT = Path(__file__).parents[1]
_MOST_PARTS = 999  # that a part's name has room for
_PARTS_PER_MODEL = 10
_STATUS = ("whatif", "status")
_PLAN = ("snakemake", "--dry-run", "--cores", "1", "--quiet", "rules")
_DUE = {
    "whatif status": _STATUS,
    "snakemake -n": _PLAN,
    "snakemake -n, Slurm": (*_PLAN, "--profile", "slurm"),
    "whatif make, -n": ("whatif", "make", "aggregate", "--", *_PLAN[1:]),
}
_MADE = {"whatif status, made": _STATUS, "snakemake -n, made": _PLAN}
_RUN = (
    *("snakemake", "--cores", "8", "--profile", "slurm", "--jobs", "1000", "--max-jobs-per-timespan", "1000/1s"),
    *("--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "5"),
)
_SIMULATED = {"simulated Slurm": _RUN}
_SLURM = r"""#!{python} -IS
import json, os, re, sys
folder, name = os.path.split(os.path.abspath(sys.argv[0]))
taken = os.path.join(folder, "taken")
if name == "sinfo":
    print("main")
elif name == "scontrol":
    print("MinJobAge = 300 sec")
elif name == "squeue":
    print("".join(line.strip() + "|COMPLETED\n" for line in open(taken)), end="")
elif name == "sbatch" and "--test-only" not in sys.argv:
    rules = json.load(open(os.path.join(folder, "rules.json")))
    (command,) = [word for word in sys.argv if word.startswith("--wrap")]
    jobs = command.split("--target-jobs")[1].split(" --")[0]
    for rule, values in re.findall(r"\b(\w+):((?:\w+=[a-z0-9-]+,?)*)", jobs):
        given = dict(one.split("=") for one in values.split(",") if one)
        for path in [pattern.format(**given) for pattern in rules[rule]]:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "a").close()
    with open(taken, "a") as file:
        number = file.tell() + 1
        file.write(str(number) + "\n")
    print(number)
"""
_PLAIN_RULE = """
rule {name}:
    input: {inputs}
    output: {outputs}
    log: "{log}"
    shell: "touch {{output}} 2>&1 | tee {{log}}"
"""


def measured(command: tuple[str, ...], folder: Path, programs: Path) -> tuple[float, float]:
    """Processor seconds and peak GiB of a process and of those that it started. Raises RuntimeError when it fails."""
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryFile("w+") as said:
        started = subprocess.Popen(
            command, cwd=folder, env={**os.environ, "PATH": path}, stdout=subprocess.DEVNULL, stderr=said
        )
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if started.returncode:
            raise RuntimeError(f"{' '.join(command)}: {said.read()[-3000:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20


def project(folder: Path, parts: int, models: int) -> None:
    """A project with a benchmark in so many parts, about which so many models are asked; nothing is made."""
    folder.mkdir()
    for name in ("Snakefile", "profiles", "slurm", "src", "stages"):
        (folder / name).symlink_to(ROOT / name)
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    values["benchmarks"] = ["cvqa-synthetic"]
    values["generate"]["cvqa-synthetic"]["shards"] = parts
    values["models"] = {f"model-{number}": {"adapter": "random"} for number in range(models)}
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")


def plain_project(folder: Path, ours: Path) -> None:
    """The rules of a project of ours written out: the same files, without any code of ours."""
    folder.mkdir()
    with contextlib.chdir(ours):
        graph = benchmarks.graph(benchmarks.load_params())
    steps = [step for benchmark in graph.benchmarks.values() for step in benchmark.steps]
    values = {_values_of(step, name): given for step in steps for name, given in graph.values(step).items()}
    text = "".join(f"{name} = {given!r}\n" for name, given in values.items())
    made = ", ".join(
        _expanded(path, step, ())
        for step in graph.steps("aggregate")
        for path in (*step.paths.values(), *step.text_files)
    )
    text += f"\nrule all:\n    default_target: True\n    input: {made}\n"
    for step in steps:
        makers = [(graph.maker(step, given), given.role) for given in step.inputs.values()]
        inputs = (_expanded(maker.paths[role], maker, step.wildcards) for maker, role in makers if maker)
        outputs = ", ".join(f'"{path}"' for path in (*step.paths.values(), *step.text_files))
        text += _PLAIN_RULE.format(name=step.rule, inputs=", ".join(inputs), outputs=outputs, log=log_of(step))
    (folder / "Snakefile").write_text(text, encoding="utf-8")


def _expanded(path: str, maker: Step, kept: Sequence[str]) -> str:
    """The words of a Snakefile for all files of a pattern, with the wildcards that the rule has too."""
    every = [name for name in maker.wildcards if name not in kept]
    if not every:
        return f'"{path}"'
    for name in set(maker.wildcards) & set(kept):
        path = path.replace(f"{{{name}}}", f"{{{{{name}}}}}")
    return f'expand("{path}", {", ".join(f"{name}={_values_of(maker, name)}" for name in every)})'


def _values_of(step: Step, wildcard: str) -> str:
    """The name of the list of a wildcard's values; steps share wildcards, but not always their values."""
    return f"{step.rule}_{wildcard}".upper()


def make(folder: Path) -> None:
    """Fresh artifacts without rows, of all jobs but those of the tables."""
    with contextlib.chdir(folder):
        for job in benchmarks.graph(benchmarks.load_params()).jobs:
            if job.step.stage == "aggregate":
                continue
            outputs = Outputs(job, provenance(job))
            for role in job.outputs:
                outputs.write(role, [])
            outputs.finish()
            outputs.commit()
            for path in job.outputs.values():
                verified.remember(path, footer_of(path).content)


def simulated_slurm(folder: Path) -> Path:
    """The folder of the programs of a Slurm that only takes jobs, and at once writes empty files where Snakemake looks.

    Its file `taken` has a line for each job that was submitted.
    """
    stub = folder.parent / "slurm"
    stub.mkdir()
    with contextlib.chdir(folder):
        graph = benchmarks.graph(benchmarks.load_params())
    steps = [step for benchmark in graph.benchmarks.values() for step in benchmark.steps]
    rules = {step.rule: [*step.paths.values(), *step.published(graph.params)] for step in steps}
    (stub / "rules.json").write_text(json.dumps(rules), encoding="utf-8")
    for name in ("sbatch", "squeue", "sinfo", "scontrol", "scancel"):
        (stub / name).write_text(_SLURM.replace("{python}", sys.executable), encoding="utf-8")
        (stub / name).chmod(0o755)
    return stub


def main(sizes: list[int]) -> None:
    """Prints the table of all commands at all sizes."""
    found: dict[str, list[tuple[float, float]]] = {}
    for jobs in sizes:
        parts = min(_MOST_PARTS, round(math.sqrt(_PARTS_PER_MODEL * jobs)))
        with tempfile.TemporaryDirectory() as folder:
            ours, plain = Path(folder, "ours"), Path(folder, "plain")
            project(ours, parts, round(jobs / parts) - 1)
            plain_project(plain, ours)
            stub = simulated_slurm(ours)
            for commands, where in (
                ({"plain Snakefile": _PLAN}, plain),
                (_DUE, ours),
                (_MADE, ours),
                (_SIMULATED, ours),
            ):
                if commands is _MADE:
                    make(ours)
                elif commands is _SIMULATED:
                    shutil.rmtree(ours / "data")
                for name, command in commands.items():
                    found.setdefault(name, []).append(measured(command, where, stub))
                    print(f"  {name}, {jobs:,} jobs: {found[name][-1]}", file=sys.stderr, flush=True)
            submitted = len((stub / "taken").read_text(encoding="utf-8").splitlines())
            print(f"  submitted to the simulated Slurm: {submitted:,}", file=sys.stderr, flush=True)
    print(f"{'command':24}{'jobs':>10}{'seconds':>10}{'GiB':>8}{'ms a job':>10}{'exponent':>10}")
    for name, values in found.items():
        for place, (jobs, (seconds, gib)) in enumerate(zip(sizes, values, strict=True)):
            row = f"{name:24}{jobs:>10,}{seconds:>10.1f}{gib:>8.2f}"
            if place:
                before, less = values[place - 1][0], sizes[place - 1]
                slope = (seconds - before) * 1000 / (jobs - less)
                row += f"{slope:>10.2f}{math.log(seconds / before) / math.log(jobs / less):>10.2f}"
            print(row)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1_000, 10_000])
