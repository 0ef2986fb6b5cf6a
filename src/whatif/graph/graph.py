"""The dependency graph: the jobs that the settings make of the steps of the selected benchmarks."""

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
# What a task calls to read its inputs; the functions of steps call the task.
_READERS = ("whatif.artifacts.reader:read", "whatif.artifacts.reader:rows_of", "whatif.artifacts.images:ImageStore")


@dataclass(frozen=True, eq=False)
class Job:
    """A step with its wildcards filled in. Paths are relative to the root of the project.

    inputs: role -> the artifacts of earlier jobs; outputs: role -> path; before: the jobs that make the inputs.
    reading: what it reads of the benchmark's settings; shown: of the models that a table shows, by wildcard and key.
    model, model_key: the model that the job is about, where its step is divided by models.
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
        """For people, for example `generate cvqa-synthetic part-000-of-004`."""
        step = self.step
        return " ".join(filter(None, [step.stage, step.benchmark, step.name, *self.wildcards.values()]))

    @property
    def model_key(self) -> str | None:
        """The key in `models` of the model that the job is about."""
        dimension = next((one for one in self.step.divided_by if one.is_model), None)
        return self.wildcards[dimension.name] if dimension else None

    @cached_property
    def published(self) -> tuple[Path, ...]:
        """Text files beside the artifacts."""
        return tuple(Path(path) for path in self.step.text_files)

    @cached_property
    def input_paths(self) -> tuple[Path, ...]:
        """All artifacts that the job reads."""
        return tuple(path for given in self.inputs.values() for path in given.paths)

    @property
    def plain_parameters(self) -> dict[str, Any]:
        """Every single value that this job reads, by its dotted path."""
        values: dict[str, Any] = {"seed": self.params.seed} if self.step.seed else {}
        for path, value in self.reading.values.items():
            values.update(leaves(path, value))
        if self.model is not None:
            place = f"models.{self.model_key}"
            ignored = {f"{place}.{field}" for one in self.step.divided_by for field in one.ignores}
            values.update({key: value for key, value in leaves(place, self.model).items() if key not in ignored})
        for of_models in (self.shown or {}).values():
            for key, fields in of_models.items():
                values.update({f"models.{key}.{field}": value for field, value in fields.items()})
        return values

    @property
    def settings(self) -> list[Settings]:
        """The settings that the job works with: those it reads, and those of its model."""
        found = [value for value in self.reading.values.values() if isinstance(value, Settings)]
        return [*found, self.model] if self.model is not None else found

    @property
    def source_paths(self) -> dict[str, Path]:
        """Files and folders outside the graph that this job reads, by what the settings call them."""
        return {name: path for name, path in self.named_sources.items() if path.exists()}

    @cached_property
    def named_sources(self) -> dict[str, Path]:
        """What the settings name as a file or folder outside the graph, whether it exists or not."""
        named = [*self.reading.outside, *(named_outside(self.model) if self.model is not None else ())]
        return {name: named_path(name) for name in named}

    @property
    def package_files(self) -> dict[str, Path]:
        """Data files of Python packages that this job reads, by their names `package:path`."""
        named = [*self.step.package_files]
        for one in self.step.divided_by:
            named += [pattern.format(self.wildcards[one.name]) for pattern in one.package_files]
        return {name: _package_file(name) for name in sorted(named)}

    @cached_property
    def code_roots(self) -> list[str]:
        """Where this job's code begins, as `module:name`: its function, what that looks up, its settings' types."""
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
        """What the step's function is called with; `changes` replace fields of it."""
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
    """All jobs of the chosen benchmarks, each after the jobs that make its inputs."""

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
        """The steps of one stage, of all benchmarks."""
        return [step for benchmark in self.benchmarks.values() for step in benchmark.steps_of(stage)]

    def steps_of(self, stage: str, benchmark: str, chosen: Collection[str] = (), name: str | None = None) -> list[Step]:
        """The steps of one stage of one benchmark, or the one with a name; one without goes by that of its stage.

        Those that are divided by the chosen wildcards if there are any. Raises WhatifError when the benchmark is not
        in params.yaml, and when it has no such stage or no step of this name.
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

    def jobs_before(self, job: Job) -> tuple[Job, ...]:
        """The jobs that make the inputs of a job."""
        return job.before

    def needed_for(self, jobs: Iterable[Job]) -> list[Job]:
        """Some jobs and all jobs before them, in the order of the graph."""
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
        """The jobs of a step, or those of them with the chosen wildcards.

        Raises WhatifError when there is none, naming the values that there are.
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
        """Every file that a stage makes: artifacts and text files."""
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
        """The wildcards that a step shares with the one that makes an input; by their values, what a job reads."""
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
        dimension = next((one for one in step.divided_by if one.is_model), None)
        return self.params.models[wildcards[dimension.name]] if dimension else None

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
