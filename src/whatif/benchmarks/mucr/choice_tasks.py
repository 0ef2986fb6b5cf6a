"""The tasks in which people choose one pair of images among those that CLIP preselected (MuCR 3.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif.benchmarks.mucr.schemas import SIDES
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.people.exports.tasks import Answer, Interface, TaskSet, row_task_set, task_ids
from whatif.people.imports.items import Item, Items, ShownTask

Row = Mapping[str, Any]

NONE = "none"  # the decision that no pair of images can be used
KEY = "item_id"  # of a pair of captions in a style


def item_of(pair_id: str, style: str) -> str:
    """The id under which people choose the images of a pair in a style."""
    return f"{pair_id}-{style}"


def interface_of(number: int) -> Interface:
    """The interface for tasks with at most `number` pairs of images."""
    numbers = range(1, number + 1)
    return Interface(
        title="Images of a cause and its effect",
        question="Which pair of images shows the cause and its effect best?",
        answers=(
            *(Answer(str(one), f"Pair {one}.") for one in numbers),
            Answer(NONE, "None of these pairs can be used."),
        ),
        shown={"cause": "Cause", "effect": "Effect", "style": "Style"},
        instructions=(
            "Read the two sentences. Each pair of images should show the first sentence in its first image, and the "
            "second sentence in its second image. A task may have fewer pairs than there are answers.",
            "Leave out pairs in which an image does not show its sentence, or has another style than the one named.",
            "Of the others, choose the pair in which both images belong together: the same person, animal or thing, "
            "the same clothes and colors, the same place and light. What the cause changes may differ.",
            "If several pairs are equally good, choose the one in which the effect can be seen most clearly.",
            "The image of the cause may not show the effect already.",
            "Choose “None” if in every pair an image does not show its sentence, or if the two images cannot belong "
            "together. Mistakes such as a sixth finger matter only if they hide what the sentence says.",
        ),
        images=tuple(f"Pair {one}, {side}" for one in numbers for side in SIDES),
    )


def choices_shown(preselected: Iterable[Row]) -> dict[str, list[Row]]:
    """Item -> its preselected pairs of images in the order of their places; the answer `1` is the first of them."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in preselected:
        found[item_of(row["pair_id"], row["style"])].append(row)
    return {item: sorted(rows, key=lambda row: int(row["place"])) for item, rows in sorted(found.items())}


def candidates_of(rows: Sequence[Row]) -> list[str]:
    """The candidates of preselected pairs of images, two by two."""
    return [row[f"{side}_candidate"] for row in rows for side in SIDES]


def with_images(
    preselected: Sequence[Row], pairs: Iterable[Row], candidates: Iterable[Row], *, released: str
) -> list[Row]:
    """One row for each pair and style that people choose images for: its texts, and two by two its `candidates` and
    their `image_ids`.

    `candidates` have the images of the preselected rows. A pair of images that the source chose (`released`) needs no
    choice, and a pair of captions that is not in `pairs` was removed. Raises WhatifError when a candidate is missing.
    """
    captions = {row["pair_id"]: (row["cause_caption"], row["effect_caption"]) for row in pairs}
    images = {row["candidate_id"]: row["image_id"] for row in candidates}
    made: list[Row] = []
    for item, rows in choices_shown(preselected).items():
        if rows[0]["pair_id"] not in captions or any(row["chosen_by"] == released for row in rows):
            continue
        names = candidates_of(rows)
        if missing := [name for name in names if name not in images]:
            raise WhatifError(
                f"mucr: candidate {missing[0]}: has no image; run `dvc repro` to make the candidates again"
            )
        first = rows[0]
        cause, effect = captions[first["pair_id"]]
        made.append(
            {
                KEY: item,
                "cause": cause,
                "effect": effect,
                "style": first["style"],
                "candidates": names,
                "image_ids": [images[name] for name in names],
            }
        )
    return made


def choice_task_set(rows: Sequence[Row], seed: int) -> TaskSet:
    """One task for each row of `with_images`.

    Raises WhatifError when there is none, and when two rows have the same task id.
    """
    if not rows:
        raise WhatifError("mucr: the images of all pairs are those of the source; there is nothing to choose")
    tasks = row_task_set(
        interface_of(max(len(row["image_ids"]) for row in rows) // len(SIDES)),
        rows,
        seed,
        key=KEY,
        images=lambda row: row["image_ids"],
        texts=lambda row: [row["cause"], row["effect"], row["style"]],
    )
    by_item = {task.item_id: task for task in tasks.tasks}
    ids = _tasks({row[KEY]: row["candidates"] for row in rows}, seed)
    return replace(tasks, tasks=tuple(replace(by_item[item], task_id=task) for task, item in sorted(ids.items())))


def choice_items(candidates: Mapping[str, Sequence[str]], seed: int) -> Items:
    """The items as the importer of labels needs them: item -> the candidates that it shows, two by two."""
    numbers = {item: len(names) // len(SIDES) for item, names in candidates.items()}
    decisions = (*(str(one) for one in range(1, max(numbers.values(), default=0) + 1)), NONE)

    def tasks() -> Mapping[str, ShownTask]:
        return {task: ShownTask(item) for task, item in _tasks(candidates, seed).items()}

    return Items({item: Item(item) for item in numbers}, decisions, things="pairs of images", make_tasks=tasks)


def items_of_rows(rows: Sequence[Row], seed: int) -> Items:
    """The rows of `with_images` as the importer of labels needs them."""
    return choice_items({row[KEY]: row["candidates"] for row in rows}, seed)


def _tasks(candidates: Mapping[str, Sequence[str]], seed: int) -> dict[str, str]:
    """Task id -> item. An answer is the number of a pair of images, so other candidates make another task."""
    items = {canonical_json([item, *names]): item for item, names in candidates.items()}
    return {task: items[name] for task, name in task_ids(items, seed).items()}
