"""The dimensions that divide a step into jobs: one job for each part, model or prompting strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from whatif.engine.params.whole import Params

SLUG = r"[a-z0-9-]+"
PART = r"part-\d{3}-of-\d{3}"
WHOLE = "part-000-of-001"
# What a task calls to find the items of its part.
PART_CODE = tuple(f"{__name__}:{name}" for name in ("part_range", "is_first", "is_whole"))


def no_code(params: Params, value: str) -> Sequence[str]:
    """The default of `Dimension.code` and `Dimension.files`: the value selects none."""
    return ()


def _always(params: Params, benchmark: str, wildcards: Mapping[str, str]) -> bool:
    return True


@dataclass(frozen=True)
class Dimension:
    """A wildcard of a step's paths.

    name: the name of the wildcard, and of the command-line option that chooses one value.
    values: returns the values for a benchmark, which is given by its name.
    help: the help text of the option in `whatif STAGE --help`.
    pattern: a regular expression that matches every value and never matches `/`.
    is_model: the values are keys of `models` in `params.yaml`; a job reads the settings of its own model.
    is_entry: the values are keys of a mapping among the settings that the step reads; a job reads only its own entry.
    is_asked: whether a job asks this model; if not, it reads only what the model has answered, and not its settings.
    ignores: fields of these settings that do not change the outputs.
    code: the code that a job looks up by the value, as `module:name`.
    package_files: data files that a job reads, as `package:path`; the value replaces `{}`.
    files: further data files that a job looks up by the value, as `package:path`.
    exists: whether a step has a job with these values of its wildcards, for values that do not go with all others.
    """

    name: str
    values: Callable[[Params, str], Sequence[str]]
    help: str
    pattern: str = SLUG
    is_model: bool = False
    is_entry: bool = False
    is_asked: bool = True
    ignores: tuple[str, ...] = ()
    code: Callable[[Params, str], Sequence[str]] = no_code
    package_files: tuple[str, ...] = ()
    files: Callable[[Params, str], Sequence[str]] = no_code
    exists: Callable[[Params, str, Mapping[str, str]], bool] = _always


@dataclass(frozen=True)
class Shown:
    """The fields of every model of a dimension that a table shows; fields that a model does not have are omitted.

    A field may be a property of the settings, such as `kind`.

    A step that reads only these fields stays fresh when another setting of a model changes. A field within a field is
    named with a dot. A step that is divided by the dimension reads the fields of its job's own model alone.

    is_summarized: whether a step that publishes text files publishes a file of a few numbers for each of the models
        (`Step.summary`).
    """

    dimension: Dimension
    fields: tuple[str, ...]
    is_summarized: bool = False


def part_dimension(number: Callable[[Params, str], int]) -> Dimension:
    """The parts that divide the work, so that they can run in parallel; `number` returns how many there are."""
    return Dimension(
        "part",
        lambda params, benchmark: parts(number(params, benchmark)),
        "Only this part, for example part-000-of-004; all of them by default.",
        PART,
        code=lambda params, value: PART_CODE,
    )


def parts(number: int) -> list[str]:
    """The names of the parts of a table divided into `number` shards: `part-000-of-004`, ..."""
    return [f"part-{index:03d}-of-{number:03d}" for index in range(number)]


def part_range(part: str, total: int) -> range:
    """The indices, from 0, of the items among `total` that belong to a part; parts are contiguous and nearly equal."""
    index, number = (int(word) for word in part.removeprefix("part-").split("-of-"))
    return range(total * index // number, total * (index + 1) // number)


def is_first(part: str) -> bool:
    """Whether a part is the first one."""
    return part.startswith("part-000-")


def is_whole(part: str) -> bool:
    """Whether a part is the only one."""
    return part.endswith("-of-001")
