"""Shared parts of reports: examples that are spread over all items, and the funnel of matchers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whatif import artifacts
from whatif.artifacts.schemas import MATCHES
from whatif.reporting.costs import error_kind
from whatif.reporting.funnel import FunnelStage, reasons


def evenly(items: Sequence[Any], number: int) -> list[Any]:
    """At most `number` of the items, in order and evenly spaced over all of them."""
    shown = min(number, len(items))
    return [items[(2 * place + 1) * len(items) // (2 * shown)] for place in range(shown)]


def matching_stage(paths: Sequence[Path], name: str, pairs: int) -> FunnelStage:
    """The stage of the funnel in which one matcher scored pairs: the scored pairs, and errors by kind."""
    rows = artifacts.read(paths, MATCHES, ["status", "reason"]).to_pylist()
    failed = reasons({"reason": error_kind(row["reason"])} for row in rows if row["status"] != "ok")
    return FunnelStage(f"evaluate {name}", "pairs", pairs, len(rows) - sum(failed.values()), failed)
