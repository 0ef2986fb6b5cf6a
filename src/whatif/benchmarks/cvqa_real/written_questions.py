"""Rows of the table `written-questions` by writers that are no models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.engine.artifacts.reader import canonical_json


def written_id_of(source_id: str, group: str, writer: str) -> str:
    """The id of the question of this group that a writer makes of a source question."""
    return f"{source_id}-{group}-{writer}"


def written_row(
    source_id: str,
    group: str,
    writer: str,
    *,
    question: str,
    answer: str,
    step1: str | None,
    step2: str | None,
    provenance: Mapping[str, Any],
) -> dict[str, Any]:
    """A counterfactual question that was written without a request to a model."""
    return {
        "written_id": written_id_of(source_id, group, writer),
        "source_id": source_id,
        "group": group,
        "writer": writer,
        "question": question,
        "answer": answer,
        "step1": step1,
        "step2": step2,
        "examples": [],
        "attempt": None,
        "request_key": None,
        "provenance": canonical_json(provenance),
    }
