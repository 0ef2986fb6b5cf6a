"""The questions about scenes as items of the site, and what their pairs of images have beside scores.

Each question is an item of the group of its type of answer; the pairs are a group of their own. The view `scenes` has
all questions about some of the scenes, the view `pairs` some of the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from whatif.benchmarks.scenes.settings import ReportSettings
from whatif.benchmarks.shared.caption_items import KnownOfPairs
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.benchmarks.shared.item_selection import evenly
from whatif.benchmarks.shared.question_items import About, paths_by_system, question_items, shown_systems
from whatif.engine.graph.task import Task
from whatif.results.reporting.items import Item, ItemView
from whatif.results.reporting.judged import Judged

Row: TypeAlias = Mapping[str, Any]

_SCENES, _PAIRS = "scenes", "pairs"
PAIRS_GROUP = "pairs of images"
VIEWS = (
    ItemView(_SCENES, "Scenes", "Held-out scenes with their questions, and what models answered in their own words."),
    ItemView(
        _PAIRS,
        "Counterfactual pairs",
        "Two captions that differ in one noun, and their images. A matcher finds what it scores higher.",
    ),
)


def scene_items(
    task: Task[ReportSettings],
    questions: Sequence[dict[str, Any]],
    names: Mapping[str, str],
    number: int,
    judged: Judged | None,
) -> Iterator[Item]:
    """An item for each question, with the answers of the models in `names` (key -> display name), in this order.

    The view `scenes` has the questions about `number` scenes, evenly spaced over all.
    """
    shown = set(evenly(list(dict.fromkeys(row["image_ids"][0] for row in questions)), number))
    asked = paths_by_system(task, "predictions")
    systems = shown_systems(
        task, ANSWERER, {system: name for model, name in names.items() for system in asked if system[0] == model}
    )

    def about(_: str, rows: Sequence[Row]) -> About:
        return About(rows[0]["question"], views=(_SCENES,) if rows[0]["image_ids"][0] in shown else ())

    return question_items(task, questions, systems, about, variants={"original": ""}, judged=judged)


def known_of_pairs(settings: ReportSettings, pairs: Sequence[Row]) -> KnownOfPairs:
    """The group and the views of the pairs, and the checkpoints that made them."""
    some = evenly([row["pair_id"] for row in pairs], settings.aggregate.shown_pairs)
    return KnownOfPairs(
        PAIRS_GROUP, views=dict.fromkeys(some, (_PAIRS,)), drawn_by=settings.drawn_by, measured_by=settings.chose
    )
