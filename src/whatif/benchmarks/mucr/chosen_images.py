"""Chosen images of causes and effects beside rejected ones, as items of the site (MuCR Figure 10)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias

from whatif.benchmarks.mucr.settings import ReportSettings
from whatif.benchmarks.shared.item_selection import evenly
from whatif.engine.graph.task import Task
from whatif.results.reporting.items import Item, ItemPicture, ItemView

Row: TypeAlias = Mapping[str, Any]

GROUP = "chosen images"
VIEW = ItemView(
    "figure-10",
    "Consistency (Figure 10)",
    "The images that were chosen for a cause and its effect, beside the least similar pair of images that was not "
    "chosen. Likeness is the cosine similarity of two images by CLIP.",
)


def chosen_images(
    task: Task[ReportSettings], asked: Collection[str], captions: Mapping[str, Row], number: int
) -> Iterator[Item]:
    """An item for each of the pairs in `asked` with rejected images: its chosen images in one style, and the rejected.

    These are the preselected pair of images that are least alike. `captions` are the rows of the pairs by id. Evenly
    spaced over all, `number` items are in the view.
    """
    rejected: dict[tuple[str, str], list[Row]] = {}
    for row in task.rows("preselected", pair_id=asked):
        rejected.setdefault((row["pair_id"], row["style"]), []).append(row)
    found: dict[str, tuple[Row, Row]] = {}
    for chosen in task.rows("choices", pair_id=asked):
        others: list[Row] = [
            row
            for row in rejected.get((chosen["pair_id"], chosen["style"]), ())
            if _candidates(row) != _candidates(chosen) and row["likeness"] is not None
        ]
        if others:
            found.setdefault(chosen["pair_id"], (chosen, min(others, key=lambda row: (row["likeness"], row["place"]))))
    wanted = {name for couple in found.values() for row in couple for name in _candidates(row)}
    image_of = {
        row["candidate_id"]: row["image_id"]
        for role in ("candidates", "provided")
        for row in task.rows(role, ["candidate_id", "image_id"], candidate_id=wanted)
    }
    shown = set(evenly(sorted(found), number))
    for pair in sorted(found):
        choice = found[pair][0]
        yield Item(
            f"{pair}-images",
            f"Images as {choice['style']}: {captions[pair]['cause_caption']}",
            GROUP,
            (
                f"Cause: {captions[pair]['cause_caption']}",
                f"Effect: {captions[pair]['effect_caption']}",
                f"Chosen by {choice['chosen_by']}.",
            ),
            (VIEW.name,) if pair in shown else (),
            tuple(
                ItemPicture(image_of[name], caption)
                for row, what in zip(found[pair], ("chosen", "not chosen"), strict=True)
                for name, caption in zip(_candidates(row), _captions(row, what), strict=True)
            ),
        )


def _captions(choice: Row, what: str) -> tuple[str, str]:
    likeness = "not measured" if choice["likeness"] is None else f"{choice['likeness']:.2f}"
    return f"Cause, {what}", f"Effect, {what}: likeness {likeness}"


def _candidates(choice: Row) -> tuple[str, str]:
    return choice["cause_candidate"], choice["effect_candidate"]
