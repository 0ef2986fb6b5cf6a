"""A run of a tracker for each model: its settings, its headline numbers with intervals, and what they are from."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whatif import __version__
from whatif.engine.artifacts import canonical_json
from whatif.engine.files.csv_writing import delimited
from whatif.results.publishing.private_text import without_folders
from whatif.results.reporting.headline_numbers import PAIRED, PairedNumbers, json_numbers, paired_numbers
from whatif.results.tracking.source import Source

if TYPE_CHECKING:
    from whatif.engine.params.models import ModelSettings

Param = str | int | float | bool

# The settings that are exported, wherever they are in an entry; all others stay here, so that no secret leaves.
_SETTINGS = frozenset(
    ("adapter", "checkpoint", "device_map", "dtype", "kind", "lora", "max_new_tokens", "model", "multiple_choice")
) | {"name", "predictions", "quantization", "revision"}
_GROUPS = frozenset(("decoding", "reasoning"))  # of which every setting is exported
_ACCURACIES = {"original": "accuracy_original", "counterfactual": "accuracy_counterfactual"}
_NOT_IN_NAMES = re.compile(r"[^\w./ -]")  # MLflow allows these characters


@dataclass(frozen=True)
class TrackedRun:
    """The results of one model.

    name: its key in `params.yaml`. settings: its entry there. params: the settings that are exported, and the strategy
    of each benchmark. metrics: `BENCHMARK/MEASURE`, in the unit of the table, with `MEASURE_low` and `MEASURE_high` for
    the ends of an interval; of further strategies `BENCHMARK/STRATEGY/MEASURE`. paired: its numbers with the first
    strategy, by benchmark. tags: commit, its address, how many tracked files differ from it, a hash of the fingerprints
    of the artifacts with its answers, and the version of whatif; empty ones are left out. files: name -> contents.
    """

    name: str
    settings: ModelSettings
    source: Source
    params: Mapping[str, Param]
    metrics: Mapping[str, float]
    paired: Mapping[str, PairedNumbers]
    tags: Mapping[str, str]
    files: Mapping[str, bytes]

    @property
    def id(self) -> str:
        """Identifies the run: a hash of commit, model, settings and numbers, in 32 hexadecimal digits."""
        return _digest([self.source.commit, self.name, self.params, self.metrics])[:32]


def tracked_runs(
    models: Mapping[str, ModelSettings],
    benchmarks: Iterable[str],
    folder: Path,
    source: Source,
    fingerprints: Mapping[str, str],
) -> list[TrackedRun]:
    """The runs of all models that have numbers of these benchmarks, in the order of `models`.

    folder: with the tables and the numbers of the benchmarks (`metrics`). fingerprints: of artifacts, by path.
    Raises WhatifError when a file of numbers is not valid.
    """
    found = {key: _Collected() for key in models}
    for benchmark in benchmarks:
        table = folder / benchmark / PAIRED
        systems = paired_numbers(table)
        for system in systems:
            if system.model in found:
                found[system.model].add(benchmark, system)
        paired = {system.model for system in systems}
        for model in sorted(paired & set(found)):
            found[model].files[f"{benchmark}-{PAIRED}"] = _rows_of(table, model)
        for (model, *keys), number in json_numbers(folder / f"{benchmark}.json") or ():
            if model in found and model not in paired and keys:
                found[model].metrics[_name(benchmark, *keys)] = number
    return [_run(key, models[key], one, source, fingerprints) for key, one in found.items() if one.metrics]


class _Collected:
    """What is known of a model so far."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}
        self.paired: dict[str, PairedNumbers] = {}
        self.files: dict[str, bytes] = {}

    def add(self, benchmark: str, system: PairedNumbers) -> None:
        """Adds the numbers of a model with one strategy; the first one has no strategy in the names of its numbers."""
        further = [system.strategy] if self.paired.setdefault(benchmark, system) is not system else []
        for measure, (value, low, high, n) in system.measures.items():
            name = _name(benchmark, *further, _ACCURACIES.get(measure, measure))
            ends = {name: value, f"{name}_low": low, f"{name}_high": high}
            if measure == "drop":
                ends[_name(benchmark, *further, "pairs")] = n
            self.metrics |= {key: float(number) for key, number in ends.items() if number is not None}


def _run(
    key: str, settings: ModelSettings, found: _Collected, source: Source, fingerprints: Mapping[str, str]
) -> TrackedRun:
    strategies = {f"strategy/{name}": system.strategy for name, system in found.paired.items() if system.strategy}
    own = {path: one for path, one in sorted(fingerprints.items()) if path.startswith(f"data/evaluate/{key}/")}
    tags = {
        "commit": source.commit,
        "commit_address": source.address,
        "changed_files": str(source.changed_files or ""),
        "artifacts": _digest(own) if own else "",
        "version": __version__,
    }
    files = {**found.files, **({"artifacts.json": (canonical_json(own) + "\n").encode()} if own else {})}
    return TrackedRun(
        name=key,
        settings=settings,
        source=source,
        params=dict(_params(settings.model_dump(mode="json"))) | strategies,
        metrics=dict(sorted(found.metrics.items())),
        paired=found.paired,
        tags={name: text for name, text in tags.items() if text},
        files=files,
    )


def _params(entry: Mapping[str, Any], outer: tuple[str, ...] = ()) -> Iterator[tuple[str, Param]]:
    """The exported settings of an entry that are not null, with dots between the keys of nested ones."""
    for key, value in entry.items():
        path = (*outer, key)
        if isinstance(value, Mapping):
            yield from _params(value, path)
        elif value is not None and (key in _SETTINGS or not _GROUPS.isdisjoint(outer)):
            yield ".".join(path), value if isinstance(value, int | float) else without_folders(str(value))


def _rows_of(table: Path, model: str) -> bytes:
    """The header of a table and the rows of one model."""
    with table.open(encoding="utf-8", newline="") as opened:
        rows = csv.reader(opened)
        header = next(rows)
        place = header.index("model")
        return delimited([header, *(row for row in rows if row[place] == model)]).encode()


def _name(*parts: str) -> str:
    return _NOT_IN_NAMES.sub("_", "/".join(parts))


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
