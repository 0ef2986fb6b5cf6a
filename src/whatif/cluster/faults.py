"""What a cluster refuses, said before a run begins, and what it stopped, said with log and remedy when one ends."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from whatif.cluster.resources import RESOURCES_FILE, kind_of, wanted_by, wants_gpu
from whatif.errors import WhatifError
from whatif.graph.graph import Graph, Job
from whatif.processes.owners import InUseError
from whatif.workflow.snakemake import log_of

SLURM_LOGS = Path("logs/slurm")  # as slurm/config.yaml has it

# Where one message of Snakemake's log ends and the next begins.
_BLOCK = re.compile(r"^\s*(?=\[\w{3} \w{3} +\d)|^(?=Job \S+ has been submitted)|^(?=Trying to )", re.MULTILINE)
# What Slurm says of a request that no waiting will fulfil. Anything else (a partition that is down) may pass.
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
_AGAIN = "then start again: what is finished stays"
_PATIENCE = "the shared folder is slow: raise `latency-wait` in slurm/config.yaml"
# Snakemake's words for a job that ended well and whose files this machine does not see, which it names line by line.
_LATE = re.compile(r"^MissingOutputException.*\n.*\n((?:\S+ \(missing.*\n?)+)", re.MULTILINE)
# The words of Slurm's daemons in the log of a job, and what to do about them.
_STOPPED = (
    (r"DUE TO TIME LIMIT", "was stopped at its time limit; raise `runtime` of {kind} in {file}"),
    (
        r"oom[_ -]?kill|exceeded (job |step )?memory|memory limit",
        "was stopped at its memory limit; raise `mem_mb` of {kind} in {file}",
    ),
    (r"No space left on device|disk is full", "found the disk full; make room in this folder"),
    (r"Missing files after \d+ seconds", f"did not see files in time; {_PATIENCE}"),
    (r"DUE TO NODE FAILURE", "lost its node"),
    (r"CANCELLED AT", "was cancelled"),
)


def check_cluster(graph: Graph, say: Callable[[str], None]) -> None:
    """Asks Slurm, without handing anything in, whether it would take the jobs whose outputs are not there.

    Raises WhatifError when there is no Slurm here or it does not answer, and when it would refuse a kind of job
    whenever it came: an unknown partition or account, more memory or time than there is, no GPU.
    """
    for program in ("sbatch", "squeue", "sinfo"):
        if not shutil.which(program):
            raise WhatifError(
                f"--profile slurm: no `{program}` on the path; start on a login node of the cluster, or leave "
                "`--profile slurm` out to run on this machine"
            )
    partitions = " ".join(sorted(set(_answer(["sinfo", "--noheader", "--format=%R"]).split())))
    for job in _one_of_each_kind(graph):
        options = _options(wanted_by(job))
        done = _run(["sbatch", "--test-only", *options, "--wrap=true"])
        if done.returncode == 0:
            continue
        said = done.stderr.strip().splitlines() or [f"nothing, and ended with {done.returncode}"]
        told = re.sub(r"^(sbatch: )?(error: |allocation failure: )*", "", said[-1])
        line = f"{RESOURCES_FILE}: {_place(graph, job)}: sbatch says of {shlex.join(options)}: {told}"
        if _NEVER.search(told):
            raise WhatifError(f"{line}; for example {job.name}; partitions here: {partitions}")
        say(f"{line}; jobs may wait until that has passed")


def check_no_jobs(root: Path) -> None:
    """Raises InUseError when jobs of Slurm wait or run for the checkout at `root`: whoever handed them in may be gone.

    Raises WhatifError when Slurm does not answer, so that nobody knows.
    """
    lines = [line.partition(" ") for line in _answer(["squeue", "--me", "--noheader", "--format=%A %Z"]).splitlines()]
    ids = sorted({number for number, _, folder in lines if Path(folder).resolve() == root.resolve()}, key=int)
    if ids:
        raise InUseError(f"Slurm jobs {', '.join(ids)} of it wait or run", f"end them: scancel {' '.join(ids)}")


def explain(graph: Graph, logs: Iterable[str], folder: Path = SLURM_LOGS) -> list[str]:
    """A line for each job of Slurm that failed, from Snakemake's own logs of the run: its name, why, remedy and logs.

    `folder` is where Slurm writes; its log of a job that never began is not there.
    """
    by_log = {log_of(job.step).format(**job.wildcards): job for job in graph.jobs}
    lines: dict[str, None] = {}
    text = "\n".join(Path(log).read_text(encoding="utf-8", errors="replace") for log in logs)
    for block in _BLOCK.split(text):
        # Snakemake repeats each job of a group that failed, without a message.
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
            lines[f"{names}: ended well, but {files[0]} is not to be seen here; {_PATIENCE}, {_AGAIN}"] = None
    return list(lines) or [
        f"no job is named because of --quiet: {folder} has Slurm's logs of those that failed; {_AGAIN}"
    ]


def _explained(graph: Graph, block: str, jobs: list[Job], folder: Path) -> str:
    names = ", ".join(job.name for job in jobs)
    own = [log_of(job.step).format(**job.wildcards) for job in jobs]
    place = re.search(rf"\S*{re.escape(str(folder))}/\S*?/(\d+)\.log", block)
    if place is None:
        told = re.search(r"error message was '(.*?)'", block, re.DOTALL)
        why = (
            " ".join(told[1].split()) if told else "as a group they ask for the sum, within --cores: try fewer at once"
        )
        return f"{names}: not taken by Slurm: {why}; change {RESOURCES_FILE} or slurm/config.yaml, {_AGAIN}"
    log = Path(place[0])
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else "CANCELLED AT"
    what = next((said for pattern, said in _STOPPED if re.search(pattern, text, re.IGNORECASE)), "")
    if not what:
        said = re.findall(r"^whatif: .+", text, re.MULTILINE)
        what = said[-1].removeprefix("whatif: ") if said else "failed; its log says why"
    kinds = " and ".join(sorted({f"`{_place(graph, job)}`" for job in jobs}))
    what = what.replace("{kind}", kinds).replace("{file}", str(RESOURCES_FILE))
    logs = ", ".join([str(log) if log.exists() else "none by Slurm", *(path for path in own if Path(path).exists())])
    return f"Slurm job {place[1]} ({names}): {what}; {_AGAIN}. Logs: {logs}"


def _one_of_each_kind(graph: Graph) -> list[Job]:
    """A job of each kind, with and without GPU, among those that are to be done."""
    found = {_place(graph, job): job for job in graph.jobs if not _is_there(job)}
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
        raise WhatifError(f"no `{command[0]}` on the path; go on on a login node of the cluster") from None
    except subprocess.TimeoutExpired:
        raise WhatifError(
            f"--profile slurm: `{command[0]}` gave no answer in a minute; Slurm is down or busy"
        ) from None
