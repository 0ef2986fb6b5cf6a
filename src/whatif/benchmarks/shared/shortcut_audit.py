"""Measures how many questions can be answered without their images."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from whatif.graph.task import Task


def write_shortcuts(
    task: Task[Any],
    sets: Mapping[str, Sequence[dict[str, Any]]],
    folds: int,
    *,
    rules: Collection[str] | None = None,
    basis: str = "",
) -> None:
    """Writes the table `shortcuts` of the job's variant, for each named set of questions.

    `rules` and `basis` are those of `whatif.shortcuts.audit.audit`.
    """
    from whatif.shortcuts.audit import RULES, audit

    found = [
        {"set": name, **asdict(shortcut)}
        for name, rows in sets.items()
        for shortcut in audit(
            rows,
            folds=folds,
            seed=task.seed,
            variants=[task.wildcards["variant"]],
            rules=RULES if rules is None else rules,
            basis=basis,
        )
    ]
    task.outputs.write("shortcuts", found)
