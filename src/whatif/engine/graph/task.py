"""What the function of a step receives: its settings, its inputs by role, and its outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import pyarrow as pa

from whatif.engine import artifacts
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.graph import losses
from whatif.engine.graph.dimensions import Dimension, is_first, is_whole, part_range

if TYPE_CHECKING:
    from whatif.engine.artifacts.schemas import Table
    from whatif.engine.artifacts.writer import Rows
    from whatif.engine.params.models import ModelSettings

Picked_co = TypeVar("Picked_co", covariant=True)


class Outputs(Protocol):
    """The outputs of a step; they appear in their places only after the step has succeeded."""

    def writer(self, role: str) -> Any:
        """The writer of an output, for rows that arrive in batches, sorted by the key."""

    def write(self, role: str, rows: Rows) -> None:
        """Writes a complete output from rows in any order."""

    def publish(self, path: str, data: bytes) -> None:
        """Adds a text file, which the step must declare or which is below the folder that it publishes."""

    def publish_picture(self, path: str, data: bytes) -> None:
        """Adds a picture below the folder that the step publishes."""

    def unfinished(self, count: int, reason: str) -> None:
        """Records that `count` questions were given up for a transient reason, so the outputs are not fresh."""


@dataclass(frozen=True)
class Input:
    """The artifacts of one table that a job reads, in order, with the wildcards of the jobs that made them."""

    table: Table
    paths: tuple[Path, ...]
    wildcards: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class Task(Generic[Picked_co]):
    """What the function of a step receives. Nothing else may influence its outputs.

    settings: what the step's `reads` picks from `params.yaml`.
    inputs: role -> the artifacts.
    wildcards: the values that distinguish this job from the other jobs of its step.
    given_seed: the seed of `params.yaml`, if the step declares that it depends on it.
    own_model: the settings of the job's model, if the step is divided by models.
    shown: wildcard -> model -> field -> value, for tables.
    declared: the texts that the step declares, by name.
    say: prints a line for the user.
    summarized: the keys of the models for which the step publishes a file of a few numbers.
    stand_in: in the dry run of an evaluation, returns a substitute for a model; the outputs are discarded.
    """

    settings: Picked_co
    inputs: Mapping[str, Input]
    outputs: Outputs
    wildcards: Mapping[str, str]
    name: str
    benchmark: str
    say: Callable[[str], None]
    given_seed: int | None = None
    own_model: ModelSettings | None = None
    shown: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None
    declared: Mapping[str, str] = field(default_factory=dict)
    summarized: Sequence[str] = ()
    stand_in: Callable[[Any], Any] | None = None

    @property
    def seed(self) -> int:
        """The seed of `params.yaml`. Raises ValueError when the step does not declare that it depends on it."""
        if self.given_seed is None:
            raise ValueError(f"{self.name}: uses the seed; declare `seed=True`")
        return self.given_seed

    @property
    def model(self) -> Any:
        """The settings of this job's model, as an instance of its adapter's settings class.

        Raises ValueError when the step is not divided by models.
        """
        if self.own_model is None:
            raise ValueError(f"{self.name}: is not divided by models")
        return self.own_model

    @property
    def part(self) -> str:
        """The name of the part that this job makes."""
        return self.wildcards["part"]

    def part_of(self, total: int) -> range:
        """The indices, from 0, of the items among `total` that this job processes."""
        return part_range(self.part, total)

    @property
    def is_first_part(self) -> bool:
        """Whether this is the first or only part, which reports on behalf of all parts."""
        return is_first(self.wildcards.get("part", "part-000-"))

    @property
    def is_only_part(self) -> bool:
        """Whether this is the only part."""
        return is_whole(self.part)

    def paths(self, role: str) -> tuple[Path, ...]:
        """The files of an input. Raises KeyError, naming the roles that there are, for another one."""
        if role not in self.inputs:
            raise KeyError(f"the step reads no input {role!r}; its inputs are {', '.join(self.inputs) or 'none'}")
        return self.inputs[role].paths

    def paths_by(self, dimension: Dimension, role: str, **only: str) -> dict[str, list[Path]]:
        """The files of an input, grouped by a dimension of the step that made them, for example by model.

        `only` selects files by other wildcards, for example `strategy="direct"`.
        """
        found: dict[str, list[Path]] = {}
        given = self.inputs[role]
        for path, wildcards in zip(given.paths, given.wildcards, strict=True):
            if all(wildcards[name] == value for name, value in only.items()):
                found.setdefault(wildcards[dimension.name], []).append(path)
        return found

    def read(self, role: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A complete input, with all of its parts, sorted by the key."""
        return artifacts.read(self.paths(role), self.inputs[role].table, columns)

    def rows(self, role: str, columns: Sequence[str] | None = None, **only: Iterable[str]) -> Iterator[dict[str, Any]]:
        """The rows of an input, sorted by the key and read in batches; `only` keeps rows with the given values."""
        return artifacts.rows_of(self.paths(role), self.inputs[role].table, columns, only=only or None)

    def count(self, role: str) -> int:
        """The number of rows of an input."""
        return sum(artifacts.footer_of(path).rows for path in self.paths(role))

    def images(self, *roles: str) -> ImageStore:
        """The images of one or more inputs, by id."""
        return ImageStore([path for role in roles or ("images",) for path in self.paths(role)])

    def shown_models(self, dimension: Dimension) -> Mapping[str, Mapping[str, Any]]:
        """The models of a dimension, with the fields that the step declares in `shown`."""
        return (self.shown or {})[dimension.name]

    def check_losses(
        self,
        unit: str,
        kept: int,
        rejected: Sequence[Mapping[str, Any]],
        *,
        remedy: str = "",
        needed: bool = True,
        usual: float = 0.5,
    ) -> None:
        """Reports what the step rejected. A step that rejects rows calls this once per unit, with all rejections.

        Warns when more than the share `usual` is rejected. Raises WhatifError, with the `remedy`, when nothing is left
        although it is `needed`. A job that makes one of several parts may have nothing left, so the step that reads all
        parts calls this instead.
        """
        losses.check_losses(self.name, unit, kept, rejected, remedy=remedy, needed=needed, usual=usual, say=self.say)
