"""The stage of the funnel in which a matcher scored pairs of captions and images."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import MATCHES
from whatif.results.reporting.costs import error_kind
from whatif.results.reporting.funnel import FunnelStage, reasons


def matching_stage(paths: Sequence[Path], name: str, pairs: int) -> FunnelStage:
    """The stage of the funnel in which one matcher scored pairs: the scored pairs, and errors by kind."""
    rows = artifacts.read(paths, MATCHES, ["status", "reason"]).to_pylist()
    failed = reasons({"reason": error_kind(row["reason"])} for row in rows if row["status"] != "ok")
    return FunnelStage(f"evaluate {name}", "pairs", pairs, len(rows) - sum(failed.values()), failed)
