"""The dependency graph: the jobs that result from the settings and from the steps of the selected benchmarks."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.graph.jobs import NOTHING, Job
from whatif.engine.graph.reading import Reading, read
from whatif.engine.graph.steps import Benchmark, OutputOf, Step
from whatif.engine.graph.task import Input
from whatif.engine.params.models import ModelSettings
from whatif.engine.params.whole import Params


class Graph:
    """All jobs of the selected benchmarks, each after the jobs that make its inputs."""

    def __init__(self, params: Params, benchmarks: Iterable[Benchmark]) -> None:
        self.params = params
        self.benchmarks = {benchmark.name: benchmark for benchmark in benchmarks}
        self._jobs: dict[Step, list[Job]] = {}
        for benchmark in self._in_order():
            for step in benchmark.steps:
                self._jobs[step] = self._jobs_of(step)
        rules = [step.rule for step in self._jobs]
        if twice := sorted({rule for rule in rules if rules.count(rule) > 1}):
            raise ValueError(f"{twice[0]}: two steps have this name")
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
        wildcards are returned, and where their values are given, those that have these values; if there are none, the
        first step is. Raises WhatifError when the benchmark is not in
        params.yaml, or has no such stage or no step of this name.
        """
        if benchmark not in self.benchmarks:
            raise WhatifError(
                f"{benchmark}: not among the benchmarks of params.yaml ({', '.join(self.params.benchmarks)})"
            )
        steps = self.benchmarks[benchmark].steps_of(stage)
        if not steps:
            stages = dict.fromkeys(step.stage for step in self.benchmarks[benchmark].steps)
            raise WhatifError(f"{benchmark}: has no stage {stage}; it has {', '.join(stages)}")
        if name is not None:
            known = ", ".join(step.name for step in steps if step.name) or "none with a name"
            steps = [step for step in steps if (step.name or stage) == name]
            if not steps:
                raise WhatifError(f"{stage} {benchmark}: has no step {name}; there are {known}")
        divided = [step for step in steps if set(chosen) <= set(step.wildcards)] or steps[:1]
        if isinstance(chosen, Mapping):
            return [step for step in divided if self._has(step, chosen)] or divided
        return divided

    def _has(self, step: Step, chosen: Mapping[str, str]) -> bool:
        """Whether a step has all of the chosen values; another step of the stage may have further ones."""
        values = self.values(step)
        return all(value in values.get(name, ()) for name, value in chosen.items())

    def maker(self, step: Step, given: OutputOf) -> Step | None:
        """The step that makes an input of `step`; None if it is of a benchmark that is not selected, or not needed.

        Raises KeyError when the benchmark makes no such output.
        """
        benchmark = self.benchmarks.get(given.benchmark or step.benchmark)
        return None if benchmark is None or not given.where(self.params) else benchmark.step_of(given)

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

    def _in_order(self) -> list[Benchmark]:
        """The benchmarks, each after those whose outputs its steps read; otherwise in the order of params.yaml."""
        ordered: dict[str, Benchmark] = {}

        def add(name: str, readers: tuple[str, ...]) -> None:
            if name in readers:
                raise ValueError(f"{' -> '.join((*readers, name))}: benchmarks read each other's outputs")
            for step in self.benchmarks[name].steps:
                for given in step.inputs.values():
                    if given.benchmark in self.benchmarks and given.benchmark != name:
                        add(given.benchmark, (*readers, name))
            ordered.setdefault(name, self.benchmarks[name])

        for name in self.benchmarks:
            add(name, ())
        return list(ordered.values())

    def _jobs_of(self, step: Step) -> list[Job]:
        shown = {
            one.dimension.name: self._shown(one.dimension.values(self.params, step.benchmark), one.fields)
            for one in step.shown
        } or None
        known = {role: self._inputs(step, role, output) for role, output in step.inputs.items()}
        names = step.wildcards
        jobs = []
        for chosen in itertools.product(*self.values(step).values()):
            wildcards = dict(zip(names, chosen, strict=True))
            if not all(one.exists(self.params, step.benchmark, wildcards) for one in step.divided_by):
                continue
            found = {
                role: by_shared[tuple(wildcards[name] for name in names)] for role, (names, by_shared) in known.items()
            }
            own = shown and {name: _own(fields, wildcards.get(name)) for name, fields in shown.items()}
            jobs.append(
                Job(
                    step,
                    wildcards,
                    {role: given for role, (given, _) in found.items()},
                    {role: Path(path.format(**wildcards)) for role, path in step.paths.items()},
                    tuple(dict.fromkeys(job for _, made in found.values() for job in made)),
                    self.params,
                    self._reading(step, wildcards),
                    own,
                    self._model(step, wildcards),
                )
            )
        return jobs

    def _reading(self, step: Step, wildcards: Mapping[str, str]) -> Reading:
        """What a job reads of its benchmark's settings."""
        if step.reads is None:
            return NOTHING
        entries = [wildcards[one.name] for one in step.divided_by if one.is_entry]
        return read(step.reads, step.benchmark, self.params.sections[step.benchmark], entries)

    def _inputs(
        self, step: Step, role: str, output: OutputOf
    ) -> tuple[list[str], dict[tuple[str, ...], tuple[Input, tuple[Job, ...]]]]:
        """The wildcards that a step shares with the maker of an input, and what a job reads for each of their values.

        What a job reads is the input, with the jobs that make it.
        """
        try:
            maker = self.maker(step, output)
            made = self._jobs[maker] if maker else []
        except KeyError:
            raise ValueError(f"{step.rule}: no earlier step makes its input {role}") from None
        if maker is None:
            return [], {(): (_input(output, []), ())}
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
            key: {field: attrgetter(field)(model) for field in fields if hasattr(model, field.partition(".")[0])}
            for key, model in models.items()
        }


def _own(of_models: dict[str, dict[str, Any]], key: str | None) -> dict[str, dict[str, Any]]:
    """The fields of the job's own model, if the step is divided by these models; otherwise those of all of them."""
    return of_models if key is None else {key: of_models[key]} if key in of_models else {}


def _input(output: OutputOf, jobs: Sequence[Job]) -> Input:
    return Input(
        output.table,
        tuple(job.outputs[output.role] for job in jobs),
        tuple(job.wildcards for job in jobs),
    )
