"""A run whose results are compared: its artifacts and result tables, wherever their bytes are stored."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from whatif.engine.artifacts.reader import Footer, footer_of
from whatif.engine.errors import WhatifError

DATA, METRICS = "data", "metrics"
_EVALUATIONS = f"{DATA}/evaluate/"


@dataclass(frozen=True)
class Run:
    """A finished run; nothing of it is changed.

    name: as shown to users.
    files: path of each artifact in its project -> the file that has its bytes.
    tables: path of each result table (`metrics/BENCHMARK/NAME.csv`) -> its bytes.
    metrics: path of the headline numbers of each benchmark (`metrics/BENCHMARK.json`) -> its bytes.
    lacking: paths of artifacts that belong to the run, but whose bytes are not on this machine; `remedy` says what
    brings them.
    """

    name: str
    files: Mapping[str, Path]
    tables: Mapping[str, bytes]
    lacking: tuple[str, ...] = ()
    remedy: str = ""
    metrics: Mapping[str, bytes] = field(default_factory=dict)
    _footers: dict[str, Footer | str] = field(default_factory=dict, repr=False, compare=False)

    def footer(self, path: str) -> Footer | None:
        """The footer of an artifact, or None if the run lacks it or its file cannot be read (see `damaged`)."""
        if path not in self._footers:
            try:
                self._footers[path] = footer_of(self.files[path]) if path in self.files else ""
            except (OSError, WhatifError) as error:
                self._footers[path] = str(error)
        found = self._footers[path]
        return found if isinstance(found, Footer) else None

    @property
    def damaged(self) -> list[str]:
        """What is wrong with the files that were looked at and could not be read, in order of their paths."""
        return [text for _, text in sorted(self._footers.items()) if isinstance(text, str) and text]

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The keys of the models that have evaluations, sorted."""
        paths = [*self.files, *self.lacking]
        return tuple(sorted({path.split("/")[2] for path in paths if path.startswith(_EVALUATIONS)}))

    def lacks(self, model: str, benchmark: str) -> bool:
        """Whether the run has evaluations of a model on a benchmark whose bytes are not on this machine."""
        folder = f"{_EVALUATIONS}{model}/"
        return any(
            folder.startswith(path) if path.endswith("/") else path.startswith(f"{folder}{benchmark}/")
            for path in self.lacking
        )

    def settings_of(self, model: str) -> tuple[str, ...]:
        """The strategies and other values that divide the evaluations of a model, sorted."""
        return tuple(sorted({one for path in self.files for one in _divided(path, model)}))


def _divided(path: str, model: str) -> Iterator[str]:
    if path.startswith(f"{_EVALUATIONS}{model}/"):
        yield from PurePosixPath(path).with_suffix("").parts[5:]


def is_table(path: str) -> bool:
    """Whether a file that a job publishes is a result table; the site has copies of them, which are not compared."""
    return path.startswith(f"{METRICS}/") and path.endswith(".csv")


def is_metrics(path: str) -> bool:
    """Whether a file that a job publishes has the headline numbers of a benchmark."""
    return path.startswith(f"{METRICS}/") and path.endswith(".json") and path.count("/") == 1


def of_folder(root: Path, name: str) -> Run:
    """The results that are in the folder of a project now.

    Raises WhatifError when the folder has neither artifacts nor result tables.
    """
    files = {str(path.relative_to(root)): path for path in _below(root / DATA, ".parquet")}
    tables = {str(path.relative_to(root)): path.read_bytes() for path in _below(root / METRICS, ".csv")}
    if not files and not tables:
        raise WhatifError(
            f"{root}: has no results in data/ or metrics/; `dvc repro` or `snakemake --cores 2` makes them"
        )
    metrics = {str(path.relative_to(root)): path.read_bytes() for path in sorted((root / METRICS).glob("*.json"))}
    return Run(name, files, tables, metrics=metrics)


def _below(folder: Path, suffix: str) -> Iterator[Path]:
    """The files of a folder and below in the order of their paths, without those that are being written."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(place, name) for name in sorted(names) if name.endswith(suffix) and not name.startswith("."))
