"""Explains requests that a cluster refuses, before a run, and jobs that it stopped, after a run."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from whatif.engine.cluster.resources import RESOURCES_FILE, kind_of, wanted_by, wants_gpu
from whatif.engine.errors import WhatifError
from whatif.engine.graph.blocks import jobs_of_block
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.processes.owners import InUseError
from whatif.engine.workflow.stage_files import log_of

SLURM_LOGS = Path("logs/slurm")  # as in slurm/config.yaml

# Messages in Snakemake's log start here.
_BLOCK = re.compile(r"^\s*(?=\[\w{3} \w{3} +\d)|^(?=Job \S+ has been submitted)|^(?=Trying to )", re.MULTILINE)
# Slurm's words for a request that can never be met. Other refusals (a partition that is down) may be temporary.
_NEVER = re.compile(
    r"invalid|not permitted|can ?not be satisfied|configuration is not available|unknown", re.IGNORECASE
)
_OPTIONS = {
    "slurm_partition": "--partition",
    "slurm_account": "--account",
    "mem_mb": "--mem",
    "runtime": "--time",
    "cpus_per_task": "--cpus-per-task",
    "qos": "--qos",
    "constraint": "--constraint",
}
_AGAIN = "then start again; finished results are kept"
_PATIENCE = "the shared folder is slow: raise `latency-wait` in slurm/config.yaml"
# Snakemake's words for a job that succeeded but whose files are not visible here; it names each file.
_LATE = re.compile(r"^MissingOutputException.*\n.*\n((?:\S+ \(missing.*\n?)+)", re.MULTILINE)
# Messages of Slurm's daemons in a job's log, and the remedies.
_STOPPED = (
    (r"DUE TO TIME LIMIT", "was stopped at its time limit; raise `runtime` of {kind} in {file}"),
    (
        r"oom[_ -]?kill|exceeded (job |step )?memory|memory limit",
        "was stopped at its memory limit; raise `mem_mb` of {kind} in {file}",
    ),
    (r"No space left on device|disk is full", "ran out of disk space; free some space in this folder"),
    (r"Missing files after \d+ seconds", f"waited too long for files; {_PATIENCE}"),
    (r"DUE TO NODE FAILURE", "lost its node"),
    (r"CANCELLED AT", "was cancelled"),
)


def check_cluster(graph: Graph, say: Callable[[str], None], together: int = 1) -> None:
    """Asks Slurm whether it would accept the jobs whose outputs are missing, without submitting anything.

    At most so many parts are made `together`.

    Raises WhatifError when Slurm is missing or does not answer, or would never accept a kind of job: an unknown
    partition or account, more memory or time than allowed, no GPU.
    """
    for program in ("sbatch", "squeue", "sinfo"):
        if not shutil.which(program):
            raise WhatifError(
                f"--profile slurm: no `{program}` on the path; run this on a login node of the cluster, or omit "
                "`--profile slurm` to use this machine"
            )
    partitions = " ".join(sorted(set(_answer(["sinfo", "--noheader", "--format=%R"]).split())))
    for job in _one_of_each_kind(graph):
        options = _options(wanted_by(job, parts=len(jobs_of_block(graph, job, together))))
        done = _run(["sbatch", "--test-only", *options, "--wrap=true"])
        if done.returncode == 0:
            continue
        said = done.stderr.strip().splitlines() or [f"nothing, and ended with {done.returncode}"]
        told = re.sub(r"^(sbatch: )?(error: |allocation failure: )*", "", said[-1])
        line = f"{RESOURCES_FILE}: {_place(graph, job)}: sbatch rejects {shlex.join(options)}: {told}"
        if _NEVER.search(told):
            raise WhatifError(f"{line}; for example {job.name}; partitions here: {partitions}")
        say(f"{line}; jobs may have to wait")


def check_no_jobs(root: Path) -> None:
    """Raises InUseError when Slurm jobs wait or run for the checkout at `root`; whoever submitted them may have left.

    Raises WhatifError when Slurm does not answer, because the state is then unknown.
    """
    lines = [line.partition(" ") for line in _answer(["squeue", "--me", "--noheader", "--format=%A %Z"]).splitlines()]
    ids = sorted({number for number, _, folder in lines if Path(folder).resolve() == root.resolve()}, key=int)
    if ids:
        raise InUseError(f"Slurm jobs {', '.join(ids)} wait or run", f"cancel them: scancel {' '.join(ids)}")


def explain(graph: Graph, logs: Iterable[str], folder: Path = SLURM_LOGS) -> list[str]:
    """One line for each failed Slurm job, from Snakemake's logs of the run: job, cause, remedy and log files.

    `folder` holds Slurm's own logs. A job that never started has none.
    """
    by_log = {log_of(job.step).format(**job.wildcards): job for job in graph.jobs}
    lines: dict[str, None] = {}
    text = "\n".join(Path(log).read_text(encoding="utf-8", errors="replace") for log in logs)
    for block in _BLOCK.split(text):
        # Snakemake lists each job of a failed group again, without a message.
        if "Error in " not in block or "message: None" in block:
            continue
        named = dict.fromkeys(re.findall(r"logs/[\w./-]+\.log", block))
        if jobs := [by_log[name] for name in named if name in by_log]:
            lines[_explained(graph, block, jobs, folder)] = None
    by_output = {str(path): job for job in graph.jobs for path in (*job.outputs.values(), *job.published)}
    for late in _LATE.finditer(text):
        files = [line.partition(" ")[0] for line in late[1].splitlines()]
        if named := dict.fromkeys(by_output[file].name for file in files if file in by_output):
            names = ", ".join(named)
            lines[f"{names}: succeeded, but {files[0]} is not visible here; {_PATIENCE}, {_AGAIN}"] = None
    return list(lines) or [f"--quiet hides the names of the failed jobs; their Slurm logs are in {folder}; {_AGAIN}"]


def _explained(graph: Graph, block: str, jobs: list[Job], folder: Path) -> str:
    names = ", ".join(job.name for job in jobs)
    own = [log_of(job.step).format(**job.wildcards) for job in jobs]
    place = re.search(rf"\S*{re.escape(str(folder))}/\S*?/(\d+)\.log", block)
    if place is None:
        told = re.search(r"error message was '(.*?)'", block, re.DOTALL)
        why = " ".join(told[1].split()) if told else "a group requests the sum of its jobs: group fewer jobs"
        return f"{names}: rejected by Slurm: {why}; change {RESOURCES_FILE} or slurm/config.yaml, {_AGAIN}"
    log = Path(place[0])
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else "CANCELLED AT"
    what = next((said for pattern, said in _STOPPED if re.search(pattern, text, re.IGNORECASE)), "")
    if not what:
        said = re.findall(r"^whatif: .+", text, re.MULTILINE)
        what = said[-1].removeprefix("whatif: ") if said else "failed; see its log"
    kinds = " and ".join(sorted({f"`{_place(graph, job)}`" for job in jobs}))
    what = what.replace("{kind}", kinds).replace("{file}", str(RESOURCES_FILE))
    logs = ", ".join([str(log) if log.exists() else "no Slurm log", *(path for path in own if Path(path).exists())])
    return f"Slurm job {place[1]} ({names}): {what}; {_AGAIN}. Logs: {logs}"


def _one_of_each_kind(graph: Graph) -> list[Job]:
    """One job of each kind, with and without GPU, among the jobs to run, if possible one of a step in parts."""
    ordered = sorted(graph.jobs, key=lambda job: "part" in job.wildcards)
    found = {_place(graph, job): job for job in ordered if not _is_there(job)}
    return [found[place] for place in sorted(found)]


def _is_there(job: Job) -> bool:
    return all(path.exists() for path in job.outputs.values())


def _place(graph: Graph, job: Job) -> str:
    return kind_of(job) + (".with_gpu" if wants_gpu(job) else "")


def _options(wanted: dict[str, int | str]) -> list[str]:
    options = [f"{_OPTIONS[name]}={wanted[name]}" for name in _OPTIONS if name in wanted]
    if "gpu" in wanted or "gpu_model" in wanted:
        model = f"{wanted['gpu_model']}:" if "gpu_model" in wanted else ""
        options.append(f"--gpus={model}{wanted.get('gpu', 1)}")
    return [*options, *shlex.split(str(wanted.get("slurm_extra", "")))]


def _answer(command: list[str]) -> str:
    done = _run(command)
    if done.returncode:
        told = " ".join(done.stderr.split()) or f"ended with {done.returncode}"
        raise WhatifError(f"--profile slurm: Slurm does not answer: {told}; `{command[0]}` must work before a run can")
    return done.stdout


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        raise WhatifError(f"no `{command[0]}` on the path; continue on a login node of the cluster") from None
    except subprocess.TimeoutExpired:
        raise WhatifError(
            f"--profile slurm: `{command[0]}` gave no answer in a minute; Slurm is down or busy"
        ) from None
