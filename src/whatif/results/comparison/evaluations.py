"""The evaluations of a run by benchmark, model and strategy, and which of two runs belong together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.engine.artifacts.reader import Footer
from whatif.results.comparison.runs import Run

PREDICTIONS, JUDGED = "predictions", "judged"
KINDS = (JUDGED, "matches", PREDICTIONS, "ranks")  # tables of which the answers are compared
USUAL_ROLES = tuple(kind for kind in KINDS if kind != JUDGED)  # which need not be shown
_USUAL_INPUTS = ("images", PREDICTIONS, "questions")
_PART = re.compile(r"part-\d+-of-\d+")
_EVALUATE = ("data", "evaluate")


@dataclass(frozen=True, order=True)
class Key:
    """What identifies an evaluation within a run.

    settings: the values that divide it besides its model, such as its strategy; parts do not count.
    """

    benchmark: str
    role: str
    model: str
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evaluation:
    """The artifacts of one evaluation in a run, in the order of its parts."""

    run: Run
    key: Key
    kind: str  # one of KINDS
    artifacts: tuple[str, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files with the bytes of the artifacts."""
        return tuple(self.run.files[path] for path in self.artifacts)

    @property
    def answered(self) -> tuple[Path, ...]:
        """The files of the answers; those of which a judge read some are an input of what it read."""
        return self.inputs(PREDICTIONS) if self.kind == JUDGED else self.paths

    @property
    def other_inputs(self) -> dict[str, Path]:
        """The inputs that the run has, except questions, answers and images: hash of the rows -> file."""
        found = {footer.content: path for path, footer in self._known_inputs() if _kind(footer) not in _USUAL_INPUTS}
        return {content: self.run.files[path] for content, path in found.items()}

    @property
    def footers(self) -> list[Footer]:
        """The footers of the artifacts."""
        return [footer for path in self.artifacts if (footer := self.run.footer(path)) is not None]

    @property
    def content(self) -> tuple[str, ...]:
        """The hashes of the rows."""
        own = tuple(footer.content for footer in self.footers)
        return (*own, *self.input_content(PREDICTIONS)) if self.kind == JUDGED else own

    def inputs(self, table: str) -> tuple[Path, ...]:
        """The files of the inputs that have this table (`questions`), as far as the run has them."""
        return tuple(self.run.files[path] for path in self._inputs(table))

    def input_content(self, table: str) -> tuple[str, ...]:
        """The hashes of the rows of these inputs."""
        return tuple(footer.content for path in self._inputs(table) if (footer := self.run.footer(path)) is not None)

    def _inputs(self, table: str) -> list[str]:
        return [path for path, footer in self._known_inputs() if _kind(footer) == table]

    def _known_inputs(self) -> list[tuple[str, Footer]]:
        named = {path for footer in self.footers for path in _strings(footer.made_from.get("inputs"))}
        found = [(path, self.run.footer(path)) for path in sorted(named)]
        return [(path, footer) for path, footer in found if footer is not None]


def evaluations(run: Run, benchmarks: Iterable[str] = (), models: Iterable[str] = ()) -> dict[Key, Evaluation]:
    """The evaluations of a run by key, sorted; only of these benchmarks and models if any are given."""
    only, asked = set(benchmarks), set(models)
    grouped: dict[Key, list[str]] = {}
    for path in run.files:
        key = _key(path)
        if key is not None and (not only or key.benchmark in only) and (not asked or key.model in asked):
            grouped.setdefault(key, []).append(path)
    found = {}
    for key, paths in sorted(grouped.items()):
        kinds = {_kind(footer) for path in paths if (footer := run.footer(path)) is not None}
        if len(kinds) == 1 and (kind := kinds.pop()) in KINDS:
            readable = [path for path in sorted(paths) if run.footer(path) is not None]
            found[key] = Evaluation(run, key, kind, tuple(readable))
    return found


def _key(path: str) -> Key | None:
    """The key of the evaluation that an artifact `data/evaluate/MODEL/BENCHMARK/ROLE[/VALUE...]` is of."""
    parts = PurePosixPath(path).with_suffix("").parts
    if parts[:2] != _EVALUATE or len(parts) < 5:
        return None
    _, _, model, benchmark, role, *values = parts
    return Key(benchmark, role, model, tuple(value for value in values if not _PART.fullmatch(value)))


def _kind(footer: Footer) -> str:
    return footer.table.partition("/")[0]


def _strings(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, Mapping) else []
