"""What the work of a step is divided by: one job for each part, each model, each prompting strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from whatif.params.whole import Params

SLUG = r"[a-z0-9-]+"
PART = r"part-\d{3}-of-\d{3}"


def no_code(params: Params, value: str) -> Sequence[str]:
    """A value by which no code is looked up."""
    return ()


@dataclass(frozen=True)
class Dimension:
    """A wildcard of a step's paths.

    name: of the wildcard, and of the command-line option that chooses one value.
    values: the values for a benchmark, given by its name.
    help: what the option chooses, as `whatif STAGE --help` prints it.
    pattern: a regular expression that every value matches, and that matches no `/`.
    is_model: the values are keys of `models` in `params.yaml`; a job reads the settings of its own model.
    ignores: fields of these settings that do not change what is made.
    code: what the work looks up by the value, as `module:name`.
    package_files: data files that the work reads for a value, which replaces `{}`, as `package:path`.
    """

    name: str
    values: Callable[[Params, str], Sequence[str]]
    help: str
    pattern: str = SLUG
    is_model: bool = False
    ignores: tuple[str, ...] = ()
    code: Callable[[Params, str], Sequence[str]] = no_code
    package_files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shown:
    """The fields of every model of a dimension that a table shows; a field that a model does not have is left out.

    A step that reads these fields alone stays fresh when another setting of a model changes.
    """

    dimension: Dimension
    fields: tuple[str, ...]


def part_dimension(number: Callable[[Params, str], int]) -> Dimension:
    """The parts that the work is cut into, so that they run side by side; `number` says how many."""
    return Dimension(
        "part",
        lambda params, benchmark: parts(number(params, benchmark)),
        "Only this part, for example part-000-of-004; all of them by default.",
        PART,
        code=lambda params, value: [f"{__name__}:part_range"],
    )


def parts(number: int) -> list[str]:
    """Names of the parts of a table cut into `number` shards: `part-000-of-004`, ..."""
    return [f"part-{index:03d}-of-{number:03d}" for index in range(number)]


def part_range(part: str, total: int) -> range:
    """Which of `total` items, counted from 0, belong to a part: runs of nearly equal length."""
    index, number = (int(word) for word in part.removeprefix("part-").split("-of-"))
    return range(total * index // number, total * (index + 1) // number)


def is_first(part: str) -> bool:
    """Whether a part is the first one."""
    return part.startswith("part-000-")


def is_whole(part: str) -> bool:
    """Whether a part is the only one."""
    return part.endswith("-of-001")
