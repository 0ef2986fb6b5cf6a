"""Measures how many puzzles can be answered without their images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from whatif.engine.graph.task import Task


def write_shortcuts(task: Task[Any], sets: Mapping[str, Sequence[dict[str, Any]]], folds: int) -> None:
    """Writes the table `shortcuts` of the job's variant, for each named set of questions."""
    from whatif.scoring.shortcuts.audit import audit

    found = [
        {"set": name, **asdict(shortcut)}
        for name, rows in sets.items()
        for shortcut in audit(rows, folds=folds, seed=task.seed, variants=[task.wildcards["variant"]])
    ]
    task.outputs.write("shortcuts", found)
