"""Keeps the pairs of questions that a step does not reject, and writes the rejections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.benchmarks.shared.tasks import pairs_of
from whatif.engine.graph.task import Task


def keep_pairs(task: Task[Any], rejected: Mapping[str, dict[str, Any]], *, remedy: str = "") -> None:
    """Writes the questions of pairs that were not rejected, and the rejections, which `rejected` has by pair.

    Raises WhatifError, with the `remedy`, when no pair is left.
    """
    kept = 0
    for pair_id, twins in pairs_of(task.rows("questions")):
        if pair_id not in rejected:
            kept += 1
            task.outputs.writer("questions").write(twins)
    refused = [rejected[pair_id] for pair_id in sorted(rejected)]
    task.outputs.write("rejections", refused)
    task.check_losses("pairs", kept, refused, remedy=remedy)


def rejection(item_id: str, reason: str, detail: str) -> dict[str, Any]:
    """A row of `rejections`."""
    return {"item_id": item_id, "reason": reason, "detail": detail}
