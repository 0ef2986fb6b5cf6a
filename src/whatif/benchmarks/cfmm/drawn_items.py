"""Items about drawn scenes: their images, and their questions as rows, with computed answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.cfmm.schemas import VARIANTS
from whatif.benchmarks.cfmm.settings import DrawnItems
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.reader import canonical_json

if TYPE_CHECKING:
    from whatif.world.category_items import CategoryItem

SPLIT = "test"  # no model was trained on scenes of this split


def drawn_items(settings: DrawnItems, seed: int) -> Iterator[tuple[str, CategoryItem]]:
    """The items of each category in turn, with their ids."""
    from whatif.world.category_items import CATEGORIES, draw_item

    for category in CATEGORIES:
        for number in range(settings.items_per_category):
            item = draw_item(SPLIT, category, number, seed, options=settings.options, unchanged=settings.unchanged)
            yield f"{category}-{number:06d}", item


def image_of(item: CategoryItem, side: int) -> dict[str, Any]:
    """The row of `images` of an item's scene."""
    from whatif.engine.files.png import encode
    from whatif.world.scene_image import draw_scene_picture

    data = encode(draw_scene_picture(item.scene, side))
    return image_row(data, side, side, f"drawn:{item.scene.scene_id}", "CC0-1.0")


def candidate_row(item_id: str, item: CategoryItem, image_id: str) -> dict[str, Any]:
    """The row of `candidates` of an item."""
    nouns = [thing.noun for thing in item.scene.things]
    return {
        "item_id": item_id,
        "image_id": image_id,
        "objects": len(nouns),
        "object_categories": sorted(set(nouns)),
        "captions": [],
        "provenance": canonical_json({"scene": item.scene.scene_id}),
    }


def question_rows(item_id: str, item: CategoryItem, image_id: str) -> Iterator[dict[str, Any]]:
    """The five questions of an item as rows of `questions`; their right option is the first."""
    for variant, question in zip(VARIANTS, (item.basic, *item.counterfactuals), strict=True):
        provenance = {
            "origin": "scenes",
            "second_option": "drawn",
            "same_as_basic": question.same_as_basic,
            "rationale": question.rationale,
        }
        yield {
            "question_id": f"{item_id}-{variant}",
            "pair_id": item_id,
            "group": item.category,
            "variant": variant,
            "question": question.question,
            "choices": [question.answer, question.other],
            "answer": "A",
            "answer_kind": "choice",
            "image_ids": [image_id],
            "provenance": canonical_json(provenance),
        }
