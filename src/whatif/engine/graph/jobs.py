"""Jobs: the nodes of the dependency graph, with everything that each of them reads and makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from whatif.engine.files.named_folders import named_path
from whatif.engine.graph.reading import Reading, leaves, named_outside
from whatif.engine.graph.steps import Step
from whatif.engine.graph.task import Input, Outputs, Task
from whatif.engine.params.base import Settings
from whatif.engine.params.models import ModelSettings
from whatif.engine.params.whole import Params

INDEX = "index.html"  # the file that stands for the folder that a step publishes
NOTHING = Reading(None, {}, ())  # of a step without settings
# The functions that a task calls to read its inputs. Step functions only call the task.
_READERS = (
    "whatif.engine.artifacts.reader:read",
    "whatif.engine.artifacts.reader:rows_of",
    "whatif.engine.artifacts.images:ImageStore",
)


@dataclass(frozen=True, eq=False)
class Job:
    """A step with a value for each of its wildcards. Paths are relative to the root of the project.

    inputs: role -> the artifacts of earlier jobs.
    outputs: role -> path.
    before: the jobs that make the inputs.
    reading: the benchmark's settings that the job reads.
    shown: the fields that the job reads of the models in a table, by wildcard and model key.
    model, model_key: the model that the job asks, if it asks one.
    """

    step: Step
    wildcards: Mapping[str, str]
    inputs: Mapping[str, Input]
    outputs: Mapping[str, Path]
    before: tuple[Job, ...]
    params: Params
    reading: Reading = NOTHING
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
        return tuple(Path(path) for path in self.step.published(self.params))

    def is_summary(self, path: Path) -> bool:
        """Whether a text file is one of those with a few numbers of a model, which may be one of other parameters."""
        return bool(self.step.summary) and path.parent == Path(self.step.summary)

    @property
    def must_publish(self) -> tuple[str, ...]:
        """The text files without which the job has failed: all that its step declares, or the index of its folder."""
        return (f"{self.step.folder}/{INDEX}",) if self.step.folder else tuple(map(str, self.published))

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
                for field, value in fields.items():
                    values.update(leaves(f"models.{key}.{field}", value))
        return values

    @property
    def settings(self) -> list[Settings]:
        """The settings that the job uses: those that it reads, and those of its model."""
        read = self.reading.values.values()
        entries = [one for value in read for one in (value.values() if isinstance(value, Mapping) else [value])]
        found = [value for value in entries if isinstance(value, Settings)]
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
            *self.step.code,
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
            "declared": self.step.declared,
            "summarized": self.step.summarized(self.params),
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


@cache
def _package_file(name: str) -> Path:
    package, _, path = name.partition(":")
    return Path(str(files(package))) / path
