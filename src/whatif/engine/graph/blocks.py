"""Blocks of parts: where a graph has very many jobs, one job of Snakemake makes several parts in turn.

Snakemake plans the first part of each block alone. Its files stand for those of the block: they are written last, and
put away while any other part of the block is due. The division changes no byte, and each part is found fresh, stale or
missing by itself, so that a job that runs again makes only the parts that are still due.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping

from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job

VARIABLE = "WHATIF_PARTS_PER_JOB"  # in the environment of a job of Snakemake, if it makes a block
_PART = "part"
_Block = tuple[str | int, ...]


def parts_per_job(jobs: Iterable[Job], most: int) -> int:
    """How many parts a job of Snakemake must make so that at most so many are planned; 1 if each can be its own.

    Only jobs that are divided into parts are joined; where that does not suffice, as far as it helps.
    """
    by_number = Counter(_number(job.wildcards) for job in jobs)

    def planned(size: int) -> int:
        return sum(count for number, count in by_number.items() if number % size == 0)

    sizes = range(1, max(by_number, default=0) + 2)
    return next((size for size in sizes if planned(size) <= most), None) or min(sizes, key=planned)


def is_first(job: Job, size: int) -> bool:
    """Whether a job is the first one of its block, which Snakemake plans."""
    return _number(job.wildcards) % size == 0


def block_of(job: Job, size: int) -> _Block:
    """What identifies the block of a job: its step, and its wildcards with the block's number for the part."""
    values = (_number(job.wildcards) // size if name == _PART else value for name, value in job.wildcards.items())
    return (job.step.rule, *values)


def jobs_of_block(graph: Graph, job: Job, size: int) -> list[Job]:
    """The jobs of a job's block, in the order of their parts."""
    wanted = block_of(job, size)
    return [one for one in graph.jobs_of(job.step) if block_of(one, size) == wanted]


def made_by(graph: Graph, job: Job) -> list[Job]:
    """The jobs that the process of a job makes: its block, itself last, if it is the first and Snakemake started it.

    Otherwise, the job alone.
    """
    size = int(os.environ.get(VARIABLE, "1"))
    if size == 1:
        return [job]
    first, *others = jobs_of_block(graph, job, size)
    return [*others, first] if job is first else [job]


def _number(wildcards: Mapping[str, str]) -> int:
    """The number of a job's part, from 0; 0 if it is not divided into parts."""
    return int(wildcards.get(_PART, "part-000").split("-")[1])
