"""Steps as benchmarks declare them, each as a decorator of the function that does its work.

    step = StepsOf(MySettings)

    @step("generate", reads=lambda s: s.generate, seed=True, divided_by=(PART,), outputs={"pairs": PAIRS})
    def generate(task: Task[GenerateSettings]) -> None: ...

    @step("filter", reads=lambda s: s.filter, inputs={"pairs": generate["pairs"]}, outputs={"pairs": PAIRS})
    def filter_(task: Task[FilterSettings]) -> None: ...

    BENCHMARK = Benchmark("my-benchmark", MySettings, steps=(generate, filter_))

The rest is derived from these declarations: artifact paths, Snakemake rules, command-line options and freshness.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

from whatif.engine.artifacts.schemas import FILES, PICTURE_FILES, Table
from whatif.engine.graph.dimensions import Dimension, Shown
from whatif.engine.graph.people import PeoplesWork
from whatif.engine.graph.reading import places
from whatif.engine.graph.task import Task
from whatif.engine.params.base import STAGES, BenchmarkSettings
from whatif.engine.params.whole import Params

Own = TypeVar("Own", bound=BenchmarkSettings)
Picked = TypeVar("Picked")
TEXT_FILES = "files"  # the output that stores the text files of a step
HEADLINE = "headline"  # among what a step declares: `Benchmark.headline`, one measure on each line
PICTURES = "pictures"  # the output that stores the pictures of a step that publishes a folder


@dataclass(frozen=True)
class OutputOf:
    """An output of a step, used as the input of a later step.

    benchmark: the benchmark whose step makes it; empty for the one that reads it. An input from another benchmark has
        no files where that benchmark is not selected.
    where: whether the settings need an output of another benchmark; where they do not, the input has no files.
    """

    stage: str
    step: str
    role: str
    table: Table
    benchmark: str = ""
    where: Callable[[Params], bool] = lambda params: True

    def of(self, benchmark: str, where: Callable[[Params], bool] = lambda params: True) -> OutputOf:
        """The same output, for a step of another benchmark to read, if its settings need it."""
        return replace(self, benchmark=benchmark, where=where)


@dataclass(frozen=True, eq=False)
class Step:
    """One stage of a benchmark, or part of one; `StepsOf` creates it from a function.

    function: does the work; it is called with a `whatif.engine.graph.task.Task`.
    name: distinguishes the steps of a stage that has several; empty for the main one.
    inputs: role -> the output of an earlier step, or of a step of another benchmark (`OutputOf.of`).
    outputs: role -> table. The role is also the name of the file.
    divided_by: the step has one job for each combination of values of these dimensions. If the step that makes an input
        is divided by the same dimension, a job reads only its own value. A job reads all values of other dimensions.
    reads: picks the settings that the work depends on from those of the benchmark; None if there are none.
    seed: whether the work depends on the seed.
    shown: the fields that the step reads of the models in a table.
    code: the code that the work looks up by name, whatever the values of its dimensions, as `module:name`.
    package_files: data files of Python packages that the work reads, as `package:path`.
    publishes: names of text files in the folder `metrics/BENCHMARK`; `metrics/BENCHMARK.json` is always added, and so
        is `summary/MODEL.json` for each model that is `shown` and summarized. None if the step publishes no text files.
    leaves_out: which of these names a benchmark does not publish with these parameters, such as a table that would have
        no rows. It is called with the parameters and the name of the benchmark.
    folder: the folder of the project in which the step publishes any number of text files and pictures, such as `site`;
        `index.html` is among them. Empty if there is none. The folder is written from the artifacts, and is no output
        for Snakemake, DVC and git (`whatif.engine.graph.folders`).
    declared: name -> a text that the work depends on, although it is neither a setting nor an input, such as what
        benchmarks say of themselves.
    benchmark: set when the step becomes part of a `Benchmark`.
    """

    stage: str
    function: Callable[[Task[Any]], None]
    outputs: Mapping[str, Table]
    name: str = ""
    inputs: Mapping[str, OutputOf] = field(default_factory=dict)
    divided_by: tuple[Dimension, ...] = ()
    reads: Callable[[Any], Any] | None = None
    seed: bool = False
    shown: tuple[Shown, ...] = ()
    code: tuple[str, ...] = ()
    package_files: tuple[str, ...] = ()
    publishes: tuple[str, ...] | None = None
    leaves_out: Callable[[Params, str], Collection[str]] = lambda params, benchmark: ()
    folder: str = ""
    declared: Mapping[str, str] = field(default_factory=dict)
    benchmark: str = ""

    def __getitem__(self, role: str) -> OutputOf:
        return OutputOf(self.stage, self.name, role, self.outputs[role])

    @property
    def root(self) -> str:
        """The root of the step's code, as `module:name`."""
        return f"{self.function.__module__}:{self.function.__qualname__}"

    @property
    def rule(self) -> str:
        """The name of the rule that runs the jobs of this step, as Snakemake's language allows it."""
        return "_".join(filter(None, (self.stage, self.benchmark, self.name))).replace("-", "_")

    @cached_property
    def wildcards(self) -> tuple[str, ...]:
        """The names of the wildcards that distinguish the jobs of this step."""
        return tuple(dimension.name for dimension in self.divided_by)

    @cached_property
    def asks(self) -> Dimension | None:
        """The dimension of the models that the jobs of this step ask; None if they ask none."""
        return next((one for one in self.divided_by if one.is_model and one.is_asked), None)

    @cached_property
    def paths(self) -> dict[str, str]:
        """Role -> the path of the output, with wildcards: `data/STAGE/BENCHMARK/ROLE[/WILDCARD...].parquet`.

        A step whose first dimension is models has a folder for each model: `data/evaluate/MODEL/BENCHMARK/...`.
        """
        names = [f"{{{name}}}" for name in self.wildcards]
        folders = ["data", self.stage]
        if self.divided_by and self.divided_by[0].is_model:
            folders.append(names.pop(0))
        return {role: "/".join([*folders, self.benchmark, role, *names]) + ".parquet" for role in self.outputs}

    @cached_property
    def text_files(self) -> tuple[str, ...]:
        """The paths of the text files that the step publishes, with any parameters."""
        if self.publishes is None:
            return ()
        folder = f"metrics/{self.benchmark}"
        return (f"{folder}.json", *(f"{folder}/{name}" for name in self.publishes))

    @cached_property
    def summary(self) -> str:
        """The folder with a file of a few numbers for each model, which `dvc metrics` shows; empty if there is none."""
        has_one = self.publishes is not None and any(one.is_summarized for one in self.shown)
        return f"metrics/{self.benchmark}/summary" if has_one else ""

    def summarized(self, params: Params) -> tuple[str, ...]:
        """The keys of the models that have such a file with these parameters."""
        dimensions = [one.dimension for one in self.shown if one.is_summarized] if self.summary else []
        return tuple(dict.fromkeys(key for one in dimensions for key in one.values(params, self.benchmark)))

    def published(self, params: Params) -> tuple[str, ...]:
        """The files of the models, and those of `text_files` that the step publishes with these parameters."""
        out = {f"metrics/{self.benchmark}/{name}" for name in self.leaves_out(params, self.benchmark)}
        own = (path for path in self.text_files if path not in out)
        return (*own, *(f"{self.summary}/{key}.json" for key in self.summarized(params)))

    def reading(self, **inputs: OutputOf) -> Step:
        """The same step with other inputs of the same tables, for example for images that another step makes."""
        for role, given in inputs.items():
            if given.table != self.inputs[role].table:
                raise ValueError(f"input {role}: is {self.inputs[role].table.label}, not {given.table.label}")
        return replace(self, inputs={**self.inputs, **inputs})


class StepsOf(Generic[Own]):
    """Declares steps of benchmarks that have settings of a given class."""

    def __init__(self, settings: type[Own]) -> None:
        self._settings = settings

    @overload
    def __call__(
        self, stage: str, *, reads: Callable[[Own], Picked], **declared: Any
    ) -> Callable[[Callable[[Task[Picked]], None]], Step]: ...

    @overload
    def __call__(
        self, stage: str, *, reads: None = None, **declared: Any
    ) -> Callable[[Callable[[Task[None]], None]], Step]: ...

    def __call__(self, stage: str, *, reads: Any = None, **declared: Any) -> Any:
        """A decorator that turns a function into a step; `Step` describes the other declarations."""
        if stage not in STAGES:
            raise ValueError(f"{stage}: is no stage; there are {', '.join(STAGES)}")
        if reads is not None:
            places(reads, "BENCHMARK", self._settings)  # raises AttributeError for a setting that does not exist
        outputs = dict(declared.pop("outputs", {}))
        if declared.get("publishes") is not None:
            outputs[TEXT_FILES] = FILES
        if declared.get("folder"):
            outputs |= {TEXT_FILES: FILES, PICTURES: PICTURE_FILES}
        return lambda function: Step(stage, function, outputs, reads=reads, **declared)


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A benchmark: its settings, and its steps in order.

    outside: describes the captions, questions or photographs that it takes from outside the drawn scenes; empty if
        there are none.
    about: one or two sentences for readers of its results: what is counterfactual in it, and how models are asked.
    citation: the paper whose method it follows, as cited in a data card; empty if there is none.
    headline: the measures that `whatif summary` shows where questions are not in pairs; `dvc metrics` shows the first
        that a model has. Empty for the most frequent one.
    plots: what `dvc plots` shows: `file`, in the folder of the benchmark's metrics, and DVC's own fields for a plot.
    people: the kinds of work by people, by name: what they judge or write; empty if there are none.
    licence: of its questions, for a data card; empty if nothing is said.
    file: the path of the YAML file that declares it, relative to the project; empty if a package does.
    """

    name: str
    settings: type[BenchmarkSettings]
    steps: tuple[Step, ...]
    outside: Callable[[Params], str] = lambda params: ""
    about: str = ""
    citation: str = ""
    headline: tuple[str, ...] = ()
    plots: tuple[Mapping[str, Any], ...] = ()
    people: Mapping[str, PeoplesWork] = field(default_factory=dict)
    licence: str = ""
    file: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self._own(step) for step in self.steps))

    def _own(self, step: Step) -> Step:
        own = replace(step, benchmark=self.name)
        return replace(own, declared={**step.declared, HEADLINE: "\n".join(self.headline)}) if own.summary else own

    def step_of(self, output: OutputOf) -> Step:
        """The step that makes an output. Raises KeyError when the benchmark has none."""
        for step in self.steps:
            if (step.stage, step.name) == (output.stage, output.step) and output.role in step.outputs:
                return step
        raise KeyError(f"{output.stage} {self.name} {output.step}: makes no {output.role}")

    def steps_of(self, stage: str) -> list[Step]:
        """The steps of one stage, in order."""
        return [step for step in self.steps if step.stage == stage]

    @property
    def text_files(self) -> tuple[str, ...]:
        """The paths of all text files that the benchmark publishes."""
        return tuple(path for step in self.steps for path in step.text_files)
