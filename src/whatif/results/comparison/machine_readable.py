"""The differences between two sides as JSON; docs/diff.md describes the fields."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from typing import Any

from whatif.results.comparison.compare import Comparison, Unpaired
from whatif.results.comparison.evaluations import Key
from whatif.results.comparison.flips import Flip
from whatif.results.comparison.gate_checks import Check, values_of
from whatif.results.comparison.numbers import TableChange
from whatif.results.comparison.report import Report
from whatif.results.comparison.sides import Side

VERSION = 1


def to_json(report: Report, flips: Sequence[Flip] | None = None, checks: Sequence[Check] | None = None) -> str:
    """The whole report with sorted keys, and `flips` and `checks` if they are given. No number is NaN or infinite."""
    values: dict[str, Any] = {
        "version": VERSION,
        "a": _side(report.a),
        "b": _side(report.b),
        "confidence": report.selection.confidence,
        "nothing_changed": report.is_empty,
        "significant": report.significant,
        "same_evaluations": report.same,
        "comparisons": [_comparison(one) for one in report.comparisons],
        "questions": [_unpaired(one) for one in report.unpaired],
        "only_in_a": [_key(key) for key in report.only_a],
        "only_in_b": [_key(key) for key in report.only_b],
        "tables": [_table(one) for one in report.tables],
        "tables_only_in_a": list(report.tables_only_a),
        "tables_only_in_b": list(report.tables_only_b),
        "origins": [dataclasses.asdict(one) for one in report.origins],
        "not_compared": list(report.notes),
    }
    if flips is not None:
        values["flips"] = [dataclasses.asdict(one) for one in flips]
    if checks is not None:
        values["checks"] = values_of(checks)
    return json.dumps(values, indent=2, sort_keys=True, allow_nan=False, ensure_ascii=True)


def _side(side: Side) -> dict[str, Any]:
    return {"name": side.name, "run": side.run.name, "model": side.model or None, "setting": side.setting or None}


def _key(key: Key) -> dict[str, Any]:
    return {"benchmark": key.benchmark, "role": key.role, "model": key.model, "settings": list(key.settings)}


def _comparison(one: Comparison) -> dict[str, Any]:
    return {
        "a": _key(one.a),
        "b": _key(one.b),
        "variant": one.variant,
        "group": one.group or None,
        "n": one.n,
        "clusters": one.clusters,
        "right_a": one.right_a,
        "right_b": one.right_b,
        "lost": one.lost,
        "gained": one.gained,
        "difference": _points(one.difference.estimate),
        "low": _points(one.difference.low),
        "high": _points(one.difference.high),
        "p": one.p,
        "p_holm": one.p_holm,
    }


def _points(fraction: float) -> float | None:
    return round(100 * fraction, 6) if math.isfinite(fraction) else None


def _unpaired(one: Unpaired) -> dict[str, Any]:
    return {
        **dataclasses.asdict(one),
        "named": {kind: list(ids) for kind, ids in one.named},
        "models": list(one.models),
    }


def _table(one: TableChange) -> dict[str, Any]:
    changed = [{"row": dict(number.row), "a": number.a, "b": number.b} for number in one.changed]
    return {**dataclasses.asdict(one), "changed": changed}
