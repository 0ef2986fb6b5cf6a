"""People who write counterfactual questions, whatever tool they use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.benchmarks.cvqa_real.rows import source_row
from tests.people.exports.filling import COMMENTS, NASTY, SEED, GivenLabel, Work
from tests.people.pairs import Pictures, pictures
from whatif.benchmarks.cvqa_real.annotation_tasks import (
    ANSWER,
    FIELDS,
    NONE,
    STEP1,
    STEP2,
    annotation_items,
    annotation_task_set,
)
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.people.exports.tasks import assigned


def source_questions(number: int) -> list[dict[str, Any]]:
    """Source questions with ids from 100; every third is a yes-or-no question."""
    images = pictures(range(number))
    return [
        source_row(str(100 + n), f"How many dogs are there in {n}?", str(n), images[n]["image_id"])
        if n % 3
        else source_row(str(100 + n), f"Is there a dog in {n}?", "yes", images[n]["image_id"])
        for n in range(number)
    ]


def annotation_work(number: int = 14, annotators: int = 2, people: int = 3, share: float = 0.5) -> Work:
    """Questions that people change in words that are hard to escape, in every group, or not at all."""
    rows = source_questions(number)
    made = annotation_task_set(rows, SEED)
    tasks = assigned(made, annotators=annotators, people=people, share=share, by_everybody=[], seed=SEED)

    def says(task_id: str, shown: Mapping[str, str], who: int) -> GivenLabel:
        turn = int(task_id[-4:], 16) + who
        group = (*GROUPS, NONE)[turn % 4]
        fields = {name: f"{NASTY[(turn + place) % 4]} {name}" for place, name in enumerate(FIELDS)}
        fields[ANSWER] = "no" if shown["question"].startswith("Is ") else str(turn % 3)
        if turn % 3 == 0:
            del fields[STEP1], fields[STEP2]
        return GivenLabel(group, COMMENTS[turn % len(COMMENTS)], {} if group == NONE else fields)

    return Work(tasks, annotation_items(rows, SEED), Pictures(pictures(range(number))), says)
