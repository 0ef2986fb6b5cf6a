"""The resources that each job requests from a cluster, by its kind and its models' device (`slurm/resources.yaml`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import Field, field_validator

from whatif.engine.graph.blocks import block_of, is_first
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.steps import Step
from whatif.engine.params.base import Settings
from whatif.engine.params.checkpoints import DiffusionCheckpoint, LocalCheckpoint
from whatif.engine.params.endpoints import EndpointModel, ServedModel
from whatif.engine.params.files import read_settings
from whatif.engine.params.generators import DiffusersGenerator, ImagesApiGenerator
from whatif.engine.workflow import project_files

RESOURCES_FILE = Path("slurm/resources.yaml")
# These grow with each try: a job that was stopped at a limit gets further the next time.
_GROWS = ("mem_mb", "runtime")

Wanted = Mapping[str, int | str]
_Model: TypeAlias = LocalCheckpoint | EndpointModel | ImagesApiGenerator


class Kind(StrEnum):
    """The kind of work that a job does."""

    CPU = "cpu"
    MODEL = "model"
    IMAGES = "images"


class Ask(Settings):
    """The resources that a job requests, by Snakemake's names; null is the cluster's default."""

    slurm_partition: str | None = None
    slurm_account: str | None = None
    mem_mb: int | None = Field(default=None, ge=1)
    runtime: int | None = Field(default=None, ge=1)  # minutes
    cpus_per_task: int | None = Field(default=None, ge=1)
    gpu: int | None = Field(default=None, ge=0)
    gpu_model: str | None = None
    qos: str | None = None
    constraint: str | None = None
    slurm_extra: str | None = None


class KindAsk(Ask):
    """The resources that a kind of job requests, and the changes if its model uses a GPU."""

    with_gpu: Ask = Ask(gpu=1)

    @field_validator("gpu", "gpu_model")
    @classmethod
    def _only_with_gpu(cls, value: int | str | None) -> int | str | None:
        if value is not None:
            raise ValueError("belongs under `with_gpu`: only jobs whose model uses a GPU request one")
        return value


class Resources(Settings):
    """`slurm/resources.yaml`.

    most_jobs: the most jobs that Snakemake plans; if there are more, one makes several parts in turn.
    """

    most_jobs: int = Field(default=2000, ge=1)
    cpu: KindAsk = KindAsk()
    model: KindAsk = KindAsk()
    images: KindAsk = KindAsk()


def kind_of(job: Job) -> Kind:
    """Whether a job draws images with a diffusion model, uses another model, or uses none."""
    models = models_of(job)
    if any(isinstance(model, DiffusionCheckpoint | DiffusersGenerator) for model in models):
        return Kind.IMAGES
    return Kind.MODEL if models else Kind.CPU


def wants_gpu(job: Job) -> bool:
    """Whether a model of the job has a `device` other than the CPU, or a device map."""
    here = [model for model in models_of(job) if isinstance(model, LocalCheckpoint | ServedModel)]
    return any(model.device.split(":")[0] != "cpu" or getattr(model, "device_map", None) for model in here)


def models_of(job: Job) -> list[_Model]:
    """The settings of the models that a job uses; a table, for example, reads the names of all models but uses none."""
    return [model for settings in job.settings for model in _models_in(settings)]


def _models_in(settings: Settings) -> Iterator[_Model]:
    if isinstance(settings, _Model):
        yield settings
        return
    for name in type(settings).model_fields:
        if isinstance(value := getattr(settings, name), Settings):
            yield from _models_in(value)


def wanted_by(job: Job, file: Path = RESOURCES_FILE, parts: int = 1) -> dict[str, int | str]:
    """The resources that a job requests on its first try: name -> value, without nulls.

    A job that makes several `parts` in turn has the time of all of them. Raises WhatifError for an error in the file,
    naming its place.
    """
    wanted = dict(_wanted(kind_of(job), wants_gpu(job), file))
    if isinstance(minutes := wanted.get("runtime"), int):
        wanted["runtime"] = minutes * parts
    return wanted


def resources_of(graph: Graph, step: Step, file: Path = RESOURCES_FILE, together: int = 1) -> dict[str, Any]:
    """The resources of a step's rule: values, or functions if they differ between its jobs or between tries.

    At most so many parts are made `together`, by the job of the first. Raises WhatifError as `wanted_by` does.
    """
    jobs = graph.jobs_of(step)
    parts = Counter(block_of(job, together) for job in jobs)
    asks = {
        _key(step, job.wildcards): wanted_by(
            job, file, parts[block_of(job, together)] if is_first(job, together) else 1
        )
        for job in jobs
    }
    names = sorted({name for ask in asks.values() for name in ask})
    resources: dict[str, Any] = {}
    for name in names:
        values = {ask.get(name) for ask in asks.values()}
        same = len(values) == 1 and name not in _GROWS
        resources[name] = values.pop() if same else _by_job(step, asks, name)
    return resources


def group_of(graph: Graph, step: Step) -> Callable[[Any], str | None] | str | None:
    """The group of a step's rule: jobs without a model may share a cluster job, jobs with a model do not."""
    grouped = {_key(step, job.wildcards): kind_of(job) is Kind.CPU for job in graph.jobs_of(step)}
    if len(set(grouped.values())) == 1:
        return step.rule if next(iter(grouped.values())) else None
    return lambda wildcards: step.rule if grouped[_key(step, dict(wildcards.items()))] else None


@cache
def _wanted(kind: Kind, with_gpu: bool, file: Path) -> Wanted:
    ask: KindAsk = getattr(load_resources(file), kind)
    values = {**ask.model_dump(exclude={"with_gpu"}), **(_given(ask.with_gpu) if with_gpu else {})}
    return {name: value for name, value in values.items() if value is not None}


@cache
def load_resources(file: Path = RESOURCES_FILE) -> Resources:
    """Reads and checks `slurm/resources.yaml`; a project without this file has the values that whatif comes with.

    Raises WhatifError with one line per error; see `read_settings`.
    """
    if file == RESOURCES_FILE and not file.exists():
        file = project_files.HERE / RESOURCES_FILE
    return read_settings(Resources, file, remedy=f"restore it with `git checkout {file}`")


def _by_job(step: Step, asks: Mapping[tuple[str, ...], Wanted], name: str) -> Callable[[Any, int], int | str | None]:
    def value(wildcards: Any, attempt: int) -> int | str | None:
        asked = asks[_key(step, dict(wildcards.items()))].get(name)
        return asked * attempt if name in _GROWS and isinstance(asked, int) else asked

    return value


def _key(step: Step, wildcards: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(wildcards[name] for name in step.wildcards)


def _given(ask: Ask) -> dict[str, int | str]:
    return {name: value for name, value in ask.model_dump().items() if value is not None}
