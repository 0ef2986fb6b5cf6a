"""The examples that strategies with `shots` show before a question, with their images and reasons (CFMM 4).

The paper shows one example, and for chain of thought one with its reasons written by hand. It does not say which. Here
an example is a counterfactual question of the category that is asked about, the same one before the basic and the
counterfactual questions of an item, and never about the item's own image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.cfmm.settings import DrawnItems, ExtractCfmm
from whatif.engine.errors import WhatifError
from whatif.engine.language.strategies import read
from whatif.engine.random_streams import stream

Row = Mapping[str, Any]
DRAWN_EXAMPLES = 4  # of each category
_SPLIT = "validation"  # so that no example shows a scene of the benchmark, or one that a model was trained on


@dataclass(frozen=True)
class Examples:
    """Rows of the table `examples`, and of `images`."""

    rows: list[dict[str, Any]]
    images: list[dict[str, Any]]


def examples_of(settings: ExtractCfmm, seed: int) -> Examples:
    """The examples of the file in the settings; drawn ones for drawn scenes; otherwise none.

    Raises WhatifError as `read_examples`.
    """
    if settings.examples is not None:
        from whatif.benchmarks.cfmm.example_files import read_examples
        from whatif.engine.files.inputs import user_path

        return read_examples(user_path(settings.examples), [user_path(folder) for folder in settings.image_folders])
    if settings.instances is not None or settings.items is not None:
        return Examples([], [])
    return _drawn_examples(settings.scenes, seed)


def chosen_examples(
    strategy: str, questions: Sequence[Row], examples: Sequence[Row], seed: int
) -> dict[str, list[Row]]:
    """Item -> the rows of `examples` that are shown before its questions; empty lists for a strategy without `shots`.

    They are of the item's category, and not about its image. The choice depends on the seed and the item alone.

    Raises WhatifError when a category has too few examples.
    """
    shots = read(strategy).shots
    chosen: dict[str, list[Row]] = {}
    for row in questions:
        item = row["pair_id"]
        if item in chosen:
            continue
        others = [
            example
            for example in examples
            if example["group"] == row["group"] and not set(example["image_ids"]) & set(row["image_ids"])
        ]
        if len(others) < shots:
            raise WhatifError(
                f"item {item}: the strategy {strategy} shows {shots} example of the category {row['group']}, and there "
                f"are {len(others)} with another image; name a file of examples as extract.cfmm.examples in params.yaml"
            )
        order = stream(seed, "example", item).permutation(len(others))
        chosen[item] = [others[place] for place in order[:shots]]
    return chosen


def _drawn_examples(settings: DrawnItems, seed: int) -> Examples:
    """Some examples of each category, about scenes of a split of their own."""
    from whatif.benchmarks.cfmm.drawn_items import image_of
    from whatif.engine.artifacts.reader import canonical_json
    from whatif.world.category_items import CATEGORIES, draw_item

    rows, images = [], []
    for category in CATEGORIES:
        for number in range(DRAWN_EXAMPLES):
            item = draw_item(_SPLIT, category, number, seed, options=settings.options, unchanged=settings.unchanged)
            question = next(one for one in item.counterfactuals if not one.changes_nothing)
            right = int(stream(seed, "example answer", category, number).integers(2))
            image = image_of(item, settings.side)
            images.append(image)
            choices = [question.other, question.answer] if right else [question.answer, question.other]
            rows.append(
                {
                    "example_id": f"{category}-{_SPLIT}-{number}",
                    "group": category,
                    "question": question.question,
                    "choices": choices,
                    "answer": "AB"[right],
                    "rationale": question.rationale,
                    "image_ids": [image["image_id"]],
                    "provenance": canonical_json({"scene": item.scene.scene_id}),
                }
            )
    return Examples(rows, images)
