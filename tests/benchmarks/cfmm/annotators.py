"""People who write questions about images, whatever tool they use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.people.exports.filling import COMMENTS, NASTY, SEED, GivenLabel, Work
from tests.people.pairs import Pictures, pictures
from whatif.benchmarks.cfmm.annotation_tasks import FIELDS, NONE, annotation_items, annotation_task_set
from whatif.formats.cfmm_items import CATEGORIES
from whatif.people.exports.tasks import assigned


def candidates(number: int) -> list[dict[str, Any]]:
    images = pictures(range(number))
    return [
        {
            "item_id": f"{n:012d}",
            "image_id": images[n]["image_id"],
            "captions": [NASTY[n % 4], f"A caption of {n}"] if n % 3 else [],
            "provenance": json.dumps({"coco_image_id": n, "image": f"COCO_val2014_{n:012d}.jpg"}),
        }
        for n in range(number)
    ]


def annotation_work(number: int = 14, annotators: int = 2, people: int = 3, share: float = 0.5) -> Work:
    """Images about which people write questions that are hard to escape, in every category, or none."""
    rows = candidates(number)
    made = annotation_task_set(rows, SEED)
    tasks = assigned(made, annotators=annotators, people=people, share=share, by_everybody=[], seed=SEED)

    def says(task_id: str, shown: Mapping[str, str], who: int) -> GivenLabel:
        turn = int(task_id[-4:], 16) + who
        category = (*CATEGORIES, NONE)[turn % 7]
        fields = {name: f"{NASTY[(turn + place) % 4]} {name}" for place, name in enumerate(FIELDS)}
        if turn % 2:
            del fields["counterfactual_option"]
        return GivenLabel(category, COMMENTS[turn % len(COMMENTS)], {} if category == NONE else fields)

    return Work(tasks, annotation_items(rows, SEED), Pictures(pictures(range(number))), says)
