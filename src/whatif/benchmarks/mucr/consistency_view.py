"""The view of the gallery that compares chosen images with rejected ones (MuCR Figure 10)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from whatif.artifacts.images import ImageStore
from whatif.benchmarks.mucr.settings import ReportSettings
from whatif.benchmarks.shared.page_images import reduced
from whatif.benchmarks.shared.pair_panels import evenly
from whatif.graph.task import Task
from whatif.reporting.gallery import Panel, Picture

Row: TypeAlias = Mapping[str, Any]


def consistency(
    task: Task[ReportSettings], images: ImageStore, asked: Collection[str], number: int
) -> tuple[Panel, ...]:
    """Chosen images beside those of the preselected pair of images that are least alike, in one style of each pair."""
    rejected: dict[tuple[str, str], list[Row]] = {}
    for row in task.rows("preselected", pair_id=asked):
        rejected.setdefault((row["pair_id"], row["style"]), []).append(row)
    found: dict[str, tuple[Row, Row]] = {}
    for chosen in task.rows("choices", pair_id=asked):
        others = [
            row
            for row in rejected.get((chosen["pair_id"], chosen["style"]), ())
            if _candidates(row) != _candidates(chosen) and row["likeness"] is not None
        ]
        if others:
            found.setdefault(chosen["pair_id"], (chosen, min(others, key=lambda row: (row["likeness"], row["place"]))))
    pairs = [found[pair] for pair in evenly(sorted(found), number)]
    wanted = {name for couple in pairs for row in couple for name in _candidates(row)}
    image_of = {
        row["candidate_id"]: row["image_id"]
        for role in ("candidates", "provided")
        for row in task.rows(role, ["candidate_id", "image_id"], candidate_id=wanted)
    }
    return tuple(
        Panel(
            tuple(
                Picture(reduced(images, image_of[name]), caption)
                for row, what in ((chosen, "chosen"), (other, "not chosen"))
                for name, caption in zip(_candidates(row), _captions(row, what), strict=True)
            ),
            (),
            f"{chosen['pair_id']}, {chosen['style']}",
        )
        for chosen, other in pairs
    )


def _captions(choice: Row, what: str) -> tuple[str, str]:
    likeness = "not measured" if choice["likeness"] is None else f"{choice['likeness']:.2f}"
    return f"Cause, {what}", f"Effect, {what}: likeness {likeness}"


def _candidates(choice: Row) -> tuple[str, str]:
    return choice["cause_candidate"], choice["effect_candidate"]
