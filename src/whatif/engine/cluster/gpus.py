"""The GPUs of one machine: a job takes those that it needs, and no other job of this user gets them before it ends.

On a cluster, the cluster does this. Elsewhere, Snakemake starts no more such jobs than there are GPUs (its resource
`gpu`, `engine/workflow/rules/common.smk`), and each job makes the GPUs that it took the only ones that it sees. A model
with `device: cuda:1` chooses its GPU itself; another job that has it is waited for.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from whatif.engine.cluster.resources import RESOURCES_FILE, models_of, wanted_by, wants_gpu
from whatif.engine.errors import WhatifError
from whatif.engine.graph.jobs import Job
from whatif.engine.processes.locks import sign

VISIBLE = "CUDA_VISIBLE_DEVICES"  # the variable by which CUDA is told which GPUs there are
_SECONDS_BETWEEN_LOOKS = 0.5

_taken: list[BinaryIO] = []  # locks; open until this process ends


def visible() -> list[str]:
    """The GPUs that a process may use, by number or identifier: those that the variable names, or all there are."""
    named = os.environ.get(VISIBLE)
    if named is not None:
        return [one for one in map(str.strip, named.split(",")) if one not in ("", "-1")]
    return sorted((path.name.removeprefix("nvidia") for path in Path("/dev").glob("nvidia[0-9]*")), key=int)


def take_gpus(job: Job, say: Callable[[str], None]) -> None:
    """Waits until as many GPUs are free as a job's models need, and takes them until this process ends.

    Call it before torch is imported. It does nothing for a job without such models, on a cluster, where no GPU is
    visible, and in a process that has taken some. Raises WhatifError when the job needs more than there are.
    """
    gpus = visible()
    if _taken or not gpus or "SLURM_JOB_ID" in os.environ or not wants_gpu(job):
        return
    if (chosen := _chosen(job, gpus)) is not None:
        _taken.extend(_waited_for(chosen, len(chosen), job.name, say).values())
        return
    number = int(wanted_by(job).get("gpu", 1))
    if number > len(gpus):
        raise WhatifError(
            f"{job.name}: needs {number} GPUs (`gpu` in {RESOURCES_FILE}), and {len(gpus)} can be used here "
            f"({', '.join(gpus)}); lower it, or run it on a machine that has them"
        )
    found = _waited_for(gpus, number, job.name, say)
    _taken.extend(found.values())
    os.environ[VISIBLE] = ",".join(found)


def _chosen(job: Job, gpus: Sequence[str]) -> list[str] | None:
    """The GPUs that the settings of a job's models name by their places, as far as there are such; None if none is."""
    devices = [getattr(model, "device", "").partition(":")[2] for model in models_of(job)]
    places = sorted({int(place) for place in devices if place.isdecimal()})
    return [gpus[place] for place in places if place < len(gpus)] if places else None


def _waited_for(gpus: Sequence[str], number: int, name: str, say: Callable[[str], None]) -> dict[str, BinaryIO]:
    """The locks of `number` of these GPUs. None is held while others are waited for, or two jobs could wait forever."""
    has_said = False
    while len(found := _free(gpus, number, name)) < number:
        for file in found.values():
            file.close()
        if not has_said:
            say(f"{name}: waiting for {'a GPU' if number == 1 else f'{number} GPUs'}: {'; '.join(map(_holder, gpus))}")
            has_said = True
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    return found


def _free(gpus: Sequence[str], number: int, name: str) -> dict[str, BinaryIO]:
    found: dict[str, BinaryIO] = {}
    for gpu in gpus:
        if len(found) == number:
            break
        file = _lock(gpu).open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        sign(file, f" ({name})")
        found[gpu] = file
    return found


def _holder(gpu: str) -> str:
    return f"{gpu} is used by {_lock(gpu).read_text(encoding='utf-8', errors='replace') or 'another job'}"


def _lock(gpu: str) -> Path:
    """The file that is locked for a GPU, the same for all checkouts of this user on this machine."""
    folder = Path(tempfile.gettempdir()) / f"whatif-gpus-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise WhatifError(f"{folder}: belongs to somebody else; remove it, or set TMPDIR to a folder of your own")
    return folder / f"{gpu.replace('/', '_')}.lock"
