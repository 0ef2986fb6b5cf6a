"""Shared parts of reports on counterfactual pairs of images: panels of the gallery, and a stage of the funnel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif import artifacts
from whatif.artifacts.images import ImageStore
from whatif.artifacts.schemas import MATCHES
from whatif.benchmarks.shared.pair_choices import found
from whatif.reporting.costs import error_kind
from whatif.reporting.funnel import FunnelStage, reasons
from whatif.reporting.gallery import Asked, Panel, Picture, Reply

_SIDES = ("first", "second")
Rows = Sequence[Mapping[str, Any]]


def pair_panels(
    pairs: Rows, matches: Rows, names: Mapping[str, str], images: ImageStore, number: int
) -> tuple[Panel, ...]:
    """A panel for each of `number` pairs, evenly spaced over all: both images, and the choices of each matcher."""
    scored = {(row["pair_id"], row["model"]): row for row in matches}
    panels = []
    for pair in evenly(pairs, number):
        pictures = tuple(Picture(images.encoded(pair[f"image_id_{side}"]), pair[f"caption_{side}"]) for side in (0, 1))
        of_pair = {name: scored[pair["pair_id"], key] for key, name in names.items()}
        asked = [
            *(_found(f"Which image fits? {pair[f'caption_{side}']}", "image", side, of_pair) for side in (0, 1)),
            *(_found(f"Which caption describes the {_SIDES[side]} image?", "text", side, of_pair) for side in (0, 1)),
        ]
        title = f"{pair['subject_0']}, and {pair['subject_1']} instead"
        if pair["directional"] is not None:  # missing for pairs that were made elsewhere
            how = f"p {pair['p']:.2f}, guidance {pair['guidance']:.1f}"
            title += f" ({how}, directional similarity {pair['directional']:.2f})"
        panels.append(Panel(pictures, tuple(asked), title))
    return tuple(panels)


def _found(question: str, kind: str, side: int, rows: Mapping[str, Mapping[str, Any]]) -> Asked:
    """The choices of each matcher, by its display name. A tie counts as wrong and is shown as the other one."""
    name = f"{kind}_retrieval" + ("_counterfactual" if side else "")
    replies = {
        model: Reply(None, False)
        if row["status"] != "ok"
        else Reply(_SIDES[side] if found(row)[name] else _SIDES[1 - side], found(row)[name])
        for model, row in rows.items()
    }
    return Asked(question, _SIDES[side], replies)


def evenly(items: Sequence[Any], number: int) -> list[Any]:
    """At most `number` of the items, in order and evenly spaced over all of them."""
    shown = min(number, len(items))
    return [items[(2 * place + 1) * len(items) // (2 * shown)] for place in range(shown)]


def matching_stage(paths: Sequence[Path], name: str, pairs: int) -> FunnelStage:
    """The stage of the funnel in which one matcher scored pairs: the scored pairs, and errors by kind."""
    rows = artifacts.read(paths, MATCHES, ["status", "reason"]).to_pylist()
    failed = reasons({"reason": error_kind(row["reason"])} for row in rows if row["status"] != "ok")
    return FunnelStage(f"evaluate {name}", "pairs", pairs, len(rows) - sum(failed.values()), failed)
