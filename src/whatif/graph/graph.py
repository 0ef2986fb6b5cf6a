"""The dependency graph: the jobs that result from the settings and from the steps of the selected benchmarks."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from whatif.errors import WhatifError
from whatif.files.named_folders import named_path
from whatif.graph.reading import Reading, leaves, named_outside, read
from whatif.graph.steps import Benchmark, OutputOf, Step
from whatif.graph.task import Input, Outputs, Task
from whatif.params.base import Settings
from whatif.params.models import ModelSettings
from whatif.params.whole import Params

_NOTHING = Reading(None, {}, ())
# The functions that a task calls to read its inputs. Step functions only call the task.
_READERS = ("whatif.artifacts.reader:read", "whatif.artifacts.reader:rows_of", "whatif.artifacts.images:ImageStore")


@dataclass(frozen=True, eq=False)
class Job:
    """A step with a value for each of its wildcards. Paths are relative to the root of the project.

    inputs: role -> the artifacts of earlier jobs.
    outputs: role -> path.
    before: the jobs that make the inputs.
    reading: the benchmark's settings that the job reads.
    shown: the fields that the job reads of the models in a table, by wildcard and model key.
    model, model_key: the model that the job asks, if the step is divided by models.
    """

    step: Step
    wildcards: Mapping[str, str]
    inputs: Mapping[str, Input]
    outputs: Mapping[str, Path]
    before: tuple[Job, ...]
    params: Params
    reading: Reading = _NOTHING
    shown: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None
    model: ModelSettings | None = None

    @cached_property
    def name(self) -> str:
        """The name shown to users, for example `generate cvqa-synthetic part-000-of-004`."""
        step = self.step
        return " ".join(filter(None, [step.stage, step.benchmark, step.name, *self.wildcards.values()]))

    @property
    def model_key(self) -> str | None:
        """The key of the model that the job asks, or None if it asks none."""
        dimension = self.step.asks
        return self.wildcards[dimension.name] if dimension else None

    @property
    def evaluated_key(self) -> str | None:
        """The key of the model in whose folder the outputs are, or None if the step is not divided by models first.

        It differs from `model_key` where a judge reads what another model has answered.
        """
        first = next(iter(self.step.divided_by), None)
        return self.wildcards[first.name] if first and first.is_model else None

    @cached_property
    def published(self) -> tuple[Path, ...]:
        """The text files that the job publishes in addition to its artifacts."""
        return tuple(Path(path) for path in self.step.text_files)

    @cached_property
    def input_paths(self) -> tuple[Path, ...]:
        """All artifacts that the job reads."""
        return tuple(path for given in self.inputs.values() for path in given.paths)

    @property
    def plain_parameters(self) -> dict[str, Any]:
        """Every parameter value that this job reads, by its dotted path."""
        values: dict[str, Any] = {"seed": self.params.seed} if self.step.seed else {}
        for path, value in self.reading.values.items():
            values.update(leaves(path, value))
        if self.model is not None:
            place = f"models.{self.model_key}"
            ignored = {f"{place}.{field}" for one in self.step.divided_by if one.is_asked for field in one.ignores}
            values.update({key: value for key, value in leaves(place, self.model).items() if key not in ignored})
        for of_models in (self.shown or {}).values():
            for key, fields in of_models.items():
                values.update({f"models.{key}.{field}": value for field, value in fields.items()})
        return values

    @property
    def settings(self) -> list[Settings]:
        """The settings that the job uses: those that it reads, and those of its model."""
        found = [value for value in self.reading.values.values() if isinstance(value, Settings)]
        return [*found, self.model] if self.model is not None else found

    @property
    def source_paths(self) -> dict[str, Path]:
        """The existing files and folders outside the graph that this job reads, by their names in the settings."""
        return {name: path for name, path in self.named_sources.items() if path.exists()}

    @cached_property
    def named_sources(self) -> dict[str, Path]:
        """The files and folders outside the graph that the settings name, whether or not they exist."""
        named = [*self.reading.outside, *(named_outside(self.model) if self.model is not None else ())]
        return {name: named_path(name) for name in named}

    @property
    def package_files(self) -> dict[str, Path]:
        """The data files of Python packages that this job reads, by their names `package:path`."""
        named = [*self.step.package_files]
        for one in self.step.divided_by:
            value = self.wildcards[one.name]
            named += [pattern.format(value) for pattern in one.package_files] + [*one.files(self.params, value)]
        return {name: _package_file(name) for name in sorted(named)}

    @cached_property
    def code_roots(self) -> list[str]:
        """The roots of this job's code, as `module:name`.

        They are the step's function, the code that it looks up, the readers of its inputs, and the types of its
        settings.
        """
        looked_up = [root for one in self.step.divided_by for root in one.code(self.params, self.wildcards[one.name])]
        types = {type(value) for value in self.settings}
        readers = _READERS if self.inputs else ()
        return [
            self.step.root,
            *looked_up,
            *readers,
            *sorted(f"{kind.__module__}:{kind.__qualname__}" for kind in types),
        ]

    def task(self, outputs: Outputs, say: Any, **changes: Any) -> Task[Any]:
        """The task that is passed to the step's function; `changes` replace its fields."""
        given: dict[str, Any] = {
            "given_seed": self.params.seed if self.step.seed else None,
            "own_model": self.model,
            "shown": self.shown,
            **changes,
        }
        return Task(
            settings=self.reading.settings,
            inputs=self.inputs,
            outputs=outputs,
            wildcards=self.wildcards,
            name=self.name,
            benchmark=self.step.benchmark,
            say=say,
            **given,
        )


class Graph:
    """All jobs of the selected benchmarks, each after the jobs that make its inputs."""

    def __init__(self, params: Params, benchmarks: Iterable[Benchmark]) -> None:
        self.params = params
        self.benchmarks = {benchmark.name: benchmark for benchmark in benchmarks}
        self._jobs: dict[Step, list[Job]] = {}
        for benchmark in self.benchmarks.values():
            for step in benchmark.steps:
                self._jobs[step] = self._jobs_of(benchmark, step)
        self.jobs = [job for jobs in self._jobs.values() for job in jobs]
        self.producer: dict[Path, Job] = {}
        for job in self.jobs:
            for path in job.outputs.values():
                if path in self.producer:
                    raise ValueError(f"{job.name} and {self.producer[path].name}: both make {path}")
                self.producer[path] = job

    def steps(self, stage: str) -> list[Step]:
        """The steps of one stage in all benchmarks."""
        return [step for benchmark in self.benchmarks.values() for step in benchmark.steps_of(stage)]

    def steps_of(self, stage: str, benchmark: str, chosen: Collection[str] = (), name: str | None = None) -> list[Step]:
        """The steps of one stage of one benchmark, or only the step called `name`.

        A step without a name goes by the name of its stage. Only the steps that are divided by all of the `chosen`
        wildcards are returned; if there are none, the first step is. Raises WhatifError when the benchmark is not in
        params.yaml, or has no such stage or no step of this name.
        """
        if benchmark not in self.benchmarks:
            raise WhatifError(f"{benchmark}: not among the benchmarks of params.yaml ({', '.join(self.benchmarks)})")
        steps = self.benchmarks[benchmark].steps_of(stage)
        if not steps:
            stages = dict.fromkeys(step.stage for step in self.benchmarks[benchmark].steps)
            raise WhatifError(f"{benchmark}: has no stage {stage}; it has {', '.join(stages)}")
        if name is not None:
            known = ", ".join(step.name for step in steps if step.name) or "none with a name"
            steps = [step for step in steps if (step.name or stage) == name]
            if not steps:
                raise WhatifError(f"{stage} {benchmark}: has no step {name}; there are {known}")
        return [step for step in steps if set(chosen) <= set(step.wildcards)] or steps[:1]

    def needed_for(self, jobs: Iterable[Job]) -> list[Job]:
        """The given jobs and all jobs that they depend on, in the order of the graph."""
        needed: set[Job] = set()
        waiting = list(jobs)
        while waiting:
            job = waiting.pop()
            if job not in needed:
                needed.add(job)
                waiting.extend(job.before)
        return [job for job in self.jobs if job in needed]

    def values(self, step: Step) -> dict[str, list[str]]:
        """The values of each wildcard of a step."""
        return {one.name: list(one.values(self.params, step.benchmark)) for one in step.divided_by}

    def jobs_of(self, step: Step, chosen: Mapping[str, str] | None = None) -> list[Job]:
        """The jobs of a step, or only those with the chosen values of wildcards.

        Raises WhatifError, which names the known values, when the step does not have a chosen wildcard or value.
        """
        chosen = chosen or {}
        for name, value in chosen.items():
            if name not in step.wildcards:
                raise WhatifError(f"{step.stage} {step.benchmark}: is not divided by {name}; leave --{name} out")
            values = self.values(step)[name]
            if value not in values:
                known = ", ".join(values) or "none"
                is_model = next(one for one in step.divided_by if one.name == name).is_model
                if is_model and value in self.params.models:
                    raise WhatifError(
                        f"{step.stage} {step.benchmark}: {value} is not evaluated here: see its `adapter` and "
                        f"`benchmarks` in params.yaml; there are {known}"
                    )
                raise WhatifError(
                    f"{step.stage} {step.benchmark}: {name} {value} is not in params.yaml; there are {known}"
                )
        return [job for job in self._jobs[step] if all(job.wildcards[name] == chosen[name] for name in chosen)]

    def stage_outputs(self, stage: str) -> list[str]:
        """Every file that a stage produces: artifacts and text files."""
        jobs = [job for step in self.steps(stage) for job in self._jobs[step]]
        return [str(path) for job in jobs for path in (*job.outputs.values(), *job.published)]

    def _jobs_of(self, benchmark: Benchmark, step: Step) -> list[Job]:
        reading = _NOTHING
        if step.reads is not None:
            reading = read(step.reads, step.benchmark, self.params.sections[step.benchmark])
        shown = {
            one.dimension.name: self._shown(one.dimension.values(self.params, step.benchmark), one.fields)
            for one in step.shown
        } or None
        known = {role: self._inputs(benchmark, step, role, output) for role, output in step.inputs.items()}
        names = step.wildcards
        jobs = []
        for chosen in itertools.product(*self.values(step).values()):
            wildcards = dict(zip(names, chosen, strict=True))
            found = {
                role: by_shared[tuple(wildcards[name] for name in names)] for role, (names, by_shared) in known.items()
            }
            jobs.append(
                Job(
                    step,
                    wildcards,
                    {role: given for role, (given, _) in found.items()},
                    {role: Path(path.format(**wildcards)) for role, path in step.paths.items()},
                    tuple(dict.fromkeys(job for _, made in found.values() for job in made)),
                    self.params,
                    reading,
                    shown,
                    self._model(step, wildcards),
                )
            )
        return jobs

    def _inputs(
        self, benchmark: Benchmark, step: Step, role: str, output: OutputOf
    ) -> tuple[list[str], dict[tuple[str, ...], tuple[Input, tuple[Job, ...]]]]:
        """The wildcards that a step shares with the maker of an input, and what a job reads for each of their values.

        What a job reads is the input, with the jobs that make it.
        """
        try:
            maker = benchmark.step_of(output)
            made = self._jobs[maker]
        except KeyError:
            raise ValueError(f"{step.rule}: no earlier step makes its input {role}") from None
        shared = [name for name in maker.wildcards if name in step.wildcards]
        groups: dict[tuple[str, ...], list[Job]] = {
            values: [] for values in itertools.product(*(self.values(step)[name] for name in shared))
        }
        for job in made:
            key = tuple(job.wildcards[name] for name in shared)
            if key in groups:
                groups[key].append(job)
        return shared, {key: (_input(output, jobs), tuple(jobs)) for key, jobs in groups.items()}

    def _model(self, step: Step, wildcards: Mapping[str, str]) -> ModelSettings | None:
        return self.params.models[wildcards[step.asks.name]] if step.asks else None

    def _shown(self, keys: Sequence[str], fields: Sequence[str]) -> dict[str, dict[str, Any]]:
        models = {key: self.params.models[key] for key in keys}
        return {
            key: {field: getattr(model, field) for field in fields if field in type(model).model_fields}
            for key, model in models.items()
        }


@cache
def _package_file(name: str) -> Path:
    package, _, path = name.partition(":")
    return Path(str(files(package))) / path


def _input(output: OutputOf, jobs: Sequence[Job]) -> Input:
    return Input(
        output.table,
        tuple(job.outputs[output.role] for job in jobs),
        tuple(job.wildcards for job in jobs),
    )
