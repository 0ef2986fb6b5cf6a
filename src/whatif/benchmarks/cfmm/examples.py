"""The examples that strategies with `shots` show before a question, with their images and reasons (CFMM 4).

The paper shows one example, and for chain of thought one with its reasons written by hand. It does not say which. Here
an example is a counterfactual question of the category that is asked about, the same one before the basic and the
counterfactual questions of an item, and never about the item's own image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.benchmarks.cfmm.settings import DrawnItems, ExtractCfmm
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped, well_formed
from whatif.engine.language.strategies import read
from whatif.engine.language.wording import same
from whatif.engine.random_streams import stream
from whatif.formats.cfmm_items import category_of, photograph_name
from whatif.formats.table_records import read_records

Row = Mapping[str, Any]
DRAWN_EXAMPLES = 4  # of each category
_SPLIT = "validation"  # so that no example shows a scene of the benchmark, or one that a model was trained on
COLUMNS = ("example_id", "category", "image", "question", "option_a", "option_b", "answer", "rationale")


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


def read_examples(path: Path, folders: Sequence[Path]) -> Examples:
    """The examples of a CSV or JSONL with the columns `COLUMNS`, in order of their ids, and their images.

    `image` is the name of a file in one of the folders, or an MS-COCO id; `answer` is A or B.

    Raises WhatifError naming file, row and column when the file cannot be read, when a column is missing or empty, for
    an unknown category or answer, for two equal options, for a duplicate id, and for an image that is missing or
    cannot be decoded.
    """
    from whatif.formats.image_folders import find_pictures

    _, records = read_records(path, things="examples", row="example", needed=COLUMNS)
    if not folders:
        raise WhatifError(f"{path}: examples need their images; name the folders as extract.cfmm.image_folders")
    found: dict[str, dict[str, Any]] = {}
    places: dict[str, str] = {}
    for record in records:
        where = f"{path}: {record.place}"
        row = _row(where, record.fields)
        example_id = row["example_id"]
        if example_id in found:
            raise WhatifError(
                f"{where}: example_id {example_id} is also that of {places[example_id]}; give another one"
            )
        found[example_id], places[example_id] = row, where
    pictures = find_pictures({name for row in found.values() for name in row["image_ids"]}, folders)
    for example_id, row in found.items():
        (name,) = row["image_ids"]
        if name in pictures.missing:
            reason, detail = pictures.missing[name]
            raise WhatifError(f"{places[example_id]}: image: {reason}: {detail}; every example shows its image")
        row["image_ids"] = [pictures.found[name]["image_id"]]
    images = {row["image_id"]: row for row in pictures.found.values()}
    return Examples([found[one] for one in sorted(found)], [images[one] for one in sorted(images)])


def _row(where: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A row of `examples`, with the file name of its image in the place of the image's id."""
    texts = {}
    for column in COLUMNS:
        value = fields.get(column)
        if isinstance(value, list | dict | bool):
            raise WhatifError(f"{where}: {column}: is {escaped(str(value)[:40])}; write a text")
        texts[column] = well_formed("" if value is None else str(value)).strip()
        if not texts[column]:
            raise WhatifError(f"{where}: {column} is missing or empty; an example has {', '.join(COLUMNS)}")
    category, answer = category_of(where, texts["category"]), texts["answer"].upper()
    if answer not in ("A", "B"):
        raise WhatifError(f"{where}: answer is {texts['answer'][:40]!r}; use A or B, the letter of the right option")
    if same(texts["option_a"], texts["option_b"]):
        raise WhatifError(f"{where}: option_b is the same as option_a; give two different options")
    return {
        "example_id": texts["example_id"],
        "group": category,
        "question": texts["question"],
        "choices": [texts["option_a"], texts["option_b"]],
        "answer": answer,
        "rationale": texts["rationale"],
        "image_ids": [photograph_name(texts["image"])],
        "provenance": canonical_json({"image": texts["image"]}),
    }
