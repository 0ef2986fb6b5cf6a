"""The dependency graph: steps as benchmarks declare them, and the jobs that the parameters make of them.

A step is one rule: a stage of a benchmark, with the paths of its inputs and outputs. A path may hold wildcards
(`{part}`, `{model}`); a job is a step with the wildcards of its outputs filled in. A wildcard that stands only in an
input path is filled with every value, so a job that merges parts names them all.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from whatif.artifacts.schemas import Table
from whatif.errors import WhatifError
from whatif.files.named_folders import named_path
from whatif.params.base import BenchmarkSettings, Settings
from whatif.params.whole import Params, plain

_WILDCARD = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Output:
    """An artifact that a step makes: its table, and its path under `data/`."""

    table: Table
    path: str


def no_code(parameters: Mapping[str, Any], wildcards: Mapping[str, str]) -> Sequence[str]:
    """The code of a step that looks nothing up by name."""
    return ()


@dataclass(frozen=True)
class Step:
    """One stage of one benchmark, or a part of it.

    name: tells the steps of a stage apart, where it has several.
    function: `module:name` of what does the work; it is called with a `whatif.graph.run.Task`.
    inputs, outputs: role -> path; an input is an output of an earlier step.
    reads: places in `params.yaml` that the work depends on; it is handed these and no others. A wildcard that stands
        in no output is filled with every value, as in an input: `models.{model}.name` is the name of each model that is
        asked. A place that ends in `?` is left out for models that have no such setting.
    ignores: values within `reads` that do not change what is made, for example the name that tables print.
    sources: those among `reads` (or within them) that name a file or folder outside the graph.
    code: what the work looks up by name, given its parameters and wildcards, as `module:name`.
    package_files: data files of the package that the work reads; a name may hold wildcards.
    publishes: text files that are written from the output with the role `files`.
    """

    stage: str
    benchmark: str
    function: str
    outputs: Mapping[str, Output]
    inputs: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    code: Callable[[Mapping[str, Any], Mapping[str, str]], Sequence[str]] = no_code
    package_files: tuple[str, ...] = ()
    publishes: tuple[str, ...] = ()
    name: str = ""

    @property
    def rule(self) -> str:
        """The name of the rule that runs the jobs of this step."""
        return "_".join(filter(None, (self.stage, self.benchmark, self.name)))

    @property
    def wildcards(self) -> list[str]:
        """Names of the wildcards that tell the jobs of this step apart, in order of their first use."""
        return list(dict.fromkeys(w for output in self.outputs.values() for w in _WILDCARD.findall(output.path)))


@dataclass(frozen=True)
class Benchmark:
    """A benchmark's steps in order, and the values of their wildcards under given parameters.

    outside: what captions, questions or photographs it takes from outside the drawn scenes, in words; empty for none.
    citation: the paper whose method it follows, as a data card names it; empty where there is none.
    """

    name: str
    settings: type[BenchmarkSettings]
    steps: tuple[Step, ...]
    wildcards: Callable[[Params], Mapping[str, Sequence[str]]]
    outside: Callable[[Params], str] = lambda params: ""
    citation: str = ""


@dataclass(frozen=True, eq=False)
class Job:
    """A step with its wildcards filled in. Paths are relative to the root of the project."""

    step: Step
    wildcards: Mapping[str, str]
    inputs: Mapping[str, tuple[Path, ...]]
    outputs: Mapping[str, Path]
    parameters: Mapping[str, Any]  # dotted path in params.yaml -> typed value

    @property
    def name(self) -> str:
        """For people, for example `generate cvqa-synthetic part-000-of-004`."""
        step = self.step
        return " ".join(filter(None, [step.stage, step.benchmark, step.name, *self.wildcards.values()]))

    @property
    def published(self) -> tuple[Path, ...]:
        """Text files that stand beside the artifacts."""
        return tuple(Path(path) for path in self.step.publishes)

    @cached_property
    def plain_parameters(self) -> dict[str, Any]:
        """Every single value that this job reads, by its dotted path."""
        values: dict[str, Any] = {}
        for path, value in self.parameters.items():
            values.update(_leaves(path, plain(value)))
        for place in self.step.ignores:
            values.pop(place.format(**self.wildcards), None)
        return values

    @property
    def source_paths(self) -> dict[str, Path]:
        """Files and folders outside the graph that this job reads, by what the parameters call them."""
        return {name: path for name, path in self.named_sources.items() if path.exists()}

    @property
    def named_sources(self) -> dict[str, Path]:
        """What the parameters name as a file or folder outside the graph, there or not."""
        places = [place.format(**self.wildcards) for place in self.step.sources]
        named = [value for place in places for value in _several(self.plain_parameters.get(place))]
        return {name: named_path(name) for name in named}

    @property
    def package_files(self) -> list[str]:
        """Data files of the package that this job reads, relative to the package."""
        return sorted(pattern.format(**self.wildcards) for pattern in self.step.package_files)

    @property
    def code_roots(self) -> list[str]:
        """Where this job's code begins, as `module:name`: its function, what that looks up, its parameters' types."""
        values = [inner for value in self.parameters.values() for inner in _inner(value)]
        types = {type(value) for value in values if isinstance(value, Settings)}
        settings = sorted(f"{kind.__module__}:{kind.__qualname__}" for kind in types)
        return [self.step.function, *self.step.code(self.parameters, self.wildcards), *settings]


class Graph:
    """All jobs of the chosen benchmarks, each after the jobs that make its inputs."""

    def __init__(self, params: Params, benchmarks: Iterable[Benchmark]) -> None:
        self.params = params
        self.benchmarks = {b.name: b for b in benchmarks}
        self._values = {b.name: b.wildcards(params) for b in self.benchmarks.values()}
        self.jobs = [job for b in self.benchmarks.values() for step in b.steps for job in self._jobs_of(step)]
        self.producer = {path: job for job in self.jobs for path in job.outputs.values()}
        known: set[Path] = set()
        for job in self.jobs:
            for path in itertools.chain.from_iterable(job.inputs.values()):
                if path not in known:
                    raise ValueError(f"{job.name}: no earlier step makes its input {path}")
            known.update(job.outputs.values())

    def steps(self, stage: str) -> list[Step]:
        """The steps of one stage, of all benchmarks."""
        return [step for b in self.benchmarks.values() for step in b.steps if step.stage == stage]

    def steps_of(self, stage: str, benchmark: str, chosen: Collection[str] = (), name: str | None = None) -> list[Step]:
        """The steps of one stage of one benchmark, or the one with a name; one without goes by that of its stage.

        Those that are divided by the chosen wildcards if there are any. Raises WhatifError when the benchmark is not
        in params.yaml, and when it has no such stage or no step of this name.
        """
        if benchmark not in self.benchmarks:
            raise WhatifError(f"{benchmark}: not among the benchmarks of params.yaml ({', '.join(self.benchmarks)})")
        steps = [step for step in self.steps(stage) if step.benchmark == benchmark]
        if not steps:
            stages = dict.fromkeys(step.stage for step in self.benchmarks[benchmark].steps)
            raise WhatifError(f"{benchmark}: has no stage {stage}; it has {', '.join(stages)}")
        if name is not None:
            known = ", ".join(step.name for step in steps if step.name) or "none with a name"
            steps = [step for step in steps if (step.name or stage) == name]
            if not steps:
                raise WhatifError(f"{stage} {benchmark}: has no step {name}; there are {known}")
        return [step for step in steps if set(chosen) <= set(step.wildcards)] or steps[:1]

    def jobs_before(self, job: Job) -> set[Job]:
        """The jobs that make the inputs of a job."""
        return {self.producer[path] for paths in job.inputs.values() for path in paths}

    def needed_for(self, jobs: Iterable[Job]) -> list[Job]:
        """Some jobs and all jobs before them, in the order of the graph."""
        needed: set[Job] = set()
        waiting = list(jobs)
        while waiting:
            job = waiting.pop()
            if job not in needed:
                needed.add(job)
                waiting.extend(self.jobs_before(job))
        return [job for job in self.jobs if job in needed]

    def values(self, step: Step) -> Mapping[str, Sequence[str]]:
        """The values of every wildcard of a step's benchmark."""
        return self._values[step.benchmark]

    def jobs_of(self, step: Step, chosen: Mapping[str, str] | None = None) -> list[Job]:
        """The jobs of a step, or those of them with the chosen wildcards.

        Raises WhatifError when there is none, naming the values that there are.
        """
        chosen = chosen or {}
        for name, value in chosen.items():
            if name not in step.wildcards:
                raise WhatifError(f"{step.stage} {step.benchmark}: is not divided by {name}; leave --{name} out")
            if value not in self.values(step)[name]:
                known = ", ".join(self.values(step)[name]) or "none"
                if name in ("model", "matcher", "encoder") and value in self.params.models:
                    raise WhatifError(
                        f"{step.stage} {step.benchmark}: {value} is not evaluated here: see its `adapter` and "
                        f"`benchmarks` in params.yaml; there are {known}"
                    )
                raise WhatifError(
                    f"{step.stage} {step.benchmark}: {name} {value} is not in params.yaml; there are {known}"
                )
        return [
            job
            for job in self.jobs
            if job.step is step and all(job.wildcards[name] == value for name, value in chosen.items())
        ]

    def input_paths(self, step: Step, wildcards: Mapping[str, str]) -> list[str]:
        """The input files of a job, as a rule wants them."""
        return [path for pattern in step.inputs.values() for path in self._expand(step, pattern, wildcards)]

    def stage_outputs(self, stage: str) -> list[str]:
        """Every file that a stage makes: artifacts and text files."""
        jobs = [job for job in self.jobs if job.step.stage == stage]
        return [str(path) for job in jobs for path in (*job.outputs.values(), *job.published)]

    def _jobs_of(self, step: Step) -> list[Job]:
        values = self.values(step)
        names = step.wildcards
        return [
            self._job(step, dict(zip(names, chosen, strict=True)))
            for chosen in itertools.product(*(values[name] for name in names))
        ]

    def _job(self, step: Step, wildcards: dict[str, str]) -> Job:
        return Job(
            step=step,
            wildcards=wildcards,
            inputs={
                role: tuple(Path(path) for path in self._expand(step, pattern, wildcards))
                for role, pattern in step.inputs.items()
            },
            outputs={role: Path(output.path.format(**wildcards)) for role, output in step.outputs.items()},
            parameters=self._parameters(step, wildcards),
        )

    def _parameters(self, step: Step, wildcards: Mapping[str, str]) -> dict[str, Any]:
        """The values that a job reads, by their dotted paths."""
        found: dict[str, Any] = {}
        for pattern in step.reads:
            for place in self._expand(step, pattern.removesuffix("?"), wildcards):
                try:
                    found[place] = self.params.lookup(place)
                except KeyError:
                    if not pattern.endswith("?"):
                        raise
        return found

    def _expand(self, step: Step, pattern: str, wildcards: Mapping[str, str]) -> list[str]:
        names = [name for name in dict.fromkeys(_WILDCARD.findall(pattern)) if name not in wildcards]
        values = self.values(step)
        return [
            pattern.format(**wildcards, **dict(zip(names, chosen, strict=True)))
            for chosen in itertools.product(*(values[name] for name in names))
        ]


def parts(number: int) -> list[str]:
    """Names of the parts of a table cut into `number` shards: `part-000-of-004`, ..."""
    return [f"part-{index:03d}-of-{number:03d}" for index in range(number)]


def part_range(part: str, total: int) -> range:
    """Which of `total` things, counted from 0, belong to a part: runs of nearly equal length."""
    index, number = (int(word) for word in part.removeprefix("part-").split("-of-"))
    return range(total * index // number, total * (index + 1) // number)


def is_whole(part: str) -> bool:
    """Whether a part is the only one."""
    return part.endswith("-of-001")


def _leaves(path: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        leaves: dict[str, Any] = {}
        for key, inner in value.items():
            leaves.update(_leaves(f"{path}.{key}", inner))
        return leaves
    return {path: value}


def _inner(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else [value]


def _several(value: Any) -> list[str]:
    """Paths that a parameter names: none, one, or a list of them."""
    if value is None:
        return []
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]
