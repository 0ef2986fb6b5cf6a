"""Everything that differs between two sides, in the order in which it is shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.results.comparison.compare import Compared, Comparer, Comparison, Unpaired, corrected
from whatif.results.comparison.evaluations import Evaluation, Key, evaluations
from whatif.results.comparison.numbers import TableChange, table_changes, tables_of_one
from whatif.results.comparison.origins import Origin, origins
from whatif.results.comparison.rows import LacksInputError
from whatif.results.comparison.runs import Run
from whatif.results.comparison.sides import Side

ALPHA = 0.05
_Place = tuple[str, str, str, tuple[str, ...]]


@dataclass(frozen=True)
class Selection:
    """What is compared: these benchmarks and models (all if none is named), by group or all groups together.

    of_pairs: drops and pair accuracies too, with their tests.
    """

    benchmarks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    by_group: bool = False
    confidence: float = 0.95
    of_pairs: bool = False


@dataclass(frozen=True)
class Report:
    """The differences between A and B.

    comparisons: the most certain first, then the largest; `same`: evaluations whose rows have the same bytes.
    only_a, only_b: evaluations that one side alone has; for two models: those that the other cannot be paired with.
    notes: what could not be compared, and what to do about it.
    """

    a: Side
    b: Side
    selection: Selection
    compared: tuple[Compared, ...]
    comparisons: tuple[Comparison, ...]
    unpaired: tuple[Unpaired, ...]
    same: int
    only_a: tuple[Key, ...]
    only_b: tuple[Key, ...]
    origins: tuple[Origin, ...]
    tables: tuple[TableChange, ...]
    tables_only_a: tuple[str, ...]
    tables_only_b: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def significant(self) -> int:
        """Comparisons that differ after the correction."""
        return sum(one.p_holm is not None and one.p_holm <= ALPHA for one in self.comparisons)

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        lists = (self.unpaired, self.only_a, self.only_b, self.origins, self.tables, self.notes)
        return self.same == len(self.compared) and not any(lists) and not self._tables_of_one

    @property
    def _tables_of_one(self) -> bool:
        return bool(self.tables_only_a or self.tables_only_b)


def report(a: Side, b: Side, selection: Selection) -> Report:
    """Compares two sides.

    Raises WhatifError when a selected benchmark or model is on neither side, and when two models have no benchmark in
    common.
    """
    evaluated = [_evaluations(side, selection) for side in (a, b)]
    _check(selection, a, b)
    notes = [note for run in _runs(a, b) for note in _lacking(run, selection)]
    places = [
        {_place(key, side): one for key, one in found.items()} for found, side in zip(evaluated, (a, b), strict=True)
    ]
    comparer = Comparer(by_group=selection.by_group, confidence=selection.confidence, of_pairs=selection.of_pairs)
    compared = []
    lacks: dict[tuple[str, str], list[LacksInputError]] = {}
    for place in sorted(set(places[0]) & set(places[1])):
        try:
            compared.append(comparer.compared(places[0][place], places[1][place]))
        except LacksInputError as error:
            lacks.setdefault((error.lack, error.what), []).append(error)
        except WhatifError as error:
            notes.append(str(error))
    notes += map(_in_one_line, lacks.values())
    if a.model and not compared:
        raise WhatifError(
            f"{a.name} and {b.name}: no evaluation of one can be paired with one of the other; name models "
            "of the same benchmark"
        )
    notes += [note for run in _runs(a, b) for note in run.damaged]
    models = selection.models or tuple(sorted({side.model for side in (a, b) if side.model}))
    every = corrected([one for pair in compared for one in pair.comparisons])
    first, second = tables_of_one(a.run, b.run) if _by_run(a, b, selection) else ([], [])
    return Report(
        a=a,
        b=b,
        selection=selection,
        compared=tuple(compared),
        comparisons=tuple(sorted(every, key=_importance)),
        unpaired=_unpaired(compared),
        same=sum(one.same for one in compared),
        only_a=_only(places[0], places[1], b.run),
        only_b=_only(places[1], places[0], a.run),
        origins=tuple(origins(a.run, b.run, selection.benchmarks, models)) if a.run is not b.run else (),
        tables=tuple(table_changes(a.run, b.run, selection.benchmarks, selection.models)) if not a.model else (),
        tables_only_a=tuple(first),
        tables_only_b=tuple(second),
        notes=tuple(dict.fromkeys(notes)),
    )


def _by_run(a: Side, b: Side, selection: Selection) -> bool:
    """Whether whole runs are compared, both with result tables."""
    return not (a.model or selection.benchmarks or selection.models) and bool(a.run.tables and b.run.tables)


def _only(found: Mapping[_Place, Evaluation], others: Mapping[_Place, Evaluation], other: Run) -> tuple[Key, ...]:
    """The evaluations that the other run does not have, whether or not its bytes are on this machine."""
    keys = (found[place].key for place in sorted(set(found) - set(others)))
    return tuple(key for key in keys if not other.lacks(key.model, key.benchmark))


def _evaluations(side: Side, selection: Selection) -> dict[Key, Evaluation]:
    models = (side.model,) if side.model else selection.models
    found = evaluations(side.run, selection.benchmarks, models)
    return {key: one for key, one in found.items() if not side.setting or side.setting in key.settings}


def _place(key: Key, side: Side) -> _Place:
    """What two evaluations have in common that are compared."""
    settings = tuple(one for one in key.settings if one != side.setting)
    return key.benchmark, key.role, "" if side.model else key.model, settings


def _runs(a: Side, b: Side) -> list[Run]:
    return [a.run] if a.run is b.run else [a.run, b.run]


def _check(selection: Selection, a: Side, b: Side) -> None:
    paths = [path.split("/") for run in _runs(a, b) for path in (*run.files, *run.lacking)]
    benchmarks = {parts[3] for parts in paths if parts[1:2] == ["evaluate"] and len(parts) > 4}
    benchmarks |= {path.split("/")[1] for run in _runs(a, b) for path in run.tables if path.count("/") > 1}
    models = {model for run in _runs(a, b) for model in run.models}
    folders = {name for parts in paths for name in parts[2:-1]}  # a benchmark that nothing evaluated may be one of them
    for option, asked, known, others in (
        ("--benchmark", selection.benchmarks, benchmarks, folders),
        ("--model", selection.models, models, set()),
    ):
        if unknown := [one for one in asked if one not in known | others]:
            raise WhatifError(
                f"{option} {unknown[0]}: neither side has it; there are {', '.join(sorted(known)) or 'none'}"
            )


def _lacking(run: Run, selection: Selection) -> Iterable[str]:
    """One line that says how many artifacts are not on this machine."""
    only = set(selection.benchmarks)
    wanted = [path for path in run.lacking if not only or path.endswith("/") or only & set(path.split("/"))]
    if wanted:
        folders = sum(path.endswith("/") for path in wanted)
        kind = "folder" if folders == len(wanted) else "artifact"
        what = f"1 {kind} is" if len(wanted) == 1 else f"{len(wanted)} {kind}s are"
        yield f"{run.name}: {what} not here, first {wanted[0]}; {run.remedy}"


def _in_one_line(alike: Sequence[LacksInputError]) -> str:
    """One line for all evaluations of which a run lacks the same."""
    first = alike[0]
    if len(alike) == 1:
        return str(first)
    return f"{first.lack} of {len(alike)} evaluations, first {first.artifact}, so their {first.what} are not compared"


def _importance(one: Comparison) -> tuple[bool, float, float, Key, Key, str, str]:
    p = 1.0 if one.p_holm is None else one.p_holm
    return p > ALPHA, p if p <= ALPHA else 0.0, -abs(one.difference.estimate), one.a, one.b, one.variant, one.group


def _unpaired(compared: Iterable[Compared]) -> tuple[Unpaired, ...]:
    """What is not compared, once for all models of which the same is so."""
    found: dict[Unpaired, list[str]] = {}
    for pair in compared:
        if pair.unpaired:
            found.setdefault(pair.unpaired, []).append(pair.a.key.model)
    every = (dataclasses.replace(one, models=tuple(sorted(models))) for one, models in found.items())
    return tuple(sorted(every, key=_order))


def _order(one: Unpaired) -> tuple[Any, ...]:
    return one.benchmark, one.role, one.setting, -one.changed, *dataclasses.astuple(one)
